//! NOME_DO_SITE: recados, para pessoas e para agentes.
#![cfg_attr(target_arch = "wasm32", no_std)]

#[djo::site(nome = "NOME_DO_SITE", about = "Recados, para pessoas e para agentes.")]
pub mod site {
    use djo::html;
    use djo::prelude::*;

    /// Um recado
    #[djo::data]
    pub struct Recado {
        pub id: i64,
        #[djo(min = 1, max = 60)]
        pub autor: String,
        #[djo(min = 1, max = 500)]
        pub texto: String,
    }

    const RECADOS: Collection<Recado> = Collection::new("recados");

    #[djo::screen("/")]
    fn inicio() -> Result<Html> {
        let recados: Html = RECADOS.list(List::default())?.into_values().iter().map(cartao).collect();
        Ok(html!(
            r#"<!doctype html>
<html lang="pt-BR">
<head><meta charset="utf-8"><title>NOME_DO_SITE</title><link rel="stylesheet" href="/estilo.css"></head>
<body><h1>NOME_DO_SITE</h1><ul>{recados}</ul></body>
</html>
"#
        ))
    }

    fn cartao(recado: &Recado) -> Html {
        html!("<li><strong>{recado.autor}</strong>: {recado.texto}</li>")
    }

    /// Os recados, uma página de cada vez
    #[djo::agent("/recados", tool = "listar_recados")]
    fn recados(ctx: &mut Context, #[djo(min = 1, max = 100, default = 20)] limite: u32) -> Result<Page<Recado>> {
        let cursor = ctx.cursor();
        Ok(RECADOS.list(List { limit: limite, cursor: cursor.as_deref(), ..List::default() })?.into())
    }

    /// Deixa um recado
    #[djo::action("/recados", effect = "write", example = {"autor": "Ana", "texto": "Oi!"})]
    fn deixar_recado(
        ctx: &mut Context,
        #[djo(min = 1, max = 60)] autor: String,
        #[djo(min = 1, max = 500)] texto: String,
    ) -> Result<Recado> {
        let recado = Recado { id: RECADOS.next_id()?, autor, texto };
        // Com zeros à frente, a ordem das chaves é a dos números.
        RECADOS.set(format!("{:09}", recado.id), &recado)?;
        ctx.set_status(201);
        Ok(recado)
    }
}

#[cfg(test)]
mod tests {
    use djo::testing::{get, post};

    use super::site::Site;

    #[test]
    fn um_recado_fica() {
        let reply = post("/recados", r#"{"autor":"Ana","texto":"Oi!"}"#).send::<Site>();
        assert_eq!((reply.status, reply.text().as_str()), (201, r#"{"id":1,"autor":"Ana","texto":"Oi!"}"#));
        assert_eq!(get("/recados?campos=autor").json().send::<Site>().text(), r#"[{"autor":"Ana"}]"#);
        assert_eq!(post("/recados", r#"{"autor":"Ana"}"#).send::<Site>().status, 422);
    }
}
