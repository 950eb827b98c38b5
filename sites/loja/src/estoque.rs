//! Os produtos e os pedidos, guardados.

use djo::prelude::*;
use djo::{StoreError, time};

use crate::loja::{Entrega, Item, Luz, Pedido, Produto};

const PRODUTOS: Collection<Produto> = Collection::new("produtos");
const SEMENTE: Collection<bool> = Collection::new("semente");
pub(crate) const PEDIDOS: Collection<Pedido> = Collection::new("pedidos");

/// As primeiras plantas: nome, descrição, preço em centavos, luz.
const PRIMEIRAS: [(&str, &str, i64, Luz); 8] = [
    ("Jiboia", "Cresce em qualquer canto e perdoa quem esquece de regar.", 3_490, Luz::Sombra),
    ("Espada-de-são-jorge", "Pede pouca água e nenhuma conversa.", 4_900, Luz::MeiaSombra),
    ("Costela-de-adão", "Folhas grandes, recortadas como costelas.", 12_900, Luz::MeiaSombra),
    ("Lírio-da-paz", "Flores brancas o ano todo.", 5_990, Luz::Sombra),
    ("Manjericão", "Para o molho de hoje.", 1_250, Luz::Sol),
    ("Suculenta sortida", "Uma surpresa em vaso de barro.", 1_890, Luz::Sol),
    ("Samambaia", "Cai do vaso como cabelo.", 6_500, Luz::MeiaSombra),
    ("Zamioculca", "Brilha mesmo sem sol.", 8_900, Luz::Sombra),
];

/// A chave de um produto: com zeros à frente, a ordem dos bytes é a dos números.
fn chave(id: i64) -> String {
    format!("{id:06}")
}

/// Na primeira visita a loja enche as prateleiras.
fn semear() -> Result<()> {
    if SEMENTE.get("feita")?.is_some() {
        return Ok(());
    }
    for (id, (nome, descricao, preco, luz)) in (1..).zip(PRIMEIRAS) {
        let produto = Produto { id, nome: nome.into(), descricao: descricao.into(), preco, luz, estoque: 5, custo: preco / 2 };
        PRODUTOS.set(chave(id), &produto)?;
    }
    Ok(SEMENTE.set("feita", &true)?)
}

/// Uma página de produtos cujo nome contém a busca.
pub(crate) fn pagina(busca: &str, limite: u32, cursor: Option<&str>) -> Result<Page<Produto>> {
    semear()?;
    if busca.is_empty() {
        let itens = PRODUTOS.list(List { limit: limite, cursor, ..List::default() })?;
        return Ok(Page::from(itens).of(PRODUTOS.count()?));
    }
    let busca = busca.to_lowercase();
    let todos = PRODUTOS.list(List { limit: 1000, cursor, ..List::default() })?.into_values();
    let mut achados: Vec<Produto> = todos.into_iter().filter(|produto| produto.nome.to_lowercase().contains(&busca)).collect();
    let mais = achados.len() > limite as usize;
    achados.truncate(limite as usize);
    let next_cursor = if mais { achados.last().map(|produto| chave(produto.id)) } else { None };
    Ok(Page { next_cursor, ..Page::whole(achados) })
}

pub(crate) fn produto(id: i64) -> Result<Option<Produto>> {
    semear()?;
    Ok(PRODUTOS.get(chave(id))?)
}

/// Tira os itens do estoque, um por um; o que já saiu volta quando um não dá.
pub(crate) fn vender(ctx: &Context, cliente: String, itens: Vec<Item>, entrega: Entrega) -> Result<Pedido> {
    let mut total = 0;
    for (feitos, item) in itens.iter().enumerate() {
        ctx.progress(feitos as f64, Some(itens.len() as f64), None);
        match tirar(item) {
            Ok(preco) => total += preco * item.quantidade,
            Err(error) => {
                for item in &itens[..feitos] {
                    repor(item.produto, item.quantidade)?;
                }
                return Err(error);
            }
        }
    }
    let pedido = Pedido { codigo: djo::random::token(), cliente, itens, total, entrega, quando: time::now() };
    PEDIDOS.set(&pedido.codigo, &pedido)?;
    djo::info!("pedido {} de {} centavos", pedido.codigo, pedido.total);
    Ok(pedido)
}

/// Tira um item; responde o preço.
fn tirar(item: &Item) -> Result<i64> {
    semear()?;
    let mut preco = 0;
    PRODUTOS.update(chave(item.produto), |produto| {
        let Some(mut produto) = produto else {
            let message = format!("o produto {} não existe", item.produto);
            return Err(Error::refuse(Refusal::InvalidCall, message).and(Directive::CorrectCall));
        };
        if produto.estoque < item.quantidade {
            let message = format!("só há {} de {}", produto.estoque, produto.nome);
            return Err(Error::refuse(Refusal::DomainRejection, message).and(Directive::Replan));
        }
        produto.estoque -= item.quantidade;
        preco = produto.preco;
        Ok(Some(produto))
    })?;
    Ok(preco)
}

pub(crate) fn repor(id: i64, quantidade: i64) -> Result<Option<Produto>> {
    semear()?;
    let mut reposto = None;
    PRODUTOS.update(chave(id), |produto| {
        reposto = produto.map(|produto| Produto { estoque: produto.estoque + quantidade, ..produto });
        Ok::<_, StoreError>(reposto.clone())
    })?;
    Ok(reposto)
}
