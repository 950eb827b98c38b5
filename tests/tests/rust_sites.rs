//! A site in Rust as its author has it: built by `djo-host build`, served from its folder and as a file alone, calling other servers.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{Request, Response},
    server::Server,
    workspace,
};
use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::Command,
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::Duration,
};

const SOURCE: &str = r##"//! A site that calls other servers.
#![cfg_attr(target_arch = "wasm32", no_std)]

#[djo::site(nome = "Chama", about = "Chama outros servidores.")]
pub mod chama {
    use core::time::Duration;

    use djo::prelude::*;

    /// Uma moeda
    #[djo::data]
    pub struct Moeda {
        pub nome: String,
        pub valor: f64,
    }

    /// Uma moeda de outro servidor
    #[djo::agent("/moeda")]
    fn moeda(#[djo(default = "")] url: String) -> Result<Moeda> {
        let reply = djo::http::get(url).header("X-Chave", "k").timeout(Duration::from_secs(5)).send()?;
        if reply.status == 404 {
            return Err(Error::not_found());
        }
        Ok(reply.json()?)
    }

    /// Avisa outro servidor
    #[djo::action("/avisar", effect = "write")]
    fn avisar(url: String, moeda: Moeda) -> Result<i64> {
        Ok(djo::http::post(url).json(&moeda).send()?.status.into())
    }

    /// O quadrado de um número, de uma tabela
    #[djo::agent("/quadrado")]
    fn quadrado(#[djo(default = 0)] de: i64) -> Result<i64> {
        let quadrado = usize::try_from(de).ok().and_then(|de| super::QUADRADOS.get(de)).copied();
        quadrado.map(i64::from).ok_or_else(Error::not_found)
    }

    /// Por que uma chamada não deu certo
    #[djo::agent("/motivo")]
    fn motivo(#[djo(default = "")] url: String) -> String {
        match djo::http::delete(url).send() {
            Ok(reply) => format!("{}", reply.status),
            Err(error) => format!("{error}"),
        }
    }
}

/// More data than the memory of most sites has room for.
static QUADRADOS: [u32; 65_000] = {
    let (mut squares, mut n) = ([0; 65_000], 0);
    while n < squares.len() {
        squares[n] = (n * n) as u32;
        n += 1;
    }
    squares
};

#[cfg(test)]
mod tests {
    #[test]
    fn a_test_plays_the_other_servers() {
        djo::testing::outbound(|call| {
            assert_eq!((call.method, call.url.as_str()), ("GET", "https://api.exemplo.com/"));
            Ok(djo::http::Reply { status: 200, body: br#"{"nome":"real","valor":1}"#.into(), ..Default::default() })
        });
        let reply = djo::testing::get("/moeda?url=https://api.exemplo.com/").json().send::<super::chama::Site>();
        assert_eq!((reply.status, reply.text().as_str()), (200, r#"{"nome":"real","valor":1}"#));
    }
}
"##;

/// Answers every call by its path, and tells what was asked.
fn upstream() -> (SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, asked) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that goes away early is no concern of this side.
            drop(answer(stream, &sender));
        }
    });
    (address, asked)
}

fn answer(mut stream: TcpStream, told: &Sender<String>) -> std::io::Result<()> {
    let (mut asked, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let read = stream.read(&mut buffer)?;
        asked.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&asked);
        let length = text.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next()?.parse::<usize>().ok()).unwrap_or(0);
        if read == 0 || text.split_once("\r\n\r\n").is_some_and(|(_, body)| body.len() >= length) {
            break;
        }
    }
    let asked = String::from_utf8_lossy(&asked).into_owned();
    let (status, body) = match asked.split(' ').nth(1).unwrap_or_default() {
        "/real" => ("200 OK", r#"{"nome":"real","valor":5.4,"novo":true}"#),
        "/torta" => ("200 OK", r#"{"nome":1}"#),
        "/avisos" => ("201 Created", ""),
        _ => ("404 Not Found", ""),
    };
    drop(told.send(asked));
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all((head + body).as_bytes())
}

fn djo_host(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(workspace::djo_host().unwrap())
        .current_dir(folder)
        .args(arguments)
        .env("LANG", "C.UTF-8")
        // What is built for the guest's target is built once for all tests.
        .env("CARGO_TARGET_DIR", workspace::root().join("target"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn get(server: &Server, path: &str) -> Response {
    server.send(&Request::get(path).header("Accept", "application/json")).unwrap()
}

#[test]
fn a_site_in_rust_calls_others_and_carries_what_its_folder_says() {
    let (folder, (address, asked)) = (tempfile::tempdir().unwrap(), upstream());
    let root = workspace::root();
    djo_host(folder.path(), &["new", "chama", "--template", "rust", "--sdk", &root.join("guest-sdk").to_string_lossy()]);
    let site = folder.path().join("chama");
    // Versions that are on this machine already.
    fs::copy(root.join("sites/loja/Cargo.lock"), site.join("Cargo.lock")).unwrap();
    fs::write(site.join("src/lib.rs"), SOURCE).unwrap();
    fs::create_dir_all(site.join("publico/estilos")).unwrap();
    fs::write(site.join("publico/estilos/a.css"), "p { color: green }").unwrap();
    let settings = "component = \"site.wasm\"\nhosts = [\"chama.test\"]\n[limits]\ntimeout_ms = 4000\n";
    fs::write(site.join("site.toml"), format!("{settings}[outbound]\nallow = [\"http://{address}\"]\n")).unwrap();
    djo_host(folder.path(), &["build", "chama"]);

    let server = Server::start(&[&site.to_string_lossy()], &[]).unwrap();
    let with = |path: &str, other: &str| get(&server, &format!("{path}?url=http://{address}{other}"));
    assert_eq!(with("/moeda", "/real").text(), r#"{"nome":"real","valor":5.4}"#, "{}", server.output());
    let first = asked.recv_timeout(Duration::from_secs(5)).unwrap();
    assert!(first.starts_with("GET /real HTTP/1.1\r\n") && first.contains("x-chave: k\r\n"), "{first}");
    assert_eq!(with("/moeda", "/nada").status, 404);
    assert_eq!(with("/moeda", "/torta").status, 500);
    assert!(server.logs("a resposta não é a esperada: nome: deve ser String, mas veio Int"), "{}", server.output());
    assert_eq!(with("/motivo", "/nada").text(), r#""404""#);
    assert_eq!(
        get(&server, "/motivo?url=http://127.0.0.1:1/").text(),
        r#""`http://127.0.0.1:1` não está em `[outbound] allow` no site.toml""#
    );
    assert_eq!(get(&server, "/quadrado?de=64999").text(), "4224870001", "a site may bring 260 KB of data");
    while asked.try_recv().is_ok() {}
    let body = format!(r#"{{"url":"http://{address}/avisos","moeda":{{"nome":"real","valor":1.5}}}}"#);
    assert_eq!(server.send(&Request::post_json("/avisar", &body)).unwrap().text(), "201");
    let posted = asked.recv_timeout(Duration::from_secs(5)).unwrap();
    assert!(posted.starts_with("POST /avisos ") && posted.contains("content-type: application/json\r\n"), "{posted}");
    assert!(posted.ends_with("\r\n\r\n{\"nome\":\"real\",\"valor\":1.5}"), "{posted}");

    // From the folder, a file is as it is now. From the component, as it was when it was built.
    fs::write(site.join("publico/estilos/a.css"), "p {}").unwrap();
    let server = Server::start(&[&site.to_string_lossy()], &[]).unwrap();
    assert_eq!(get(&server, "/estilos/a.css").text(), "p {}");
    fs::copy(site.join("site.wasm"), folder.path().join("sozinho.wasm")).unwrap();
    let inspected = djo_host(folder.path(), &["inspect", "sozinho.wasm"]);
    for part in ["/estilos/a.css", "chama.test", "timeout_ms = 4000", "djo:site/outbound"] {
        assert!(inspected.contains(part), "{part} is missing from {inspected}");
    }
    let alone = folder.path().join("sozinho.wasm").to_string_lossy().into_owned();
    let server = Server::start(&[&alone, "tests/sites/blog"], &[]).unwrap();
    let style = server.send(&Request::get("/estilos/a.css").header("Host", "chama.test")).unwrap();
    assert_eq!((style.status, style.text().as_str()), (200, "p { color: green }"));
    assert_eq!(style.header("content-type").as_deref(), Some("text/css; charset=utf-8"));
    let refused =
        server.send(&Request::get("/motivo?url=http://127.0.0.1:1/").header("Host", "chama.test").header("Accept", "application/json"));
    assert!(refused.unwrap().text().contains("não está em `[outbound] allow`"), "where it may call it cannot ask for");
}
