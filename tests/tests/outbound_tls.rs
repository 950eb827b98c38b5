//! Calls of a site over TLS, through the real binary: the authorities that the host's operator names are believed, and nobody else.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{client::Request, server::Server, upstream};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer},
};
use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    sync::Arc,
    thread,
};

/// An authority of somebody's own.
type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate, and whose word it is: an authority's, or its own.
fn certificate(params: CertificateParams, issuer: Option<&Authority>) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
    let key = KeyPair::generate().unwrap();
    let signed = match issuer {
        Some(issuer) => params.signed_by(&key, issuer),
        None => params.self_signed(&key),
    };
    (signed.unwrap().der().clone(), PrivateKeyDer::Pkcs8(key.serialize_der().into()))
}

fn named(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap()
}

/// Serves `{"n":1}` over TLS; `/vai` leads to where it is told.
fn upstream((certificate, key): (CertificateDer<'static>, PrivateKeyDer<'static>), redirect: String) -> SocketAddr {
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    serve(move |stream| {
        let mut stream = StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), stream);
        answer(&mut stream, &redirect)?;
        stream.conn.send_close_notify();
        stream.flush()
    })
}

fn serve(answer: impl Fn(TcpStream) -> std::io::Result<()> + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that refuses the certificate ends the connection, which is what some tests are about.
            drop(answer(stream));
        }
    });
    address
}

fn answer(stream: &mut (impl Read + Write), redirect: &str) -> std::io::Result<()> {
    let Some(asked) = upstream::head(stream)? else { return Ok(()) };
    let response = if asked.starts_with(b"GET /vai ") {
        format!("HTTP/1.1 302 Found\r\nLocation: {redirect}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    } else {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{\"n\":1}".into()
    };
    stream.write_all(response.as_bytes())
}

const GET: &str = r#"try
    Http.json:(Http.get:(Http.query:"url")).json
catch e
    Http.json:e.mensagem
"#;

/// A site that may call these origins.
fn site(folder: &Path, origins: &[String]) -> String {
    let site = folder.join("chama");
    fs::create_dir_all(&site).unwrap();
    fs::write(site.join("rotas.djo"), "Route.get:\"/get\":{\"agent\": \"get.djo\", \"query\": {\"url\": \"String\"}}\n").unwrap();
    fs::write(site.join("get.djo"), GET).unwrap();
    fs::write(site.join("site.toml"), format!("[outbound]\nallow = {origins:?}\n")).unwrap();
    site.to_string_lossy().into_owned()
}

/// What the site says of a call.
fn get(server: &Server, url: &str) -> String {
    let encoded: String = url.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let response = server.send(&Request::get(&format!("/get?url={encoded}")).header("Accept", "application/json")).unwrap();
    assert_eq!(response.status, 200, "{url}: {}", response.text());
    response.text()
}

fn refused(fault: &str) -> String {
    format!("\"Http.get: a conexão segura com localhost falhou{fault}\"")
}

#[test]
fn the_operators_authority_is_believed_and_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, stranger) = (authority("Autoridade da casa"), authority("Outra autoridade"));
    let plain = serve(|mut stream| answer(&mut stream, ""));
    let to = |params: CertificateParams, issuer| upstream(certificate(params, issuer), format!("http://{plain}/"));
    let good = to(named(&["localhost", "127.0.0.1"]), Some(&ours));
    let (mut expired, mut early) = (named(&["localhost"]), named(&["localhost"]));
    expired.not_after = date_time_ymd(2020, 1, 1);
    early.not_before = date_time_ymd(4000, 1, 1);
    let bad = [
        (to(named(&["outro.test", "127.0.0.1"]), Some(&ours)), ": o certificado é de outro nome"),
        (to(expired, Some(&ours)), ": o certificado venceu"),
        (to(early, Some(&ours)), ": o certificado ainda não vale"),
        (to(named(&["localhost"]), Some(&stranger)), ": o certificado não é de uma autoridade em que esta máquina confia"),
        (to(named(&["localhost"]), None), ": o certificado não é de uma autoridade em que esta máquina confia"),
        (serve(|mut stream| stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")), ""),
    ];
    let localhost = |address: &SocketAddr| format!("https://localhost:{}", address.port());
    let mut origins = vec![format!("https://{good}"), localhost(&good), format!("http://{plain}")];
    origins.extend(bad.iter().map(|(address, _)| localhost(address)));
    let authorities = folder.path().join("autoridades.pem");
    fs::write(&authorities, ours.pem()).unwrap();
    let site = site(folder.path(), &origins);

    // The folder may be set where the tests run; an empty one is none.
    let server = Server::start_in(&[("SSL_CERT_FILE", authorities.to_str().unwrap()), ("SSL_CERT_DIR", "")], &[&site], &[]).unwrap();
    assert_eq!(get(&server, &localhost(&good)), r#"{"n":1}"#);
    assert_eq!(get(&server, &format!("https://{good}/")), r#"{"n":1}"#, "an address that the certificate names");
    for (address, fault) in &bad {
        assert_eq!(get(&server, &localhost(address)), refused(fault));
    }
    let downgraded = get(&server, &format!("{}/vai", localhost(&good)));
    assert!(downgraded.contains("https"), "a redirect out of TLS is not followed: {downgraded}");

    // A folder and a file count together: so an authority comes beside the machine's own store.
    let (casa, outras) = (folder.path().join("autoridades"), folder.path().join("outras.pem"));
    fs::create_dir(&casa).unwrap();
    fs::copy(&authorities, casa.join("casa.pem")).unwrap();
    fs::write(&outras, stranger.pem()).unwrap();
    let both = [("SSL_CERT_DIR", casa.to_str().unwrap()), ("SSL_CERT_FILE", outras.to_str().unwrap())];
    let server = Server::start_in(&both, &[&site], &[]).unwrap();
    assert_eq!(get(&server, &localhost(&good)), r#"{"n":1}"#);
    assert_eq!(get(&server, &localhost(&bad[3].0)), r#"{"n":1}"#, "the other authority's");

    // The same site where nobody trusts that authority, and where the file named is none.
    for (file, said) in [
        ("outras.pem", refused(": o certificado não é de uma autoridade em que esta máquina confia")),
        ("nenhuma.pem", "\"Http.get: esta máquina não tem certificados de autoridades: não há como chamar `https://`\"".to_owned()),
    ] {
        let file = folder.path().join(file);
        let server = Server::start_in(&[("SSL_CERT_FILE", file.to_str().unwrap()), ("SSL_CERT_DIR", "")], &[&site], &[]).unwrap();
        assert_eq!(get(&server, &localhost(&good)), said);
    }
}
