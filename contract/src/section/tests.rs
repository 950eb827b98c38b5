//! Round trips, and what strangers may try.
#![allow(clippy::unwrap_used)]

use alloc::{
    format,
    string::{String, ToString},
};

use proptest::prelude::*;

use super::*;
use crate::arbitrary::any_contract;

fn refusal(text: &str) -> String {
    decode(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn an_empty_contract_is_its_version() {
    assert_eq!(encode(&Contract::default()), r#"{"djo_contract":1}"#);
    assert_eq!(decode(br#"{"djo_contract":1}"#), Ok(Contract::default()));
}

#[test]
fn nothing_is_tolerated() {
    let with = |members: &str| refusal(&format!("{{\"djo_contract\":1,{members}}}"));
    assert_eq!(refusal("{}"), "o contrato não é da versão 1");
    assert_eq!(refusal("{\"djo_contract\":2}"), "o contrato não é da versão 1");
    assert_eq!(refusal("[1"), "o contrato não é JSON: o texto termina onde se espera `,` ou `]`, linha 1, coluna 3");
    assert_eq!(decode(&alloc::vec![b' '; SIZE_LIMIT + 1]), Err(SectionError::TooLarge));
    for (members, reason) in [
        (r#""x":1"#, "/x: campo desconhecido"),
        (r#""site":{"nome":"a"}"#, "/site/about: obrigatório"),
        (
            r#""types":[{"fields":[{"name":"a","type":{"kind":"struct","struct":1}}]}]"#,
            "/types/0/fields/0/type/struct: aponta para o que não existe",
        ),
        (r#""types":[{"fields":[{"name":"a","type":{"kind":"int","of":{"kind":"int"}}}]}]"#, "/types/0/fields/0/type: tipo desconhecido"),
        (
            r#""types":[{"fields":[{"name":"a","type":{"kind":"int"}},{"name":"a","type":{"kind":"int"}}]}]"#,
            "/types/0: dois campos de mesmo nome",
        ),
        (
            r#""types":[{"fields":[{"name":"a","type":{"kind":"int","minimum":"1"}}]}]"#,
            "/types/0/fields/0/type: um limite que não é número",
        ),
        (
            r#""types":[{"fields":[{"name":"a","type":{"kind":"int"},"required":true,"default":1}]}]"#,
            "/types/0/fields/0: obrigatório e com valor padrão",
        ),
        (r#""routes":[{"method":"GET","path":"/","action":0}]"#, "/routes/0/action: aponta para o que não existe"),
        (r#""routes":[{"method":"GET","path":"x","screen":true}]"#, "/routes/0/path: o caminho deve começar com /"),
        (r#""routes":[{"method":"BREW","path":"/","screen":true}]"#, "/routes/0/method: método desconhecido"),
        (r#""routes":[{"method":"GET","path":"/"}]"#, "/routes/0: uma rota sem face"),
        (r#""routes":[{"method":"GET","path":"/","screen":true,"cache":4294967296}]"#, "/routes/0/cache: número grande demais"),
        (r#""routes":[{"method":"GET","path":"/","screen":1}]"#, "/routes/0/screen: deve ser Bool, mas veio Int"),
        (
            r#""types":[{"fields":[{"name":"a","type":{"kind":"string","pattern":"a","program":"|j9"}}]}]"#,
            "/types/0/fields/0/type: um programa que não é de um padrão",
        ),
        (r#""error_pages":[200]"#, "/error_pages/0: deve ser um status de erro"),
        (
            r#""actions":[{"name":"a","input":{"fields":[{"name":"a","type":{"kind":"any"},"default":1e999}]}}]"#,
            ": um número grande demais",
        ),
    ] {
        assert_eq!(with(members), format!("contrato inválido em {reason}"));
    }
    let deep = format!("{}{{\"kind\":\"int\"}}{}", "{\"kind\":\"arr\",\"of\":".repeat(30), "}".repeat(30));
    assert!(
        with(&format!(r#""routes":[{{"method":"GET","path":"/","screen":true,"returns":{deep}}}]"#)).contains("tipos aninhados demais")
    );
}

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same(contract in any_contract()) {
        let text = encode(&contract);
        let again = decode(text.as_bytes()).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(encode(&again), text);
        prop_assert_eq!(again, contract);
    }

    #[test]
    fn damage_never_panics(contract in any_contract(), place in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut text = encode(&contract).into_bytes();
        let at = place.index(text.len());
        text[at] = byte;
        let _ = decode(&text);
    }
}
