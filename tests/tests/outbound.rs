//! Calls of a site to other servers, through the real binary: where they may go, what comes back, and how they end.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{client::Request, server::Server, upstream};
use std::{
    fs,
    io::Write,
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// A server that misbehaves as its paths say.
struct Upstream {
    address: SocketAddr,
    hits: Arc<AtomicUsize>,
}

impl Upstream {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, hits) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&hits);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::Relaxed);
                // A client that went away is what some tests are about.
                thread::spawn(move || answer(stream));
            }
        });
        Self { address, hits }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let Some(asked) = upstream::head(&mut stream)? else { return Ok(()) };
    let asked = String::from_utf8_lossy(&asked).into_owned();
    let path = asked.split(' ').nth(1).unwrap_or_default();
    let found = |kind: &str, body: &str| {
        format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
    };
    let moved = |to: &str| format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let response = match path {
        "/eco" => found("text/plain", &asked),
        "/json" => found("application/json", r#"{"n":1}"#),
        "/lento" => {
            thread::sleep(Duration::from_secs(2));
            found("text/plain", "tarde")
        }
        "/nunca" => {
            thread::sleep(Duration::from_secs(60));
            found("text/plain", "nunca")
        }
        "/gira" => moved("/gira"),
        "/vai" => moved("/json"),
        "/metadados" => moved("http://169.254.169.254/latest/meta-data/"),
        "/outra-porta" => moved("http://127.0.0.1:9/"),
        "/arquivo" => moved("file:///etc/passwd"),
        "/cortada" => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc".into(),
        "/lixo" => "isto não é HTTP\r\n\r\n".into(),
        "/cabecalhos" => format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(1 << 20)),
        "/sem-fim" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
            loop {
                stream.write_all(&[b'x'; 65536])?;
            }
        }
        _ => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into(),
    };
    stream.write_all(response.as_bytes())
}

const ROUTES: &str = r#"Route.get:"/get":{"agent": "get.djo", "query": {"url": "String", "ms": "Int"}}
Route.get:"/muitas":{"agent": "muitas.djo", "query": {"url": "String"}}
Route.get:"/cabecalho":{"agent": "cabecalho.djo", "query": {"nome": "String"}}
Route.get:"/guardada":{"agent": "guardada.djo", "cache": 60}
"#;

const GET: &str = r#"try
    r = Http.get:(Http.query:"url"):{"timeout_ms": (Http.query:"ms"), "headers": {"x-chave": "k"}}
    Http.json:{"status": r.status, "corpo": r.body, "json": r.json}
catch e
    Http.json:{"tipo": e.tipo, "erro": e.mensagem}
"#;

const MANY: &str = r#"feitas = 0
try
    while feitas < 100
        r = Http.get:(Http.query:"url")
        feitas = feitas + 1
catch e
    Http.json:{"feitas": feitas, "erro": e.mensagem}
"#;

/// A site that may call the upstream and nobody else.
fn site(folder: &Path, upstream: &Upstream, limits: &str) -> String {
    let site = folder.join("chama");
    fs::create_dir_all(&site).unwrap();
    let header = r#"try
    r = Http.get:"URL":{"headers": {(Http.query:"nome"): "x"}}
    Http.json:r.status
catch e
    Http.json:e.mensagem
"#
    .replace("URL", &upstream.url("/json"));
    let kept = format!("Http.json:(Http.get:\"{}\").json\n", upstream.url("/json"));
    let toml = format!("[outbound]\nallow = [\"{}\"]\n[limits]\n{limits}\n", upstream.url(""));
    for (name, text) in [
        ("rotas.djo", ROUTES),
        ("get.djo", GET),
        ("muitas.djo", MANY),
        ("cabecalho.djo", &header),
        ("guardada.djo", &kept),
        ("site.toml", &toml),
    ] {
        fs::write(site.join(name), text).unwrap();
    }
    site.to_string_lossy().into_owned()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// What the site says of a call.
fn get(server: &Server, url: &str) -> String {
    get_within(server, url, 9_000)
}

fn get_within(server: &Server, url: &str, ms: u32) -> String {
    let response = server.send(&Request::get(&format!("/get?ms={ms}&url={}", encoded(url))).header("Accept", "application/json")).unwrap();
    assert_eq!(response.status, 200, "{url}: {}", response.text());
    response.text()
}

fn refused(message: &str) -> String {
    format!(r#"{{"tipo":"http","erro":"Http.get: {message}"}}"#)
}

#[test]
fn a_site_calls_whom_its_owner_named_and_nobody_else() {
    let (folder, upstream) = (tempfile::tempdir().unwrap(), Upstream::start());
    let server = Server::start(&[&site(folder.path(), &upstream, "")], &[]).unwrap();
    assert_eq!(get(&server, &upstream.url("/json")), r#"{"status":200,"corpo":"{\"n\":1}","json":{"n":1}}"#);
    assert_eq!(get(&server, &upstream.url("/vai")), r#"{"status":200,"corpo":"{\"n\":1}","json":{"n":1}}"#);
    assert_eq!(get(&server, &upstream.url("/nada")), r#"{"status":404,"corpo":"","json":null}"#);
    let echo = get(&server, &upstream.url("/eco"));
    for line in [&format!("host: {}", upstream.address), "accept-encoding: identity", "user-agent: djo-host/", "x-chave: k"] {
        assert!(echo.contains(line), "{line}: {echo}");
    }
    let hits = upstream.hits.load(Ordering::Relaxed);
    let port = upstream.address.port();
    for host in ["localhost", "[::1]", "[::ffff:127.0.0.1]", "127.0.0.2", "10.0.0.1", "169.254.169.254", "exemplo.com"] {
        let origin = format!("http://{host}:{port}");
        assert_eq!(get(&server, &format!("{origin}/")), refused(&format!("`{origin}` não está em `[outbound] allow` no site.toml")));
    }
    assert_eq!(
        get(&server, &format!("https://127.0.0.1:{port}/")),
        refused(&format!("`https://127.0.0.1:{port}` não está em `[outbound] allow` no site.toml"))
    );
    for odd in ["127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1"] {
        let message = refused("um endereço IP se escreve com quatro números decimais, ou como IPv6 entre colchetes");
        assert_eq!(get(&server, &format!("http://{odd}:{port}/")), message, "{odd}");
    }
    let message = refused("o endereço não pode levar usuário nem senha: use o cabeçalho `authorization`");
    assert_eq!(get(&server, &format!("http://127.0.0.1:{port}@exemplo.com/")), message);
    assert_eq!(get(&server, "file:///etc/passwd"), refused("o endereço deve começar com `https://` ou `http://`"));
    assert_eq!(upstream.hits.load(Ordering::Relaxed), hits, "nothing refused was called");
}

#[test]
fn a_redirect_goes_the_whole_way_again() {
    let (folder, upstream) = (tempfile::tempdir().unwrap(), Upstream::start());
    let server = Server::start(&[&site(folder.path(), &upstream, "")], &[]).unwrap();
    let not_allowed = |origin: &str| refused(&format!("`{origin}` não está em `[outbound] allow` no site.toml"));
    assert_eq!(get(&server, &upstream.url("/metadados")), not_allowed("http://169.254.169.254"));
    assert_eq!(get(&server, &upstream.url("/outra-porta")), not_allowed("http://127.0.0.1:9"));
    assert_eq!(get(&server, &upstream.url("/arquivo")), refused("o endereço deve começar com `https://` ou `http://`"));
    assert_eq!(get(&server, &upstream.url("/gira")), refused("mais de 5 redirecionamentos"));
}

/// `site.toml` may name any address, and still nobody gets at the credentials of the machine.
#[test]
fn metadata_services_are_out_of_reach_even_where_they_are_named() {
    let (folder, upstream) = (tempfile::tempdir().unwrap(), Upstream::start());
    let path = site(folder.path(), &upstream, "");
    fs::write(Path::new(&path).join("site.toml"), "[outbound]\nallow = [\"http://169.254.169.254\", \"http://[fd00:ec2::254]\"]\n")
        .unwrap();
    let server = Server::start(&[&path], &[]).unwrap();
    for host in ["169.254.169.254", "[fd00:ec2::254]"] {
        let bare = host.trim_matches(['[', ']']);
        assert_eq!(
            get(&server, &format!("http://{host}/")),
            refused(&format!("o host {bare} leva a um endereço que o site não pode chamar"))
        );
    }
    assert!(server.logs("an outbound call is refused"), "{}", server.output());
}

#[test]
fn servers_that_misbehave_end_in_an_error_that_can_be_caught() {
    let (folder, upstream) = (tempfile::tempdir().unwrap(), Upstream::start());
    let server = Server::start(&[&site(folder.path(), &upstream, "max_response = \"1MiB\"\ncpu_ms = 500")], &[]).unwrap();
    let host = upstream.address;
    let start = Instant::now();
    assert_eq!(get_within(&server, &upstream.url("/nunca"), 300), refused(&format!("{host} não respondeu em 300 ms")));
    assert!(start.elapsed() < Duration::from_secs(20), "waited for the slow server: {:?}", start.elapsed());
    assert_eq!(get(&server, &upstream.url("/sem-fim")), refused(&format!("a resposta de {host} passa de 1048576 bytes")));
    for broken in ["/cortada", "/lixo", "/cabecalhos"] {
        assert_eq!(get(&server, &upstream.url(broken)), refused(&format!("a resposta de {host} veio quebrada")), "{broken}");
    }
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    fs::write(folder.path().join("chama/site.toml"), format!("[outbound]\nallow = [\"http://{closed}\"]\n")).unwrap();
    let server = Server::start(&[&folder.path().join("chama").to_string_lossy()], &[]).unwrap();
    assert_eq!(get(&server, &format!("http://{closed}/")), refused(&format!("não foi possível conectar a {closed}")));
}

#[test]
fn calls_are_counted_and_waiting_is_not_computing() {
    let (folder, upstream) = (tempfile::tempdir().unwrap(), Upstream::start());
    let server = Server::start(&[&site(folder.path(), &upstream, "outbound_calls = 3\ncpu_ms = 1000")], &[]).unwrap();
    let many = |path: &str| {
        let url = encoded(&upstream.url(path));
        server.send(&Request::get(&format!("/muitas?url={url}")).header("Accept", "application/json")).unwrap().text()
    };
    let spent = r#""erro":"Http.get: o pedido já fez as 3 chamadas que pode fazer (`outbound_calls`)"}"#;
    assert_eq!(many("/json"), format!(r#"{{"feitas":3,{spent}"#));
    assert_eq!(many("/vai"), format!(r#"{{"feitas":1,{spent}"#), "a redirect that is followed is a call");
    // Three calls of two seconds each in a run that may compute for one.
    assert_eq!(many("/lento"), format!(r#"{{"feitas":3,{spent}"#));
}

#[test]
fn headers_of_the_connection_are_not_the_sites() {
    let (folder, upstream) = (tempfile::tempdir().unwrap(), Upstream::start());
    let server = Server::start(&[&site(folder.path(), &upstream, "")], &[]).unwrap();
    let with = |name: &str| {
        let path = format!("/cabecalho?nome={}", encoded(name));
        server.send(&Request::get(&path).header("Accept", "application/json")).unwrap().text()
    };
    assert_eq!(with("x-meu"), "200");
    assert_eq!(with("Host"), r#""Http.get: o cabeçalho host é do servidor""#);
    assert_eq!(with("transfer-encoding"), r#""Http.get: o cabeçalho transfer-encoding é do servidor""#);
    assert_eq!(with("x\r\ny"), r#""Http.get: o nome do cabeçalho só pode ter letras, dígitos e hífens""#);
}

/// What another server said is nobody's own: a route that asks to be kept is kept.
#[test]
fn an_answer_made_of_anothers_may_be_kept() {
    let (folder, upstream) = (tempfile::tempdir().unwrap(), Upstream::start());
    let server = Server::start(&[&site(folder.path(), &upstream, "")], &[]).unwrap();
    for _ in 0..5 {
        let response = server.send(&Request::get("/guardada").header("Accept", "application/json")).unwrap();
        assert_eq!((response.status, response.text().as_str()), (200, r#"{"n":1}"#));
    }
    assert_eq!(upstream.hits.load(Ordering::Relaxed), 1);
}
