//! O carrinho: itens na sessão de quem visita.

use djo::prelude::*;

use crate::estoque;
use crate::loja::{Carrinho, Item};

/// Produtos diferentes num carrinho.
const MAXIMO: usize = 20;

/// O que há nele, com o preço de agora. O que não existe mais fica de fora.
pub(crate) fn ler(ctx: &mut Context) -> Result<Carrinho> {
    let mut carrinho = Carrinho::default();
    for item in itens(ctx)? {
        if let Some(produto) = estoque::produto(item.produto)? {
            carrinho.total += produto.preco * item.quantidade;
            carrinho.itens.push(item);
        }
    }
    Ok(carrinho)
}

/// Quantas unidades há nele.
pub(crate) fn quantos(ctx: &mut Context) -> Result<i64> {
    Ok(itens(ctx)?.iter().map(|item| item.quantidade).sum())
}

/// Põe um item, ou mais unidades de um que já está.
pub(crate) fn por(ctx: &mut Context, novo: Item) -> Result<()> {
    if estoque::produto(novo.produto)?.is_none() {
        return Err(Error::not_found());
    }
    let mut itens = itens(ctx)?;
    let cheio = itens.len() == MAXIMO;
    match itens.iter_mut().find(|item| item.produto == novo.produto) {
        Some(item) => item.quantidade = (item.quantidade + novo.quantidade).min(99),
        None if cheio => return Err(Error::status(409, "o carrinho está cheio")),
        None => itens.push(novo),
    }
    ctx.session().set("carrinho", &itens)
}

fn itens(ctx: &mut Context) -> Result<Vec<Item>> {
    Ok(ctx.session().get("carrinho")?.unwrap_or_default())
}
