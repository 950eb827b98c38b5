//! Runs the case files of `tests/cases` against the real binary: one test a case, one server a suite.

use djo_tests::{
    case::Case,
    run,
    server::Server,
    suites::{self, Suite},
};
use libtest_mimic::{Arguments, Failed, Trial};
use std::{
    collections::BTreeSet,
    process::ExitCode,
    sync::{Arc, OnceLock},
};

/// A suite's server, started by the first of its cases that runs.
type Shared = Arc<OnceLock<Result<Server, String>>>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let (trials, servers) = match trials() {
        Ok(planned) => planned,
        Err(message) => {
            eprintln!("cases: {message}");
            return ExitCode::FAILURE;
        }
    };
    let conclusion = libtest_mimic::run(&arguments, trials);
    drop(servers);
    if conclusion.has_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn trials() -> Result<(Vec<Trial>, Vec<Shared>), String> {
    let pending = suites::pending()?;
    let (mut trials, mut servers, mut ids) = (Vec::new(), Vec::new(), BTreeSet::new());
    for suite in suites::suites()? {
        let suite = Arc::new(suite);
        let shared = Shared::default();
        for file in &suite.files {
            for case in suites::cases(file)? {
                if !ids.insert(case.id.clone()) {
                    return Err(format!("{file}: two cases are called {}", case.id));
                }
                let waits = pending.contains_key(&case.id);
                let name = format!("{}::{}", suite.name, case.id);
                let (suite, shared) = (suite.clone(), shared.clone());
                trials.push(Trial::test(name, move || run_one(&suite, &shared, case)).with_ignored_flag(waits));
            }
        }
        servers.push(shared);
    }
    match pending.keys().find(|id| !ids.contains(*id)) {
        Some(id) => Err(format!("pending.json: there is no case {id}")),
        None => Ok((trials, servers)),
    }
}

fn run_one(suite: &Suite, shared: &Shared, case: Case) -> Result<(), Failed> {
    let server = shared.get_or_init(|| {
        let sites: Vec<&str> = suite.sites.iter().map(String::as_str).collect();
        // A site that is left out is told once, and not by each of its cases.
        let arguments: Vec<&str> = suite.arguments.iter().map(String::as_str).chain(["--strict"]).collect();
        Server::start(&sites, &arguments)
    });
    let server = server.as_ref().map_err(|error| Failed::from(format!("the server of {}: {error}", suite.name)))?;
    let spec = case.spec.clone();
    run::run(case, server.address(), None).map_err(|error| Failed::from(format!("{spec}: {error}")))
}
