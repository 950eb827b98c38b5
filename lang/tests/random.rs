//! Programs that no author would write and no checker would pass: every one lowers, and its run ends without a panic.

#![allow(clippy::unwrap_used)]

mod common;
mod memory;

use djo_contract::{
    types::{Constraints, Field, Kind, Presence, Source, Struct, Type},
    value::Value,
};
use djo_lang::{
    ast::{BinaryOp, Block, Escape, Expr, ExprKind, FileId, Name, Span, Stmt, StmtKind},
    lower::lower,
    program::{Entry, Function, Page, Program, SourceFile},
};
use djo_vm::{
    builtins::{BUILTINS, Builtin},
    host::{Entry as Run, Request},
};
use memory::Memory;
use proptest::prelude::*;

const LOCALS: [&str; 5] = ["a", "b", "c", "d", "e"];

fn name(text: &str) -> Name {
    Name { text: text.into(), span: Span::default() }
}

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::default() }
}

fn named(text: &str) -> Expr {
    expr(ExprKind::Name(text.into()))
}

fn local() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&LOCALS[..])
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("a".into()),
        Just("id".into()),
        Just("2024-01-31T10:00:00Z".into()),
        Just("{\"a\":[1]}".into()),
        "[a-zé<>&\"']{0,6}"
    ]
}

fn leaf() -> BoxedStrategy<Expr> {
    prop_oneof![
        Just(expr(ExprKind::Nil)),
        any::<bool>().prop_map(|flag| expr(ExprKind::Bool(flag))),
        prop_oneof![-3_i64..200, any::<i64>()].prop_map(|number| expr(ExprKind::Int(number))),
        (-10.0..10.0).prop_map(|number| expr(ExprKind::Float(number))),
        text().prop_map(|text| expr(ExprKind::Str(text))),
        local().prop_map(named),
        local().prop_map(named),
        Just(named("CONST")),
        Just(named("f")),
        prop::sample::select(BUILTINS).prop_map(|signature| builtin_callee(signature.name)),
    ]
    .boxed()
}

/// `Module.name` as a callee.
fn builtin_callee(full: &str) -> Expr {
    match full.split_once('.') {
        Some((module, member)) => expr(ExprKind::Member(Box::new(named(module)), name(member))),
        None => named(full),
    }
}

fn builtin_call(argument: BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    (prop::sample::select(BUILTINS), prop::collection::vec(argument, 4))
        .prop_flat_map(|(signature, arguments)| {
            (usize::from(signature.least)..=usize::from(signature.most)).prop_map(move |count| {
                // What a page's own request would change is left to the other tests; a token may be long.
                let callee = if signature.builtin == Builtin::Fail { "print" } else { signature.name };
                let arguments = arguments.iter().take(if callee == "print" { 1 } else { count }).cloned().collect();
                expr(ExprKind::Call(Box::new(builtin_callee(callee)), arguments))
            })
        })
        .boxed()
}

fn any_expr() -> BoxedStrategy<Expr> {
    let operators = [
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::In,
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
    ];
    leaf()
        .prop_recursive(4, 24, 4, move |inner| {
            let boxed = inner.clone().prop_map(Box::new);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(|items| expr(ExprKind::Arr(items))),
                prop::collection::vec((text().prop_map(|text| expr(ExprKind::Str(text))), inner.clone()), 0..4)
                    .prop_map(|entries| expr(ExprKind::Map(entries))),
                (boxed.clone(), prop::sample::select(&["a", "id", "nome", "itens"][..]))
                    .prop_map(|(base, field)| expr(ExprKind::Member(base, name(field)))),
                (boxed.clone(), boxed.clone()).prop_map(|(base, index)| expr(ExprKind::Index(base, index))),
                boxed.clone().prop_map(|operand| expr(ExprKind::Not(operand))),
                boxed.clone().prop_map(|operand| expr(ExprKind::Negate(operand))),
                (boxed.clone(), boxed.clone()).prop_map(|(a, b)| expr(ExprKind::And(a, b))),
                (boxed.clone(), boxed.clone()).prop_map(|(a, b)| expr(ExprKind::Or(a, b))),
                (boxed.clone(), boxed.clone()).prop_map(|(a, b)| expr(ExprKind::Coalesce(a, b))),
                prop::collection::vec(inner.clone(), 1..20).prop_map(|parts| expr(ExprKind::Text(parts))),
                (prop::collection::vec(local().prop_map(name), 0..3), boxed.clone())
                    .prop_map(|(params, value)| expr(ExprKind::Lambda(params, value))),
                (prop::sample::select(operators.to_vec()), boxed.clone(), boxed).prop_map(|(op, a, b)| expr(ExprKind::Binary(op, a, b))),
                builtin_call(inner.clone()),
                prop::collection::vec(inner.clone(), 2).prop_map(|arguments| expr(ExprKind::Call(Box::new(named("f")), arguments))),
                prop::collection::vec(inner.clone(), 2).prop_map(|arguments| expr(ExprKind::Call(Box::new(named("agir")), arguments))),
                (local(), prop::collection::vec(inner.clone(), 0..3))
                    .prop_map(|(callee, arguments)| expr(ExprKind::Call(Box::new(named(callee)), arguments))),
                inner.prop_map(|argument| expr(ExprKind::Call(Box::new(named("Ponto")), vec![argument]))),
            ]
        })
        .boxed()
}

fn any_block() -> BoxedStrategy<Block> {
    let simple = prop_oneof![
        (local(), any_expr()).prop_map(|(to, value)| stmt(StmtKind::Assign(name(to), value))),
        (local(), any_expr()).prop_map(|(to, value)| stmt(StmtKind::Assign(name(to), value))),
        (any_expr(), any_expr()).prop_map(|(base, value)| stmt(StmtKind::AssignField(base, name("id"), value))),
        (any_expr(), any_expr(), any_expr()).prop_map(|(base, index, value)| stmt(StmtKind::AssignIndex(base, index, value))),
        (any_expr(), any_expr(), any_expr(), any::<bool>()).prop_map(|(base, index, value, field)| {
            let (base, index) = (Box::new(base), Box::new(index));
            let target = if field { ExprKind::Member(base, name("id")) } else { ExprKind::Index(base, index) };
            stmt(StmtKind::Update(expr(target), BinaryOp::Add, value))
        }),
        prop::option::of(any_expr()).prop_map(|value| stmt(StmtKind::Return(value))),
        any_expr().prop_map(|value| stmt(StmtKind::Expr(value))),
        text().prop_map(|text| stmt(StmtKind::Text(text))),
        (
            any_expr(),
            prop::sample::select(
                &[
                    Escape::Raw,
                    Escape::Text,
                    Escape::Attribute,
                    Escape::Url,
                    Escape::UrlPath,
                    Escape::UrlRoot,
                    Escape::UrlRootEnd,
                    Escape::UrlAddress,
                    Escape::UrlQuery,
                    Escape::Script,
                    Escape::ScriptString
                ][..]
            )
        )
            .prop_map(|(value, escape)| stmt(StmtKind::Output(value, escape))),
        Just(stmt(StmtKind::Break)),
        Just(stmt(StmtKind::Continue)),
    ];
    let simple = prop::collection::vec(simple, 0..4).boxed();
    simple
        .prop_recursive(3, 16, 3, |block| {
            let compound = prop_oneof![
                (prop::collection::vec((any_expr(), block.clone()), 1..3), prop::option::of(block.clone()))
                    .prop_map(|(branches, otherwise)| stmt(StmtKind::If(branches, otherwise))),
                (local(), prop::option::of(local()), any_expr(), block.clone())
                    .prop_map(|(first, second, list, block)| stmt(StmtKind::For(name(first), second.map(name), list, block))),
                (any_expr(), block.clone()).prop_map(|(condition, block)| stmt(StmtKind::While(condition, block))),
                (block.clone(), local(), block.clone()).prop_map(|(block, caught, then)| stmt(StmtKind::Try(block, name(caught), then))),
                (local(), block.clone()).prop_map(|(to, block)| stmt(StmtKind::Capture(name(to), block))),
            ];
            (block, compound).prop_map(|(mut block, last)| {
                block.push(last);
                block
            })
        })
        .boxed()
}

fn field(name: &str, kind: Kind, presence: Presence) -> Field {
    Field {
        name: name.into(),
        ty: Type { nullable: presence == Presence::Optional, constraints: Constraints::default(), ..Type::new(kind) },
        presence,
        description: None,
        hidden: false,
        source: Source::Input,
    }
}

fn program(function: Block, action: Block, page: Block) -> Program {
    let mut program = Program { files: vec![SourceFile { path: "a.djo".into(), text: "\n".into() }], ..Program::default() };
    program.contract.types.structs.push(Struct {
        name: "Ponto".into(),
        description: None,
        fields: vec![
            field("id", Kind::Int, Presence::Required),
            field("nome", Kind::String, Presence::Default(Value::Str("x".into()))),
            field("outro", Kind::Struct(0), Presence::Optional),
        ],
    });
    program.consts.push(("CONST".into(), Value::Arr(vec![Value::Int(1), Value::Arr(vec![])])));
    let params = |kind: Kind| vec![field("a", kind.clone(), Presence::Required), field("b", kind, Presence::Default(Value::Nil))];
    program.functions.push(Function { action: false, name: name("f"), params: params(Kind::Any), body: function });
    program.functions.push(Function { action: true, name: name("agir"), params: params(Kind::Struct(0)), body: action });
    program.pages.push(Page { file: FileId(0), body: page, template: true });
    program.entries.push(Entry { screen: Some(0), agent: Some(0), action: Some(0) });
    program
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_program_ends(function in any_block(), action in any_block(), page in any_block()) {
        let program = program(function, action, page);
        let image = lower(&program).unwrap();
        prop_assert_eq!(&image, &lower(&program).unwrap());
        let opened = djo_vm::Program::new(&image).unwrap();
        let mut host = Memory { random: 7, ..Memory::default() };
        for entry in [Run::Screen(0), Run::Agent(0), Run::Action(0)] {
            let request = Request { entry, arguments: br#"{"a":[1,2],"b":{"id":1}}"#.to_vec(), ..Request::default() };
            match djo_vm::run_within(&opened, &mut host, &request, 3_000) {
                Ok(response) => prop_assert!((200..600).contains(&response.status)),
                // What lowering writes is never taken for a stranger's image.
                Err(failure) => prop_assert_ne!(failure.kind, "imagem"),
            }
        }
    }
}
