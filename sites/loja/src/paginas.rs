//! As páginas, para pessoas.

use djo::html;
use djo::prelude::*;

use crate::estoque;
use crate::loja::{Carrinho, Produto};

fn pagina(titulo: &str, no_carrinho: i64, conteudo: Html) -> Html {
    html!(
        r#"<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{titulo}</title>
<link rel="stylesheet" href="/estilo.css">
<link rel="icon" href="/folha.svg">
</head>
<body>
<header><a href="/"><img src="/folha.svg" alt="" width="32" height="32"> Loja</a> <a href="/carrinho">Carrinho ({no_carrinho})</a></header>
<main>{conteudo}</main>
</body>
</html>
"#
    )
}

/// Centavos como se escrevem no Brasil.
fn reais(centavos: i64) -> String {
    format!("R$ {},{:02}", centavos / 100, centavos % 100)
}

pub(crate) fn vitrine(produtos: &Page<Produto>, busca: &str, no_carrinho: i64) -> Html {
    let cartoes: Html = produtos.items.iter().map(cartao).collect();
    let nada = produtos.items.is_empty().then(|| html!("<p>Nada com esse nome.</p>"));
    let mais =
        produtos.next_cursor.as_deref().map(|cursor| html!(r#"<p><a href="/?busca={busca}&amp;cursor={cursor}">Mais plantas</a></p>"#));
    let formulario =
        html!(r#"<form><input name="busca" value="{busca}" placeholder="Que planta?" aria-label="Busca"><button>Buscar</button></form>"#);
    pagina("Plantas para casa", no_carrinho, html!("<h1>Plantas para casa</h1>{formulario}{nada}<ul>{cartoes}</ul>{mais}"))
}

fn cartao(produto: &Produto) -> Html {
    let preco = reais(produto.preco);
    html!(r#"<li><a href="/produtos/{produto.id}">{produto.nome}</a> <span>{preco}</span></li>"#)
}

pub(crate) fn produto(produto: &Produto, no_carrinho: i64) -> Html {
    let preco = reais(produto.preco);
    let comprar = if produto.estoque > 0 {
        html!(
            r#"<form method="post" action="/carrinho">
<input type="hidden" name="produto" value="{produto.id}">
<label>Quantas? <input type="number" name="quantidade" value="1" min="1" max="{produto.estoque}"></label>
<button>Pôr no carrinho</button>
</form>"#
        )
    } else {
        html!("<p>Esgotada.</p>")
    };
    let conteudo = html!(
        r#"<h1>{produto.nome}</h1><p>{produto.descricao}</p><p class="luz-{produto.luz}">{preco} · {produto.estoque} em estoque</p>{comprar}"#
    );
    pagina(&produto.nome, no_carrinho, conteudo)
}

pub(crate) fn carrinho(carrinho: &Carrinho, cliente: Option<String>) -> Result<Html> {
    let mut linhas = Vec::new();
    for item in &carrinho.itens {
        if let Some(produto) = estoque::produto(item.produto)? {
            let preco = reais(produto.preco * item.quantidade);
            linhas.push(html!(r#"<li>{item.quantidade} × <a href="/produtos/{produto.id}">{produto.nome}</a> <span>{preco}</span></li>"#));
        }
    }
    let quantos = carrinho.itens.iter().map(|item| item.quantidade).sum();
    let conteudo = if linhas.is_empty() {
        html!(r#"<h1>Carrinho</h1><p>Está vazio. <a href="/">Ver plantas</a></p>"#)
    } else {
        let total = reais(carrinho.total);
        let quem = match cliente {
            Some(nome) => html!("<p>Em nome de {nome}.</p>"),
            None => html!(
                r#"<form method="post" action="/entrar"><label>Seu nome <input name="nome" required></label><button>Entrar</button></form>"#
            ),
        };
        html!(
            r#"<h1>Carrinho</h1><ul>{linhas}</ul><p>Total: {total}</p>{quem}<form method="post" action="/carrinho/esvaziar"><button>Esvaziar</button></form>"#
        )
    };
    Ok(pagina("Carrinho", quantos, conteudo))
}

pub(crate) fn nao_encontrado() -> Html {
    pagina("Não encontrado", 0, html!(r#"<h1>Não está aqui</h1><p>Essa página murchou. <a href="/">Ver plantas</a></p>"#))
}
