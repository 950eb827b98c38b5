//! `djo-host serve` as a process: many sites, broken ones, signals, restarts, logs, and clients that misbehave.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request, Response},
    server::{Server, free_address},
    workspace,
};
use std::{
    fs,
    io::{Read, Write},
    net::SocketAddr,
    path::Path,
    thread,
    time::{Duration, Instant},
};

const BLOG: &str = "tests/sites/blog";
const LAB: &str = "tests/sites/laboratorio";

fn agent(path: &str) -> Request {
    Request::get(path).header("Accept", "application/json")
}

fn to_host(path: &str, host: &str) -> Request {
    agent(path).header("Host", host)
}

/// A folder with a good site `bom` and a broken one `ruim`.
fn good_beside_broken() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("bom");
    fs::create_dir_all(good.join("agentes")).unwrap();
    fs::write(good.join("rotas.djo"), "Route.get:\"/vivo\":{\"agent\": \"agentes/vivo.djo\"}\n").unwrap();
    fs::write(good.join("agentes/vivo.djo"), "Http.json:\"sim\"\n").unwrap();
    let broken = folder.path().join("ruim");
    fs::create_dir_all(broken.join("core")).unwrap();
    fs::write(broken.join("rotas.djo"), "Route.get:\"/\":\"paginas/nao_existe.djo.html\"\n").unwrap();
    fs::write(broken.join("core/a.djo"), "f ok\n    return 1\n\nf quebrada\n    return naoexiste\n").unwrap();
    folder
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn sites_are_found_by_name() {
    let server = Server::start(&[BLOG, LAB], &[]).unwrap();
    let status = |host: &str| server.send(&to_host("/so-agente", host)).unwrap().status;
    assert_eq!(status("laboratorio.localhost"), 200);
    assert_eq!(status("LABORATORIO.localhost:8080"), 200);
    assert_eq!(status("lab.exemplo.test"), 200);
    assert_eq!(status("blog.localhost"), 404, "the blog has no such route");
    for unmatched in ["localhost", "127.0.0.1:80", "[::1]", "outro.localhost", "laboratorio.localhost.mal.test"] {
        let response = server.send(&to_host("/so-agente", unmatched)).unwrap();
        assert_eq!((response.status, response.text().as_str()), (404, r#"{"erro":"site não encontrado"}"#), "{unmatched}");
    }
}

#[test]
fn the_default_site_takes_what_matches_none() {
    let server = Server::start(&[BLOG, LAB], &["--default", "laboratorio"]).unwrap();
    assert_eq!(server.send(&to_host("/so-agente", "127.0.0.1")).unwrap().status, 200);
    assert_eq!(server.send(&to_host("/so-agente", "qualquer.test")).unwrap().status, 200);
    assert_eq!(server.send(&to_host("/so-agente", "blog.localhost")).unwrap().status, 404);
}

#[test]
fn sites_do_not_share_their_data() {
    let server = Server::start(&[BLOG, LAB], &[]).unwrap();
    let enter = Request::post_json("/entrar", r#"{"nome":"Bia"}"#).header("Host", "blog.localhost");
    let cookie = server.send(&enter).unwrap().header("set-cookie").unwrap();
    let asked = to_host("/sessao", "laboratorio.localhost").header("Cookie", &cookie);
    assert_eq!(server.send(&asked).unwrap().text(), r#"{"nome":null}"#);
}

#[test]
fn a_broken_site_does_not_stop_the_others() {
    let folder = good_beside_broken();
    let server = Server::start(&[&path_text(folder.path()), LAB], &[]).unwrap();
    assert_eq!(server.send(&to_host("/vivo", "bom.localhost")).unwrap().text(), "\"sim\"");
    assert_eq!(server.send(&to_host("/vivo", "ruim.localhost")).unwrap().text(), r#"{"erro":"site não encontrado"}"#);
    let output = server.output();
    for place in ["core/a.djo:5:", "rotas.djo:1:", "nao_existe"] {
        assert!(output.contains(place), "{place} is missing from:\n{output}");
    }
}

#[test]
fn the_only_site_may_be_broken_at_the_start_and_its_author_sees_why_at_every_address() {
    let folder = good_beside_broken();
    let site = folder.path().join("ruim");
    let admin = free_address().unwrap();
    let in_dev = Server::start(&[&path_text(&site)], &["--dev"]).unwrap();
    let server = Server::start(&[&path_text(&site)], &["--admin", &admin.to_string()]).unwrap();
    let page = |path: &str, host: &str| Request::get(path).header("Accept", "text/html").header("Host", host);
    for request in [page("/", "127.0.0.1"), page("/qualquer?a=1", "ruim.localhost"), Request::post_json("/x", "{}")] {
        let seen = in_dev.send(&request).unwrap();
        assert_eq!(seen.status, 500);
        assert!(seen.text().contains("core/a.djo:5:") && seen.text().contains("rotas.djo:1:"), "{}", seen.text());
        assert_eq!(seen.header("cache-control").as_deref(), Some("no-store"));
        let hidden = server.send(&request).unwrap();
        assert!(hidden.status == 404 && !hidden.text().contains("djo:"), "{}", hidden.text());
    }
    let told = in_dev.send(&agent("/")).unwrap().text();
    assert!(told.starts_with(r#"{"erro":"o site não pode ser servido como está","detalhe":"#), "{told}");
    let metric = |name: &str| {
        let text = client::send(admin, &Request::get("/metrics")).unwrap().text();
        text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok()).unwrap()
    };
    assert_eq!((metric("djo_sites "), metric("djo_sites_left_out ")), (0, 1));
    fs::write(site.join("core/a.djo"), "").unwrap();
    fs::write(site.join("vivo.djo"), "Http.json:\"sim\"\n").unwrap();
    fs::write(site.join("rotas.djo"), "Route.get:\"/\":{\"agent\": \"vivo.djo\"}\n").unwrap();
    let start = Instant::now();
    for server in [&in_dev, &server] {
        while server.send(&agent("/")).unwrap().text() != "\"sim\"" {
            assert!(start.elapsed() < Duration::from_secs(8), "{}", server.output());
            thread::sleep(Duration::from_millis(20));
        }
    }
    assert_eq!((metric("djo_sites "), metric("djo_sites_left_out "), metric("djo_log_lines_unread_total ")), (1, 0, 0));
}

#[test]
fn where_there_is_no_site_at_all_nothing_starts() {
    let folder = tempfile::tempdir().unwrap();
    let refused = Server::start(&[&path_text(folder.path())], &["--dev"]).unwrap_err();
    assert!(refused.contains("exit status: 1") && refused.contains("no site"), "{refused}");
}

#[test]
fn strict_refuses_to_start_beside_a_broken_site() {
    let folder = good_beside_broken();
    let refused = Server::start(&[&path_text(folder.path())], &["--strict"]).unwrap_err();
    assert!(refused.contains("exit status: 1"), "{refused}");
    assert!(refused.contains("core/a.djo"), "{refused}");
}

#[test]
fn what_is_no_file_of_a_site_is_told_and_holds_up_nobody() {
    use std::os::unix::fs::symlink;
    let folder = good_beside_broken();
    let at = |path: &str| folder.path().join(path);
    for site in ["cano", "zero", "fechado"] {
        fs::create_dir(at(site)).unwrap();
    }
    assert!(std::process::Command::new("mkfifo").arg(at("cano/site.toml")).status().unwrap().success());
    symlink("/dev/zero", at("zero/site.toml")).unwrap();
    symlink("/dev/zero", at("sem-fim.wasm")).unwrap();
    // To look at it fails, as it does in a folder that is closed to the host; a test may run as one to whom none is.
    symlink("rotas.djo", at("fechado/rotas.djo")).unwrap();
    let mut server = Server::start(&[&path_text(folder.path())], &[]).unwrap();
    assert_eq!(server.send(&to_host("/vivo", "bom.localhost")).unwrap().text(), "\"sim\"");
    let output = server.output();
    for site in ["cano", "zero", "sem-fim", "fechado"] {
        assert!(output.contains(&format!("{site}: left out")), "{site} is missing from:\n{output}");
    }
    assert!(server.terminate().unwrap().success());
    let refused = Server::start(&[&path_text(folder.path())], &["--strict"]).unwrap_err();
    assert!(refused.contains("exit status: 1") && refused.contains("fechado"), "{refused}");
}

/// Writes a site that answers `/quem` with its name, and has these hosts.
fn write_named(sites: &Path, name: &str, hosts: &str) {
    let site = sites.join(name);
    fs::create_dir_all(site.join("agentes")).unwrap();
    fs::write(site.join("rotas.djo"), "Route.get:\"/quem\":{\"agent\": \"agentes/quem.djo\"}\n").unwrap();
    fs::write(site.join("agentes/quem.djo"), format!("Http.json:\"{name}\"\n")).unwrap();
    fs::write(site.join("site.toml"), format!("hosts = [{hosts}]\n")).unwrap();
}

#[test]
fn a_host_stays_with_who_served_it_when_the_host_starts_anew() {
    let folder = tempfile::tempdir().unwrap();
    write_named(folder.path(), "zbanco", "\"banco.test\"");
    let sites = path_text(folder.path());
    let mut server = Server::start(&[&sites], &[]).unwrap();
    let who = |server: &Server| server.send(&to_host("/quem", "banco.test")).unwrap().text();
    assert_eq!(who(&server), "\"zbanco\"");
    write_named(folder.path(), "aaa", "\"banco.test\"");
    for _ in 0..2 {
        server.restart(&[&sites], &[]).unwrap();
        assert_eq!(who(&server), "\"zbanco\"");
    }
    assert!(server.output().contains("the host `banco.test` belongs to the site `zbanco`"), "{}", server.output());
    // Gone for a moment, as in a deployment, it loses nothing.
    fs::rename(folder.path().join("zbanco"), folder.path().join(".zbanco")).unwrap();
    write_named(folder.path(), "calmo", "");
    server.restart(&[&sites], &[]).unwrap();
    assert!(who(&server).contains("erro"));
    fs::rename(folder.path().join(".zbanco"), folder.path().join("zbanco")).unwrap();
    server.restart(&[&sites], &[]).unwrap();
    assert_eq!(who(&server), "\"zbanco\"");
    write_named(folder.path(), "zbanco", "");
    server.restart(&[&sites], &[]).unwrap();
    assert_eq!(who(&server), "\"aaa\"", "what a site gives up is free at once");
}

#[test]
fn a_slow_sender_of_too_much_sees_the_answer() {
    let server = Server::start(&[LAB], &[]).unwrap();
    let request = Request::post_json("/agir/eco", "").header("Content-Length", &(1024 * 1024).to_string());
    let mut stream = client::connect(server.address()).unwrap();
    stream.write_all(request.head(server.address()).as_bytes()).unwrap();
    for _ in 0..16 {
        stream.write_all(&[b'a'; 64 * 1024]).unwrap();
        thread::sleep(Duration::from_millis(20));
    }
    let response = client::read_response(&mut stream, "POST").unwrap();
    assert_eq!((response.status, response.text().as_str()), (413, r#"{"erro":"corpo grande demais"}"#));
}

#[test]
fn too_much_without_a_length_is_refused_too() {
    let server = Server::start(&[LAB], &[]).unwrap();
    let request = Request { body: None, ..Request::post_json("/agir/eco", "") };
    let request = Request {
        headers: [request.headers, vec![("Transfer-Encoding".into(), "chunked".into()), ("Content-Length".into(), String::new())]].concat(),
        ..request
    };
    let head = request.head(server.address()).replace("Content-Length: \r\n", "");
    let mut stream = client::connect(server.address()).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    for _ in 0..8 {
        stream.write_all(format!("{:x}\r\n{}\r\n", 16 * 1024, "a".repeat(16 * 1024)).as_bytes()).unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    assert_eq!(client::read_response(&mut stream, "POST").unwrap().status, 413);
}

#[test]
fn an_early_answer_does_not_wait_for_the_body() {
    let server = Server::start(&[LAB], &[]).unwrap();
    let request = Request::post_json("/agir/eco", "").header("Content-Length", "10000000");
    let mut stream = client::connect(server.address()).unwrap();
    let start = Instant::now();
    stream.write_all(request.head(server.address()).as_bytes()).unwrap();
    assert_eq!(client::read_response(&mut stream, "POST").unwrap().status, 413);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn one_connection_serves_many_requests() {
    let server = Server::start(&[LAB], &[]).unwrap();
    let mut stream = client::connect(server.address()).unwrap();
    for path in ["/so-agente", "/nada", "/nunca", "/vinte.txt", "/so-agente"] {
        let request = agent(path).header("Connection", "keep-alive");
        stream.write_all(request.head(server.address()).as_bytes()).unwrap();
        let response = client::read_response(&mut stream, "GET").unwrap();
        assert!([200, 204, 404].contains(&response.status), "{path}: {}", response.status);
    }
}

#[test]
fn what_is_not_http_is_refused() {
    let server = Server::start(&[LAB], &[]).unwrap();
    for bytes in ["isto não é http\r\n\r\n".to_owned(), format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(200_000))] {
        let mut stream = client::connect(server.address()).unwrap();
        // The server may close before all of it is written.
        let _ = stream.write_all(bytes.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    assert_eq!(server.send(&agent("/so-agente")).unwrap().status, 200, "it lives on");
}

#[test]
fn sigterm_lets_what_runs_finish_and_exits_with_0() {
    let mut server = Server::start(&[BLOG], &[]).unwrap();
    let address = server.address();
    let running = thread::spawn(move || client::send(address, &Request::post_json("/eterno", "{}")));
    thread::sleep(Duration::from_millis(400));
    server.signal_term().unwrap();
    // The call is stopped by its own time-out of 1.5 s, not by the signal.
    assert_eq!(running.join().unwrap().unwrap().status, 504);
    assert_eq!(server.wait(Duration::from_secs(12)).unwrap().code(), Some(0));
    assert!(client::connect(address).is_err(), "it no longer listens");
}

#[test]
fn a_second_signal_does_not_wait() {
    let mut server = Server::start(&[BLOG], &[]).unwrap();
    let address = server.address();
    let running = thread::spawn(move || client::send(address, &Request::post_json("/eterno", "{}")));
    thread::sleep(Duration::from_millis(300));
    server.signal_term().unwrap();
    thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    server.signal_term().unwrap();
    server.wait(Duration::from_secs(5)).unwrap();
    assert!(start.elapsed() < Duration::from_millis(800), "{:?}", start.elapsed());
    drop(running.join());
}

#[test]
fn data_and_sessions_outlive_the_process() {
    let mut server = Server::start(&[LAB], &[]).unwrap();
    server.send(&Request::post_json("/agir/guardar/k", r#"{"valor":{"dura":true}}"#)).unwrap();
    let cookie = server.send(&Request::post_json("/agir/entrar", r#"{"nome":"Bia"}"#)).unwrap().header("set-cookie").unwrap();
    server.restart(&[LAB], &[]).unwrap();
    assert_eq!(server.send(&agent("/loja/k")).unwrap().text(), r#"{"dura":true}"#);
    assert_eq!(server.send(&agent("/sessao").header("Cookie", &cookie)).unwrap().text(), r#"{"nome":"Bia"}"#);
}

#[test]
fn what_a_site_prints_goes_to_the_log() {
    let server = Server::start(&[LAB], &[]).unwrap();
    let response = server.send(&agent("/imprime")).unwrap();
    assert_eq!(response.text(), r#"{"ok":true}"#);
    assert!(server.logs("uma linha impressa pelo site"), "{}", server.output());
    assert!(server.logs("um aviso do site"), "{}", server.output());
    assert!(server.output().lines().any(|line| line.contains("uma linha impressa") && line.contains("laboratorio")), "{}", server.output());
}

#[test]
fn the_log_has_what_the_client_must_not_see() {
    let server = Server::start(&[LAB], &[]).unwrap();
    let response = server.send(&agent("/erro/fail")).unwrap();
    let id = response.header("x-request-id").unwrap();
    for detail in ["detalhe secreto", "agentes/erro.djo", id.as_str()] {
        assert!(server.logs(detail), "{detail} is missing from:\n{}", server.output());
    }
    assert!(!response.text().contains("secreto"));
}

#[test]
fn in_dev_an_author_sees_the_line_that_failed() {
    let server = Server::start(&[LAB], &["--dev"]).unwrap();
    let page = server.send(&Request::get("/erro/fail").header("Accept", "text/html")).unwrap();
    let line = "<pre>  1 | &lt;p&gt;antes do erro&lt;/p&gt;\n&gt; 2 | {{ fail:&quot;detalhe secreto&quot; }}\n";
    assert_eq!(page.status, 500);
    assert!(page.text().contains(line), "{}", page.text());
    let plain = Server::start(&[LAB], &[]).unwrap();
    let page = plain.send(&Request::get("/erro/fail").header("Accept", "text/html")).unwrap();
    assert!(!page.text().contains("secreto"), "{}", page.text());
}

/// A limit of memory ends a run where it stands, and still its author sees where that was.
#[test]
fn in_dev_an_author_sees_the_line_that_ran_out_of_memory() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("cresce");
    fs::create_dir_all(site.join("core")).unwrap();
    for (name, text) in [
        ("rotas.djo", "Route.get:\"/\":{\"html\": \"pagina.djo\", \"agent\": \"pagina.djo\"}\n"),
        ("pagina.djo", "antes = 1\nHttp.json:(cresce:antes)\n"),
        (
            "core/cresce.djo",
            "f cresce\n    params[n]\n    xs = []\n    while n > 0\n        Arr.push:xs:(String.repeat:\"x\":100000)\n    return xs\n",
        ),
        ("site.toml", "[limits]\nmemory_mb = 16\n"),
    ] {
        fs::write(site.join(name), text).unwrap();
    }
    let server = Server::start(&[&path_text(&site)], &["--dev"]).unwrap();
    let told = server.send(&agent("/")).unwrap();
    let wanted = "o pedido passou da memória que pode usar (`memory_mb`), core/cresce.djo, linha 5";
    assert!(told.status == 500 && told.text().contains(wanted), "{}", told.text());
    let page = server.send(&Request::get("/").header("Accept", "text/html")).unwrap().text();
    assert!(page.contains("\n&gt; 5 |         Arr.push:xs"), "{page}");
    assert!(server.logs("core/cresce.djo:5: o pedido passou da memória que pode usar (`memory_mb`)"), "{}", server.output());

    let plain = Server::start(&[&path_text(&site)], &[]).unwrap();
    let told = plain.send(&agent("/")).unwrap();
    assert_eq!((told.status, told.text().as_str()), (500, r#"{"erro":"erro interno"}"#));
}

/// What the host itself cannot do for an action is as much its author's matter as what its code does.
#[test]
fn in_dev_an_author_sees_why_no_code_ran_and_why_an_answer_does_not_do() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("partes");
    fs::create_dir_all(site.join("core")).unwrap();
    let core = "struct Nota\n    id[Int]\naction nome\n    params[site[String, inject: \"site.nome\"], u[String?, inject: \"header.X-U\"]]\n    return site\n";
    for (name, text) in [
        ("rotas.djo", "Route.action:\"/nome\":\"nome\"\nRoute.get:\"/paginas\":{\"agent\": \"pagina.djo\", \"returns\": [\"Nota\"]}\n"),
        ("pagina.djo", "Http.html:\"<p>\"\n"),
        ("core/nome.djo", core),
    ] {
        fs::write(site.join(name), text).unwrap();
    }
    let server = Server::start(&[&path_text(&site)], &["--dev"]).unwrap();
    let told = server.send(&Request::post_json("/nome", "{}")).unwrap();
    let wanted = r#"{"erro":"erro interno","detalhe":"o parâmetro site vem de site.nome, que não existe neste pedido"}"#;
    assert_eq!((told.status, told.text().as_str()), (500, wanted));
    let told = server.send(&agent("/paginas?campos=id")).unwrap();
    let wanted = r#"{"erro":"erro interno","detalhe":"a resposta não é JSON de que se mostre uma parte: "#;
    assert!(told.status == 500 && told.text().starts_with(wanted), "{}", told.text());

    let plain = Server::start(&[&path_text(&site)], &[]).unwrap();
    for request in [Request::post_json("/nome", "{}"), agent("/paginas?campos=id")] {
        let told = plain.send(&request).unwrap();
        assert_eq!((told.status, told.text().as_str()), (500, r#"{"erro":"erro interno"}"#));
    }
}

#[test]
fn a_site_that_spins_does_not_stop_its_neighbour() {
    let server = Server::start(&[BLOG, LAB], &["--agent-conc", "16"]).unwrap();
    let address = server.address();
    let spin = move || client::send(address, &Request::post_json("/eterno", "{}").header("Host", "blog.localhost"));
    let spinning: Vec<_> = (0..4).map(|_| thread::spawn(spin)).collect();
    thread::sleep(Duration::from_millis(200));
    let mut taken: Vec<Duration> = (0..20)
        .map(|_| {
            let start = Instant::now();
            assert_eq!(server.send(&to_host("/so-agente", "laboratorio.localhost")).unwrap().status, 200);
            start.elapsed()
        })
        .collect();
    taken.sort_unstable();
    assert!(taken[10] < Duration::from_millis(500), "{taken:?}");
    for call in spinning {
        assert_eq!(call.join().unwrap().unwrap().status, 504);
    }
}

#[test]
fn many_at_once_all_get_their_own_answer() {
    const CLIENTS: u64 = 8;
    const CALLS: u64 = 40;
    let server = Server::start(&[LAB], &["--agent-conc", "64"]).unwrap();
    let address = server.address();
    let clients: Vec<_> = (0..CLIENTS).map(|client| thread::spawn(move || one_client(address, client, CALLS))).collect();
    let mut sums: Vec<u64> = clients.into_iter().flat_map(|client| client.join().unwrap()).collect();
    sums.sort_unstable();
    let expected: Vec<u64> = (1..=CLIENTS * CALLS).collect();
    assert_eq!(sums, expected, "each increment is counted once");
}

/// Asks for its own name and adds one to the shared counter, again and again, on one connection.
fn one_client(address: SocketAddr, client: u64, calls: u64) -> Vec<u64> {
    let mut stream = client::connect(address).unwrap();
    let mut ask = |request: Request| -> Response {
        let request = request.header("Connection", "keep-alive");
        stream.write_all(request.head(address).as_bytes()).unwrap();
        stream.write_all(request.body.as_deref().unwrap_or_default()).unwrap();
        client::read_response(&mut stream, &request.method).unwrap()
    };
    (0..calls)
        .map(|call| {
            let name = format!("c{client}-{call}");
            assert_eq!(ask(agent(&format!("/prioridade/{name}"))).text(), format!("\"parâmetro {name}\""));
            let response = ask(Request::post_json("/agir/contar", "{}"));
            response.text().parse().unwrap_or_else(|_| panic!("{}: {}", response.status, response.text()))
        })
        .collect()
}

#[test]
fn an_address_in_use_is_said_and_ends_with_1() {
    let server = Server::start(&[LAB], &[]).unwrap();
    let output = std::process::Command::new(workspace::djo_host().unwrap())
        .current_dir(workspace::root())
        .args(["serve", LAB, "--addr", &server.address().to_string(), "--data"])
        .arg(tempfile::tempdir().unwrap().path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains(&server.address().port().to_string()));
}

/// Why a site is left out, and why nothing is served, in the language of whoever started the server.
#[test]
fn reasons_are_told_in_the_operators_language() {
    let folder = good_beside_broken();
    fs::write(folder.path().join("vazio.wasm"), "").unwrap();
    fs::write(folder.path().join("nada.wasm"), b"\0asm\x0d\0\x01\0").unwrap();
    let portuguese = [("LANG", "pt_BR.UTF-8")];
    let server = Server::start_in(&portuguese, &[&path_text(folder.path())], &[]).unwrap();
    let output = server.output();
    for said in [
        "ruim: ficou de fora",
        "vazio: ficou de fora\no componente não pode ser lido: ",
        "nada: ficou de fora\no componente não tem porta: ",
    ] {
        assert!(output.contains(said), "{said} is missing from:\n{output}");
    }
    let refused = Server::start_in(&portuguese, &[&path_text(folder.path())], &["--strict"]).unwrap_err();
    assert!(refused.contains("3 sites não podem ser servidos"), "{refused}");
    let taken = server.address().to_string();
    let refused = Server::start_in(&portuguese, &[&path_text(&folder.path().join("bom"))], &["--admin", &taken]).unwrap_err();
    assert!(refused.contains(&format!("não é possível escutar em {taken}: o endereço está em uso")), "{refused}");
}
