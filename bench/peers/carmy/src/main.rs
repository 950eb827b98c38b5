//! The peer for actions: one tool of carmy, native and without a sandbox, that answers as the benchmark's djo action does.

use carmy::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Recado {
    titulo: String,
    texto: String,
    numero: i64,
}

#[derive(Serialize, JsonSchema)]
struct Recibo {
    titulo: String,
    tamanho: usize,
    proximo: i64,
}

#[carmy::tool(description = "Recebe um recado", effect = "write")]
async fn receber(input: Recado) -> AgentResult<Recibo> {
    Ok(Recibo { tamanho: input.texto.chars().count(), titulo: input.titulo, proximo: input.numero + 1 })
}

#[tokio::main]
async fn main() {
    let address = std::env::args().nth(1).expect("usage: carmy-peer ADDRESS");
    let router = carmy::app().router().expect("router");
    let listener = tokio::net::TcpListener::bind(&address).await.expect("address");
    axum::serve(listener, router).await.expect("serve");
}
