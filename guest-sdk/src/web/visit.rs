//! One request on its way through a site: decided by the contract, run, put into the form of HTTP.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::cell::Cell;

use djo_contract::{model::Contract, refusal::Refusal, route::Router, section, tool::ToolRefusal};

use crate::site::{Around, Entry, Failure, Request, Site};

use super::dispatch::{Known, Plan, Run, Step, plan};
use super::refuse::{Audience, NOTHING, refuse};
use super::reply::{Content, Reply};
use super::request::Incoming;
use super::shape::{Looked, answered, finish};

/// Answers a request.
pub(crate) fn visit<S: Site>(incoming: &mut dyn Incoming) -> Reply {
    let request_id = incoming.request_id();
    match site::<S>() {
        Ok((contract, router)) => {
            let Plan { step, known } = plan(&contract, &router, incoming);
            let reply = Visit { contract: &contract, incoming, known }.reply::<S>(step);
            finish(reply, Some(&contract), &request_id, known.varies)
        }
        Err(reason) => {
            incoming.log(&reason);
            finish(refuse(NOTHING, &Refusal::Internal { detail: None }), None, &request_id, false)
        }
    }
}

/// The site's contract, and its table of routes.
fn site<S: Site>() -> Result<(Contract, Router), String> {
    let contract = section::decode(&S::contract()).map_err(|error| error.to_string())?;
    let router = Router::new(&contract).map_err(|error| error.to_string())?;
    Ok((contract, router))
}

struct Visit<'a> {
    contract: &'a Contract,
    incoming: &'a mut dyn Incoming,
    known: Known,
}

impl Visit<'_> {
    fn reply<S: Site>(&mut self, step: Step) -> Reply {
        let answer = match step {
            Step::Answer(reply) => Ok(reply),
            Step::Refuse(refusal) => Err(refusal),
            Step::Run(run) => self.run::<S>(run),
        };
        answer.unwrap_or_else(|refusal| self.refuse::<S>(&refusal))
    }

    fn run<S: Site>(&mut self, run: Run) -> Result<Reply, Refusal> {
        let Run { entry, params, arguments, body, view } = run;
        let noted = Noted { around: self.incoming, personal: Cell::new(false) };
        let ran = S::run(Request { params, arguments, body, ..self.bare(entry) }, &noted);
        let looked = Looked { personal: noted.personal.get() };
        let response = ran.map_err(|failure| {
            self.log(&failure);
            refusal_of(&failure)
        })?;
        answered(self.contract, self.incoming, entry, &view, response, looked).map_err(|broken| {
            self.incoming.log(&broken);
            Refusal::Internal { detail: None }
        })
    }

    /// The refusal in the form for who reads it: where people look, on the site's own page for the status, if there is one that works. Who is
    /// refused because there is too much to do is not worth a run.
    fn refuse<S: Site>(&mut self, refusal: &Refusal) -> Reply {
        let (reply, status) = (refuse(self.known, refusal), refusal.status());
        let is_full = matches!(status, 429 | 503);
        if self.known.audience == Audience::Program || is_full || !self.contract.error_pages.contains(&status) {
            return reply;
        }
        match S::run(self.bare(Entry::ErrorPage(status)), self.incoming) {
            Ok(page) => reply.of(Content::Bytes(page.body)),
            Err(failure) => {
                self.log(&failure);
                reply
            }
        }
    }

    /// The request without what only its entry takes.
    fn bare(&self, entry: Entry) -> Request {
        // A HEAD is a GET to the code of the site too, and a page that stands in for another is only read.
        let reads = self.incoming.reads() || matches!(entry, Entry::ErrorPage(_));
        Request {
            method: if reads { "GET" } else { self.incoming.method() }.to_string(),
            path: self.incoming.path().to_string(),
            query: self.incoming.query().to_string(),
            body: Vec::new(),
            entry,
            params: Vec::new(),
            arguments: Vec::new(),
        }
    }

    fn log(&mut self, failure: &Failure) {
        let Failure { message, kind, file, line, trace, .. } = failure;
        let mut text = format!("{kind}: {message} ({file}:{line})");
        for frame in trace {
            text.push_str(&format!("\n  {} ({}:{})", frame.function, frame.file, frame.line));
        }
        self.incoming.log(&text);
    }
}

/// What a client is told of a failure.
fn refusal_of(failure: &Failure) -> Refusal {
    if failure.kind == "tempo" {
        return Refusal::Timeout;
    }
    let refusal = ToolRefusal::of(&failure.message, failure.refusal.as_deref());
    refusal.and_then(|refusal| refusal.to_refusal()).unwrap_or(Refusal::Internal { detail: None })
}

/// What is around a request, noting what a run asks about it.
struct Noted<'a> {
    around: &'a dyn Around,
    personal: Cell<bool>,
}

impl Around for Noted<'_> {
    fn header(&self, name: &str) -> Option<String> {
        self.personal.set(true);
        self.around.header(name)
    }

    fn client_ip(&self) -> String {
        self.personal.set(true);
        self.around.client_ip()
    }

    fn secure(&self) -> bool {
        self.around.secure()
    }

    fn request_id(&self) -> String {
        self.around.request_id()
    }

    fn is_timed(&self) -> bool {
        self.around.is_timed()
    }
}
