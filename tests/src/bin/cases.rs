//! Runs case files against a server that is running already:
//!
//! ```text
//! cases URL [FILE…] [--only PREFIX] [--host NAME] [-v]
//! ```
//!
//! Without files, those of the suite that serves `tests/sites/blog`. The exit code is 1 when a case fails, 2 for bad usage.

use djo_tests::{case, run, suites};
use std::{
    env,
    net::{SocketAddr, TcpStream, ToSocketAddrs},
    path::Path,
    process::ExitCode,
};

#[derive(Default)]
struct Arguments {
    url: String,
    files: Vec<String>,
    only: String,
    host: Option<String>,
    verbose: bool,
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("cases: {message}\nusage: cases URL [FILE…] [--only PREFIX] [--host NAME] [-v]");
            return ExitCode::from(2);
        }
    };
    match run_all(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("cases: {message}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<Arguments, String> {
    let mut parsed = Arguments::default();
    let mut given = env::args().skip(1);
    while let Some(argument) = given.next() {
        let mut value = || given.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--only" => parsed.only = value()?,
            "--host" => parsed.host = Some(value()?),
            "-v" => parsed.verbose = true,
            flag if flag.starts_with('-') => return Err(format!("unknown flag {flag}")),
            url if parsed.url.is_empty() => parsed.url = url.to_owned(),
            file => parsed.files.push(file.to_owned()),
        }
    }
    if parsed.url.is_empty() { Err("a URL is missing".into()) } else { Ok(parsed) }
}

fn run_all(arguments: &Arguments) -> Result<bool, String> {
    let address = address_of(&arguments.url)?;
    let pending = suites::pending()?;
    let (mut passed, mut failed) = (0, 0);
    for case in cases(arguments)? {
        if !case.id.starts_with(&arguments.only) {
            continue;
        }
        let title = format!("{} ({})", case.id, case.spec);
        let waits = pending.contains_key(&case.id);
        match run::run(case, address, arguments.host.as_deref()) {
            Ok(()) => {
                passed += 1;
                if arguments.verbose {
                    println!("ok   {title}");
                }
            }
            Err(error) => {
                failed += 1;
                println!("FAIL {title} {}{error}", if waits { "[pending] " } else { "" });
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(failed == 0 && passed > 0)
}

fn cases(arguments: &Arguments) -> Result<Vec<case::Case>, String> {
    let mut all = Vec::new();
    for file in &arguments.files {
        all.extend(case::load(Path::new(file))?);
    }
    if arguments.files.is_empty() {
        let blog = suites::suites()?.into_iter().find(|suite| suite.name == "blog").ok_or("suites.json has no suite named blog")?;
        for file in &blog.files {
            all.extend(suites::cases(file)?);
        }
    }
    Ok(all)
}

fn address_of(url: &str) -> Result<SocketAddr, String> {
    let authority = url.trim_start_matches("http://").split('/').next().unwrap_or_default();
    let with_port = if authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()) {
        authority.to_owned()
    } else {
        format!("{authority}:80")
    };
    // `localhost` may have two addresses; the server listens on one of them.
    let addresses: Vec<SocketAddr> = with_port.to_socket_addrs().map_err(|error| format!("{url}: {error}"))?.collect();
    let answers = |address: &&SocketAddr| TcpStream::connect(address).is_ok();
    addresses.iter().find(answers).copied().ok_or_else(|| format!("{url}: nothing answers there"))
}
