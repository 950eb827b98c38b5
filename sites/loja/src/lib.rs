//! Uma pequena loja de plantas: o contrato (tipos e rotas) está no módulo `loja`; o que ela faz, nos outros.
#![cfg_attr(target_arch = "wasm32", no_std)]

mod carrinho;
mod estoque;
mod paginas;
#[cfg(test)]
mod tests;

#[djo::site(nome = "Loja", about = "Plantas para casa, entregues ou para retirar.")]
pub mod loja {
    use djo::prelude::*;

    use crate::{carrinho, estoque, paginas};

    /// Uma planta à venda
    #[djo::data]
    #[derive(Clone, Debug)]
    pub struct Produto {
        pub id: i64,
        #[djo(min = 1, max = 80)]
        pub nome: String,
        #[djo(default = "")]
        pub descricao: String,
        /// Em centavos
        #[djo(min = 0)]
        pub preco: i64,
        #[djo(default = "sombra")]
        pub luz: Luz,
        /// Quantas há
        #[djo(min = 0, default = 0)]
        pub estoque: i64,
        /// Em centavos; ninguém de fora vê
        #[djo(nocall, default = 0)]
        pub custo: i64,
    }

    /// Quanto sol a planta quer
    #[djo::data]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Luz {
        Sombra,
        MeiaSombra,
        Sol,
    }

    /// Um produto, tantas vezes
    #[djo::data]
    #[derive(Clone, Debug, PartialEq)]
    pub struct Item {
        pub produto: i64,
        #[djo(min = 1, max = 99, default = 1)]
        pub quantidade: i64,
    }

    /// O que alguém quer levar
    #[djo::data]
    #[derive(Clone, Debug, Default)]
    pub struct Carrinho {
        pub itens: Vec<Item>,
        /// Em centavos
        pub total: i64,
    }

    /// Como o pedido chega
    #[djo::data]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Entrega {
        Retirada,
        Correio,
    }

    /// Um pedido feito
    #[djo::data]
    #[derive(Clone, Debug)]
    pub struct Pedido {
        /// Com ele se consulta o pedido
        pub codigo: String,
        pub cliente: String,
        pub itens: Vec<Item>,
        /// Em centavos
        pub total: i64,
        pub entrega: Entrega,
        /// Milissegundos desde 1970
        pub quando: i64,
    }

    #[djo::screen("/")]
    fn inicio(ctx: &mut Context, busca: Option<String>) -> Result<Html> {
        let busca = busca.unwrap_or_default();
        let pagina = estoque::pagina(&busca, 6, ctx.cursor().as_deref())?;
        Ok(paginas::vitrine(&pagina, &busca, carrinho::quantos(ctx)?))
    }

    /// As plantas à venda, uma página de cada vez
    #[djo::agent("/produtos", cache = 10, tool = "listar_produtos")]
    fn produtos(
        ctx: &mut Context,
        #[djo(max = 80)] busca: Option<String>,
        #[djo(min = 1, max = 50, default = 20)] limite: u32,
    ) -> Result<Page<Produto>> {
        let cursor = ctx.query("cursor");
        estoque::pagina(&busca.unwrap_or_default(), limite, cursor.as_deref())
    }

    /// Uma planta
    #[djo::agent("/produtos/{id}", tool = "ver_produto")]
    fn produto(id: i64) -> Result<Option<Produto>> {
        estoque::produto(id)
    }

    #[djo::screen("/produtos/{id}")]
    fn pagina_do_produto(ctx: &mut Context, id: i64) -> Result<Option<Html>> {
        let Some(produto) = estoque::produto(id)? else { return Ok(None) };
        Ok(Some(paginas::produto(&produto, carrinho::quantos(ctx)?)))
    }

    #[djo::screen("/carrinho")]
    fn pagina_do_carrinho(ctx: &mut Context) -> Result<Html> {
        let carrinho = carrinho::ler(ctx)?;
        let cliente = ctx.session().get("cliente")?;
        paginas::carrinho(&carrinho, cliente)
    }

    /// O que está no carrinho desta sessão
    #[djo::agent("/carrinho", tool = "ver_carrinho")]
    fn ver_carrinho(ctx: &mut Context) -> Result<Carrinho> {
        carrinho::ler(ctx)
    }

    #[djo::screen("/carrinho", method = "POST")]
    fn por_no_carrinho(ctx: &mut Context) -> Result<Redirect> {
        let numero = |campo: Option<String>| campo.and_then(|texto| texto.parse::<i64>().ok());
        let produto = numero(ctx.form("produto")).ok_or_else(|| Error::status(400, "falta o produto"))?;
        let quantidade = numero(ctx.form("quantidade")).unwrap_or(1).clamp(1, 99);
        carrinho::por(ctx, Item { produto, quantidade })?;
        Ok(Redirect::to("/carrinho"))
    }

    #[djo::screen("/carrinho/esvaziar", method = "POST")]
    fn esvaziar(ctx: &mut Context) -> Result<Redirect> {
        ctx.session().remove("carrinho")?;
        Ok(Redirect::to("/carrinho"))
    }

    #[djo::screen("/entrar", method = "POST")]
    fn entrar(ctx: &mut Context) -> Result<Redirect> {
        let nome = ctx.form("nome").filter(|nome| !nome.trim().is_empty()).ok_or_else(|| Error::status(400, "falta o nome"))?;
        ctx.session().set("cliente", &nome)?;
        ctx.session().renew()?;
        Ok(Redirect::to("/carrinho"))
    }

    /// Faz um pedido: tira os itens do estoque e devolve o código com que se consulta
    #[djo::action("/pedidos", effect = "write", example = {"cliente": "Ana", "itens": [{"produto": 1, "quantidade": 2}]})]
    fn criar_pedido(
        ctx: &mut Context,
        #[djo(min = 1, max = 80)] cliente: String,
        /// O que levar
        #[djo(min = 1, max = 20)]
        itens: Vec<Item>,
        #[djo(default = "retirada")] entrega: Entrega,
    ) -> Result<Pedido> {
        ctx.set_status(201);
        estoque::vender(ctx, cliente, itens, entrega)
    }

    /// Faz um pedido do que está no carrinho, em nome de quem entrou
    #[djo::action("/carrinho/fechar", effect = "write")]
    fn fechar_carrinho(
        ctx: &mut Context,
        #[djo(inject = "session.cliente")] cliente: String,
        #[djo(default = "retirada")] entrega: Entrega,
    ) -> Result<Pedido> {
        let itens = carrinho::ler(ctx)?.itens;
        if itens.is_empty() {
            return Err(Error::status(409, "o carrinho está vazio"));
        }
        let pedido = estoque::vender(ctx, cliente, itens, entrega)?;
        ctx.session().remove("carrinho")?;
        Ok(pedido)
    }

    /// Um pedido, por seu código
    #[djo::agent("/pedidos/{codigo}", tool = "ver_pedido")]
    fn pedido(codigo: String) -> Result<Option<Pedido>> {
        Ok(estoque::PEDIDOS.get(codigo)?)
    }

    /// Põe mais unidades de uma planta no estoque
    #[djo::action("/produtos/{id}/estoque", effect = "write", confirmation = "required")]
    fn repor(id: i64, #[djo(min = 1, max = 1000)] quantidade: i64) -> Result<Option<Produto>> {
        estoque::repor(id, quantidade)
    }

    #[djo::error_page(404)]
    fn nao_encontrado() -> Html {
        paginas::nao_encontrado()
    }
}
