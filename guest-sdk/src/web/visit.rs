//! One request on its way through a site: decided by the contract, run, put into the form of HTTP.

use alloc::{
    boxed::Box,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::cell::Cell;

use djo_contract::{model::Contract, refusal::Refusal, route::Router, section};

use crate::site::{Around, Entry, Failure, Request, Site};

use super::dispatch::{Incoming, Plan, Run, Step, plan};
use super::refuse::{Audience, internal, refuse};
use super::reply::Reply;
use super::shape::{Looked, answered, finish};
use super::view::View;

/// Answers a request.
pub(crate) fn visit<S: Site>(incoming: &mut dyn Incoming) -> Reply {
    let request_id = incoming.request_id();
    match site::<S>() {
        Ok((contract, router)) => {
            let Plan { step, audience, varies } = plan(&contract, &router, incoming);
            let reply = Visit { contract: &contract, incoming }.reply::<S>(step, audience);
            finish(reply, Some(&contract), &request_id, varies)
        }
        Err(reason) => {
            incoming.log(&reason);
            finish(internal(Audience::Program), None, &request_id, false)
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
}

impl Visit<'_> {
    fn reply<S: Site>(&mut self, step: Step, audience: Audience) -> Reply {
        match step {
            Step::Answer(reply) if reply.status == 404 => self.error_page::<S>(audience, reply),
            Step::Answer(reply) => reply,
            Step::Run(Run { entry, params, arguments, body, view }) => {
                let asked = Request { params, arguments, body, ..self.bare(entry) };
                self.run::<S>(asked, &view).unwrap_or_else(|failure| {
                    self.log(&failure);
                    if failure.kind == "tempo" {
                        return refuse(audience, &Refusal::Timeout);
                    }
                    self.error_page::<S>(audience, internal(audience))
                })
            }
        }
    }

    /// The site's own page for the status, where people look and there is one that works; else the reply as it is.
    fn error_page<S: Site>(&mut self, audience: Audience, reply: Reply) -> Reply {
        if audience == Audience::Program || !self.contract.error_pages.contains(&reply.status) {
            return reply;
        }
        self.run::<S>(self.bare(Entry::ErrorPage(reply.status)), &View::default()).unwrap_or_else(|failure| {
            self.log(&failure);
            reply
        })
    }

    fn run<S: Site>(&self, request: Request, view: &View) -> Result<Reply, Box<Failure>> {
        let noted = Noted { around: self.incoming, personal: Cell::new(false) };
        let entry = request.entry;
        let response = S::run(request, &noted)?;
        let looked = Looked { personal: noted.personal.get() };
        Ok(answered(self.contract, self.incoming, entry, view, response, looked))
    }

    /// The request without what only its entry takes.
    fn bare(&self, entry: Entry) -> Request {
        // A HEAD is a GET to the code of the site too.
        let method = if self.incoming.method() == "HEAD" { "GET" } else { self.incoming.method() };
        Request {
            method: method.to_string(),
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
