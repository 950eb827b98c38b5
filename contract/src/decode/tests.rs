//! Actions and queries as the HTTP contract shows them, and what decoding promises of every type.
#![allow(clippy::unwrap_used)]

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use proptest::prelude::*;

use super::*;
use crate::issue::Code;
use crate::{
    arbitrary::{input, show, typed},
    json,
    model::Action,
    types::{Constraints, Field, Kind, Presence, Source, Struct},
};

fn field(name: &str, ty: impl Into<Type>, presence: Presence) -> Field {
    Field { name: name.into(), ty: ty.into(), presence, description: None, hidden: false, source: Source::Input }
}

/// The types and actions of the test site's blog, in short.
fn blog() -> (Types, Action, Action) {
    let mut hidden = field("segredo", Kind::String, Presence::Default("x".into()));
    hidden.hidden = true;
    let idade = field("idade", Kind::Int, Presence::Default(Value::Int(18)));
    let autor = Struct {
        name: "Autor".into(),
        fields: [field("nome", Kind::String, Presence::Required), idade, hidden].into(),
        ..Struct::default()
    };
    let fields = [
        field("titulo", Kind::String, Presence::Required),
        field("nota", Kind::Float, Presence::Required),
        field("autor", Kind::Struct(0), Presence::Required),
        field("resumo", Type { nullable: true, ..Kind::String.into() }, Presence::Optional),
    ];
    let criar = Action { name: "criar_post".into(), description: None, input: Struct { fields: fields.into(), ..Struct::default() } };
    let mut id = field(
        "id",
        Type { constraints: Constraints { maximum: Some(Value::Int(99)), ..Constraints::default() }, ..Kind::Int.into() },
        Presence::Required,
    );
    id.source = Source::Path;
    let mut quem = field("quem", Kind::String, Presence::Required);
    quem.source = Source::Inject("session.usuario".into());
    let mut versao = field("versao", Kind::Int, Presence::Default(Value::Int(1)));
    versao.source = Source::Inject("header.X-Versao".into());
    let fields = [id, quem, field("vezes", Kind::Int, Presence::Default(Value::Int(1))), versao];
    let publicar = Action { name: "publicar".into(), description: None, input: Struct { fields: fields.into(), ..Struct::default() } };
    (Types { structs: [autor].into() }, criar, publicar)
}

fn outcome(result: Result<Value, InputError>) -> String {
    match result {
        Ok(value) => json::to_string(&value),
        Err(InputError::Syntax(issue)) => issue.detail(),
        Err(InputError::Issues(issues)) => json::to_string(&issues.campos()),
    }
}

fn criar(body: &str) -> String {
    let (types, criar, _) = blog();
    outcome(decode_action(&types, &criar, &[], body.as_bytes()))
}

fn publicar(id: &str, body: &str) -> String {
    let (types, _, publicar) = blog();
    outcome(decode_action(&types, &publicar, &[("id".into(), id.into())], body.as_bytes()))
}

#[test]
fn actions_answer_as_the_contract_says() {
    assert_eq!(
        criar(r#"{"autor":{"nome":"Ana"},"nota":4,"titulo":"Oi"}"#),
        r#"{"titulo":"Oi","nota":4,"autor":{"nome":"Ana","idade":18},"resumo":null}"#
    );
    assert_eq!(criar(r#"{"nota":4,"autor":{"nome":7}}"#), r#"{"titulo":"obrigatório","autor.nome":"deve ser String, mas veio Int"}"#);
    assert_eq!(
        criar(r#"{"titulo":1,"nota":"x","autor":"Ana","z":1}"#),
        r#"{"titulo":"deve ser String, mas veio Int","nota":"deve ser Float, mas veio String","autor":"deve ser Autor, mas veio String","z":"campo desconhecido"}"#
    );
    assert_eq!(
        criar(r#"{"titulo":"Oi","nota":null,"autor":{"nome":"Ana","segredo":"y"}}"#),
        r#"{"nota":"deve ser Float, mas veio nil","autor.segredo":"campo desconhecido"}"#
    );
    assert_eq!(criar("[1]"), r#"{"":"deve ser Map, mas veio Arr"}"#);
    assert_eq!(criar(""), r#"{"titulo":"obrigatório","nota":"obrigatório","autor":"obrigatório"}"#);
    assert_eq!(criar(r#"{"titulo":"#), "o texto termina onde se espera um valor, linha 1, coluna 11");
}

#[test]
fn path_parameters_are_converted_and_checked() {
    assert_eq!(publicar("7", "{}"), r#"{"id":7,"vezes":1}"#);
    assert_eq!(publicar("7", r#"{"vezes":2.0}"#), r#"{"id":7,"vezes":2}"#);
    assert_eq!(publicar("abc", ""), r#"{"id":"deve ser Int, mas veio String"}"#);
    assert_eq!(publicar("100", ""), r#"{"id":"deve ser no máximo 99"}"#);
    assert_eq!(publicar("9223372036854775808", ""), r#"{"id":"fora do intervalo de Int"}"#);
    assert_eq!(publicar("7", r#"{"id":7}"#), r#"{"id":"vem do caminho, não do corpo"}"#);
    assert_eq!(publicar("x", "[]"), r#"{"":"deve ser Map, mas veio Arr"}"#);
}

#[test]
fn a_tool_call_names_its_path_parameters() {
    let (types, _, publicar) = blog();
    let call = |text: &str| outcome(decode_arguments(&types, &publicar, None, json::parse(text.as_bytes()).unwrap()).map_err(Into::into));
    assert_eq!(call(r#"{"id":7}"#), r#"{"id":7,"vezes":1}"#);
    assert_eq!(call("{}"), r#"{"id":"obrigatório"}"#);
}

#[test]
fn injected_parameters_are_unknown_and_filled_by_the_host() {
    let (types, _, action) = blog();
    let Err(InputError::Issues(issues)) = decode_action(&types, &action, &[("id".into(), "1".into())], br#"{"quem":"eu","id":1}"#) else {
        panic!("both are refused");
    };
    let allowed: Vec<_> = issues.list.iter().map(|issue| format!("{} {}", issue.message, json::to_string(&issue.extras[0].1))).collect();
    assert_eq!(allowed, [r#"vem do caminho, não do corpo ["vezes"]"#, r#"campo desconhecido ["vezes"]"#]);

    let arguments = || decode_action(&types, &action, &[("id".into(), "1".into())], b"").unwrap();
    let fill = |usuario: Option<Value>, versao: Option<&str>| {
        let fetch = |source: &str| if source == "session.usuario" { usuario.clone() } else { versao.map(Value::from) };
        fill_injected(&types, &action, arguments(), fetch)
            .map(|value| json::to_string(&value))
            .map_err(|error| (error.status(), error.to_string()))
    };
    assert_eq!(fill(Some("Ana".into()), Some("3")), Ok(r#"{"id":1,"quem":"Ana","vezes":1,"versao":3}"#.into()));
    assert_eq!(fill(Some("Ana".into()), None), Ok(r#"{"id":1,"quem":"Ana","vezes":1,"versao":1}"#.into()));
    assert_eq!(fill(None, None), Err((401, "o parâmetro quem vem de session.usuario, que não existe neste pedido".into())));
    assert_eq!(
        fill(Some("Ana".into()), Some("x")),
        Err((500, "o parâmetro versao vem de header.X-Versao: deve ser Int, mas veio String".into()))
    );
}

#[test]
fn declared_query_parameters_are_optional_and_checked() {
    let declared = [("q".into(), Kind::String.into()), ("pagina".into(), Kind::Int.into()), ("sim".into(), Kind::Bool.into())];
    let query =
        |raw: &str| outcome(decode_query(&Types::default(), &declared, &crate::route::parse_query(raw).unwrap()).map_err(Into::into));
    assert_eq!(query("pagina=2&q=a+b&outro=1&pagina=x"), r#"{"q":"a b","pagina":2}"#);
    assert_eq!(query("pagina=&sim=1"), r#"{"pagina":"deve ser Int, mas veio String","sim":"deve ser Bool, mas veio String"}"#);
}

#[test]
fn results_may_lack_fields_but_not_break_their_type() {
    let (types, criar, _) = blog();
    let types = Types { structs: [types.structs[0].clone(), criar.input].into() };
    let campos =
        |text: &str| json::to_string(&check_result(&types, &Kind::Struct(1).into(), &json::parse(text.as_bytes()).unwrap()).campos());
    assert_eq!(campos(r#"{"autor":{"idade":1}}"#), "{}");
    assert_eq!(
        campos(r#"{"autor":{"nome":7,"segredo":"x"},"sobra":1}"#),
        r#"{"autor.nome":"deve ser String, mas veio Int","autor.segredo":"campo desconhecido","sobra":"campo desconhecido"}"#
    );
}

#[test]
fn at_most_a_hundred_issues_are_kept() {
    let list = Type::new(Kind::Arr(Some(Type::new(Kind::Int).into())));
    let issues = decode(&Types::default(), &list, Value::Arr(alloc::vec!["x".into(); 130])).unwrap_err();
    assert_eq!((issues.list.len(), issues.more), (100, 30));
    assert_eq!(json::to_string(&issues.members()[2].1), "30");
}

#[test]
fn numbers_that_nothing_holds_are_refused_wherever_they_stand() {
    let campos = |ty: Kind, text: &str| match decode(&Types::default(), &ty.into(), json::parse(text.as_bytes()).unwrap()) {
        Ok(value) => json::to_string(&value),
        Err(issues) => json::to_string(&issues.campos()),
    };
    assert_eq!(campos(Kind::Any, r#"{"a":[1e400]}"#), r#"{"a[0]":"fora do intervalo de Float"}"#);
    assert_eq!(campos(Kind::Map(None), r#"{"a":18446744073709551616}"#), r#"{"a":"fora do intervalo de Int"}"#);
    assert_eq!(campos(Kind::Float, "18446744073709551616"), "18446744073709552000");
    assert_eq!(campos(Kind::Float, "1e400"), r#"{"":"fora do intervalo de Float"}"#);
    assert_eq!(campos(Kind::Int, "1e30"), r#"{"":"fora do intervalo de Int"}"#);
    assert_eq!(campos(Kind::String, "1e400"), r#"{"":"deve ser String, mas veio Float"}"#);
}

#[test]
fn a_number_with_a_fraction_is_no_int_however_large() {
    let outcome = |ty: Kind, text: &str| match decode(&Types::default(), &ty.into(), json::parse(text.as_bytes()).unwrap()) {
        Ok(value) => json::to_string(&value),
        Err(issues) => json::to_string(&issues.campos()),
    };
    for text in ["9007199254740993.5", "4503599627370497.5", "4.0000000000000001", "0.99999999999999999999", "1e-400", "-9e18", "0.5"] {
        let expected = if text == "-9e18" { "-9000000000000000000" } else { r#"{"":"deve ser Int, mas veio Float"}"# };
        assert_eq!(outcome(Kind::Int, text), expected, "{text}");
    }
    assert_eq!(outcome(Kind::Int, "9223372036854775808.5"), r#"{"":"fora do intervalo de Int"}"#);
    assert_eq!(outcome(Kind::Float, "4.0000000000000001"), "4");
    assert_eq!(outcome(Kind::Any, r#"{"a":[9007199254740993.5,1e-400]}"#), r#"{"a":[9007199254740994,0]}"#);
    assert_eq!(outcome(Kind::Arr(Some(Type::from(Kind::Any).into())), "[4.0000000000000001]"), "[4]");
}

#[test]
fn defaults_are_filled_in_only_so_far() {
    let fields = ["a", "b", "c"].map(|name| field(name, Kind::Int, Presence::Default(Value::Int(1))));
    let types = Types { structs: [Struct { name: "S".into(), fields: fields.into(), ..Struct::default() }].into() };
    let list = Type::new(Kind::Arr(Some(Type::new(Kind::Struct(0)).into())));
    let fill = |count: usize| decode(&types, &list, Value::Arr(alloc::vec![Value::Map(Vec::new()); count]));
    let filled = fill(transform::MAX_FILLED / 3).unwrap();
    let mut text = String::new();
    json::write_exact(&filled, &mut text);
    assert_eq!(json::parse_with(text.as_bytes(), json::DECODED).unwrap(), filled);
    assert_eq!(
        json::to_string(&fill(transform::MAX_FILLED / 3 + 1).unwrap_err().campos()),
        r#"{"":"com os valores padrão do que falta, passa do limite: 200000 valores a mais"}"#
    );
}

#[test]
fn what_is_submitted_is_echoed_only_in_part() {
    let name = "n".repeat(1000);
    let (types, criar, _) = blog();
    let body = format!(r#"{{"titulo":"a","nota":{},"autor":{{"nome":"b","{name}":1}}}}"#, "9".repeat(400));
    let Err(InputError::Issues(issues)) = decode_action(&types, &criar, &[], body.as_bytes()) else { panic!("two issues") };
    assert_eq!(issues.list.len(), 2);
    assert!(json::to_string(&issues.to_json()).len() < 1000);
}

#[test]
fn very_many_unknown_members_cost_little() {
    let members: Vec<String> = (0..90_000).map(|index| format!("\"titulo{index}\":1")).collect();
    let (types, criar, _) = blog();
    let outcome = decode_action(&types, &criar, &[], format!("{{{}}}", members.join(",")).as_bytes());
    assert!(matches!(outcome, Err(InputError::Issues(issues)) if issues.more == 90_003 - 100));
}

proptest! {
    /// A decoded value has its final form: fields of structs in order, defaults in place, and decoding it again changes nothing.
    #[test]
    fn decoding_is_idempotent(
        (types, ty, input) in typed().prop_flat_map(|(types, ty)| {
            let input = input(&types, &ty, 3);
            (Just(types), Just(ty), input)
        })
    ) {
        // Defaults are random here, not checked by a build: what they bring in need not fit.
        let mut types = types;
        for field in types.structs.iter_mut().flat_map(|one| &mut one.fields) {
            if matches!(field.presence, Presence::Default(_)) {
                field.presence = Presence::Optional;
            }
        }
        if let Ok(value) = decode(&types, &ty, input) {
            match decode(&types, &ty, value.clone()) {
                Ok(again) => prop_assert_eq!(again, value),
                // Items that differed only in what one of them left out are equal once it is filled in.
                Err(issues) => prop_assert!(issues.list.iter().all(|issue| issue.code == Code::DuplicateItem), "{issues}{}", show(&value)),
            }
        }
    }

    /// Every issue points to its place, and `campos` has its path.
    #[test]
    fn issues_have_their_place((types, ty, input) in typed().prop_flat_map(|(types, ty)| {
        let input = input(&types, &ty, 3);
        (Just(types), Just(ty), input)
    })) {
        if let Err(issues) = decode(&types, &ty, input.clone()) {
            for issue in &issues.list {
                let parent = issue.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
                let mut steps = parent.split('/').skip(1);
                let found = steps.try_fold(&input, |value, step| match value {
                    Value::Arr(items) => items.get(step.parse::<usize>().ok()?),
                    value => value.get(&step.replace("~1", "/").replace("~0", "~")),
                });
                prop_assert!(found.is_some(), "{}{}", issue.pointer, show(&input));
                prop_assert!(issues.campos().get(&issue.path).is_some());
                prop_assert!(!issue.message.is_empty());
            }
        }
    }
}
