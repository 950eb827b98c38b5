//! A loja pelos seus próprios pedidos, sem servidor.

use djo::testing::{form, get, post};

use crate::loja::Site;

fn sessao(reply: &djo::testing::Reply) -> String {
    reply.header("set-cookie").and_then(|cookie| cookie.split(';').next()).unwrap_or_default().to_owned()
}

#[test]
fn o_estoque_nunca_fica_negativo() {
    let pedir = |quantidade: i64| {
        post("/pedidos", &format!(r#"{{"cliente":"Ana","itens":[{{"produto":1}},{{"produto":2,"quantidade":{quantidade}}}]}}"#))
            .send::<Site>()
    };
    assert_eq!(pedir(5).status, 201);
    assert_eq!(pedir(1).status, 500, "uma recusa: o host a traduz para cada porta");
    // O que saiu antes da recusa voltou.
    assert_eq!(get("/produtos/1?campos=estoque").json().send::<Site>().text(), r#"{"estoque":4}"#);
    assert_eq!(get("/produtos/2?campos=estoque").json().send::<Site>().text(), r#"{"estoque":0}"#);
}

#[test]
fn o_carrinho_e_de_quem_o_encheu() {
    let posto = form("/carrinho", "produto=5&quantidade=3").send::<Site>();
    let cookie = sessao(&posto);
    let ver = |cookie: &str| get("/carrinho").json().header("cookie", cookie).send::<Site>().text();
    assert_eq!(ver(&cookie), r#"{"itens":[{"produto":5,"quantidade":3}],"total":3750}"#);
    assert_eq!(ver("djo_sessao=0"), r#"{"itens":[],"total":0}"#);
    assert_eq!(post("/carrinho/fechar", "{}").header("cookie", &cookie).send::<Site>().status, 401);
    let cookie = sessao(&form("/entrar", "nome=Ana").header("cookie", &cookie).send::<Site>());
    let pedido = post("/carrinho/fechar", "{}").header("cookie", &cookie).send::<Site>();
    assert!(pedido.text().contains(r#""cliente":"Ana""#), "{}", pedido.text());
    assert_eq!(ver(&cookie), r#"{"itens":[],"total":0}"#);
}

#[test]
fn o_que_se_mostra_e_escapado() {
    let page = get("/?busca=%22%3Cb%3E").header("accept", "text/html").send::<Site>().text();
    assert!(page.contains(r#"value="&quot;&lt;b&gt;""#), "{page}");
}
