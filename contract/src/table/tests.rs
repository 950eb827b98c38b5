//! Tables of the blog's posts.
#![allow(clippy::unwrap_used)]

use alloc::string::String;

use super::*;
use crate::fixture::{list_of, types};

const POSTS: &str = r#"[{"id":1,"titulo":"Titulo do post","publicado":true,"autor":{"nome":"Ana","idade":30},"tags":[],"extra":{},"resumo":null},
    {"id":2,"titulo":"=1+1, \"a\"\n","publicado":false,"autor":{"nome":"-b"},"tags":["x",1.0],"extra":{"a":-1},"fora":1}]"#;

fn csv(campos: Option<&str>, list: &str, mode: Mode) -> String {
    let types = types();
    let selection = campos.map(|campos| Selection::parse(&types, &list_of(1), campos).unwrap());
    Table::new(&types, Some(&list_of(1)), selection.as_ref(), mode).unwrap().write(list.as_bytes(), Limits::default()).unwrap()
}

#[test]
fn writes_rows_as_rfc_4180() {
    assert_eq!(
        csv(None, POSTS, Mode::Plain),
        "id,titulo,publicado,autor.nome,autor.idade,tags,extra,resumo\r\n\
         1,Titulo do post,true,Ana,30,[],{},\r\n\
         2,\"=1+1, \"\"a\"\"\n\",false,-b,,\"[\"\"x\"\",1]\",\"{\"\"a\"\":-1}\",\r\n"
    );
    assert_eq!(csv(Some("titulo,id"), "[]", Mode::Plain), "id,titulo\r\n");
    assert_eq!(csv(Some("autor.nome"), POSTS, Mode::Plain), "autor.nome\r\nAna\r\n-b\r\n");
    assert_eq!(csv(Some("autor"), "[]", Mode::Plain), "autor.nome,autor.idade\r\n");
    assert_eq!(csv(Some("resumo"), POSTS, Mode::Plain), "resumo\r\n\"\"\r\n\"\"\r\n");
}

#[test]
fn cells_stand_in_their_columns_however_the_items_are_written() {
    let list = r#"[{"autor":{"idade":1,"nome":"Ana"},"id":2},7,{"autor":null},{"autor":5,"\u0069d":1e2}]"#;
    assert_eq!(csv(Some("id,autor"), list, Mode::Plain), "id,autor.nome,autor.idade\r\n2,Ana,1\r\n,,\r\n,,\r\n100,,\r\n");
    assert_eq!(csv(Some("id"), r#"{"id":1}"#, Mode::Plain), "id\r\n");
}

#[test]
fn formulas_are_disarmed_only_for_spreadsheets() {
    let list = r#"[{"id":-1,"titulo":"=A1"},{"id":2,"titulo":"@x"},{"id":3,"titulo":"\tx"},{"id":4,"titulo":"a=b"}]"#;
    assert_eq!(csv(Some("id,titulo"), list, Mode::Spreadsheet), "id,titulo\r\n-1,'=A1\r\n2,'@x\r\n3,'\tx\r\n4,a=b\r\n");
    assert_eq!(Mode::from_query(&[("tabela".into(), "planilha".into())]), Some(Mode::Spreadsheet));
    assert_eq!(Mode::from_query(&[("tabela".into(), "".into())]), Some(Mode::Plain));
    assert_eq!(Mode::from_query(&[]), None);
}

#[test]
fn only_a_list_of_structs_is_a_table() {
    let types = types();
    let table = |returns: Option<&Type>| Table::new(&types, returns, None, Mode::Plain);
    assert!(table(None).is_err());
    assert!(table(Some(&Kind::Struct(1).into())).is_err());
    assert!(table(Some(&Kind::Arr(None).into())).is_err());
    assert_eq!(table(Some(&list_of(2))).unwrap().names, ["v", "pai", "autor.nome", "autor.idade"]);
}
