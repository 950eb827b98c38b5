//! A site over TLS, and the commands that ask one: `djo-host agent` and `djo-host mcp` believe the authorities that they are told, and
//! nobody else.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::workspace;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

const SITE: &str = "tests/sites/blog";

/// An authority of somebody's own, in a file.
fn authority(folder: &Path, name: &str) -> (CertifiedIssuer<'static, KeyPair>, String) {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let file = folder.join(format!("{name}.pem"));
    fs::write(&file, authority.pem()).unwrap();
    (authority, file.to_str().unwrap().to_owned())
}

/// Writes a new key and a certificate of it for a host.
fn certify(folder: &Path, authority: &CertifiedIssuer<'static, KeyPair>, host: &str) {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec![host.to_owned()]).unwrap().signed_by(&key, authority).unwrap();
    fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
    fs::write(folder.join("cert.pem"), certificate.pem()).unwrap();
}

/// The real binary, serving over TLS as `localhost`.
struct Server {
    child: Child,
    authority: CertifiedIssuer<'static, KeyPair>,
    /// Its own authority, and another one.
    known: String,
    stranger: String,
    port: String,
    folder: TempDir,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (authority, known) = authority(folder.path(), "conhecida");
        let (_, stranger) = self::authority(folder.path(), "estranha");
        certify(folder.path(), &authority, "localhost");
        let (cert_file, key_file) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
        let mut command = Command::new(workspace::djo_host().unwrap());
        command.current_dir(workspace::root()).args(["serve", SITE, "--addr", "127.0.0.1:0", "--agent-rate", "0", "--data"]);
        command.arg(folder.path().join("data")).arg("--tls-cert").arg(cert_file).arg("--tls-key").arg(key_file);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).stdin(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.find_map(|line| line.unwrap().strip_prefix("serving at ").map(str::to_owned)).unwrap();
        // It may write on: nobody reads it, and nothing must wait for that.
        std::thread::spawn(move || lines.for_each(drop));
        let port = line.strip_prefix("https://").unwrap().rsplit(':').next().unwrap().trim_end_matches('/').to_owned();
        Self { child, authority, known, stranger, port, folder }
    }

    fn url(&self, host: &str, path: &str) -> String {
        format!("https://{host}:{}{path}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(name: &str) -> Command {
    let mut command = Command::new(workspace::djo_host().unwrap());
    command.arg(name).env("LANG", "C.UTF-8").env_remove("LC_ALL").env_remove("LC_MESSAGES").env_remove("DJO_CA");
    command
}

fn said(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned())
}

#[test]
fn the_agent_command_asks_over_tls() {
    let server = Server::start();
    let ask = |arguments: &[&str]| said(&command("agent").args(arguments).output().unwrap());
    let (status, text) = ask(&["--ca", &server.known, &server.url("localhost", "")]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.starts_with("Blog: ") && text.contains(&server.url("localhost", "/.well-known/ai-manifest.json")), "{text}");
    let (status, text) = ask(&["--ca", &server.known, &server.url("localhost", "/posts/1")]);
    assert!(status == Some(0) && text.starts_with("200 OK\nContent-Type: application/json\n"), "{text}");
    let post = r#"{"titulo":"Oi","nota":4,"autor":{"nome":"Ana"}}"#;
    let (status, text) = ask(&["--ca", &server.known, "--raw", "--post", post, &server.url("localhost", "/posts")]);
    assert!(status == Some(0) && text.contains("\"Oi\""), "{text}");
    // The machine's own authorities come from a file, too, where its owner says so.
    let output = command("agent").env("SSL_CERT_FILE", &server.known).arg(server.url("localhost", "/posts/1")).output().unwrap();
    assert_eq!(said(&output).0, Some(0), "{}", said(&output).1);
    let output = command("agent").env("DJO_CA", &server.known).arg(server.url("localhost", "/posts/1")).output().unwrap();
    assert_eq!(said(&output).0, Some(0), "{}", said(&output).1);
}

#[test]
fn whom_nobody_vouches_for_is_not_asked() {
    let server = Server::start();
    let nothing = server.folder.path().join("nada.pem").to_str().unwrap().to_owned();
    let plain = server.url("localhost", "/posts/1").replace("https://", "http://");
    for (ca, url, reason) in [
        (&server.stranger, server.url("localhost", "/posts/1"), "no secure connection: invalid peer certificate: UnknownIssuer"),
        // The certificate is for another name.
        (&server.known, server.url("127.0.0.1", "/posts/1"), "no secure connection: invalid peer certificate: "),
        (&nothing, server.url("localhost", "/posts/1"), "nada.pem"),
        (&server.known, plain, "no HTTP answer"),
    ] {
        let (status, text) = said(&command("agent").args(["--ca", ca, &url]).output().unwrap());
        assert!(status == Some(1) && text.contains(reason), "{url}: {status:?} {text}");
    }
    let output = command("agent").env("SSL_CERT_FILE", &server.stranger).arg(server.url("localhost", "/posts/1")).output().unwrap();
    assert_eq!(said(&output).0, Some(1));
}

#[test]
fn the_bridge_carries_a_conversation_over_tls() {
    let server = Server::start();
    let converse = |ca: &str| {
        let mut command = command("mcp");
        command.args(["--ca", ca, &server.url("localhost", "")]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let call =
            json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "get_posts_by_id", "arguments": {"id": "1"}}});
        writeln!(child.stdin.take().unwrap(), "{call}").unwrap();
        let output = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["id"], 7, "{answer}");
        answer
    };
    assert_eq!(converse(&server.known)["result"]["structuredContent"]["id"], 1);
    let refused = converse(&server.stranger);
    assert!(refused["error"]["message"].as_str().unwrap().contains("UnknownIssuer"), "{refused}");
}

#[test]
fn a_certificate_is_renewed_while_it_is_served() {
    let server = Server::start();
    let asks = |host: &str| {
        let url = server.url(host, "/posts/1");
        said(&command("agent").args(["--ca", &server.known, &url]).output().unwrap()).0 == Some(0)
    };
    assert!(asks("localhost") && !asks("127.0.0.1"));
    // What cannot be used changes nothing.
    fs::write(server.folder.path().join("cert.pem"), "").unwrap();
    std::thread::sleep(std::time::Duration::from_secs(12));
    assert!(asks("localhost"));
    certify(server.folder.path(), &server.authority, "127.0.0.1");
    let renewed = (0..60).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(500));
        asks("127.0.0.1")
    });
    assert!(renewed && !asks("localhost"));
}
