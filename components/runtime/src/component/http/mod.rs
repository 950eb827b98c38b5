//! The `wasi:http` door: for every host but ours, and for bodies that stream. It trusts nobody: no header can claim that a request was
//! matched, checked or decoded elsewhere. One request, from the host's resources to the reply.

mod asked;
mod body;
mod outside;
mod send;

use alloc::{
    boxed::Box,
    format,
    string::{String, ToString},
    vec::Vec,
};

use djo_contract::{model::Contract, refusal::Refusal, route::Router, section};
use djo_vm::host::{Entry, Failure, Request};

use asked::Asked;
use outside::WebOutside;

use super::machine;
use crate::component::bindings::djo::site::{context, files, log, program, store};
use crate::component::bindings::wasi::http::types::{IncomingRequest, ResponseOutparam};
use crate::web::dispatch::{BodyError, File, Incoming, Plan, Run, Step, plan};
use crate::web::refuse::{self, Audience};
use crate::web::reply::Reply;
use crate::web::shape;
use crate::web::view::View;

/// Steps of the machine that a run may take: seconds. A host may have no limit of time, or one that ends without an answer.
const STEPS: u64 = 200_000_000;

/// Answers a request.
pub(crate) fn serve(request: &IncomingRequest, out: ResponseOutparam) {
    let asked = Asked::read(request);
    let request_id = context::request_id();
    let reply = match site() {
        Ok((contract, router)) => {
            let mut incoming = Arrived { request, asked: &asked, request_id: &request_id };
            let Plan { step, audience, varies } = plan(&contract, &router, &mut incoming);
            let visit = Visit { contract: &contract, asked: &asked, request, request_id: &request_id };
            shape::finish(visit.reply(step, audience), Some(&contract), &request_id, varies)
        }
        Err(reason) => {
            log::write(log::Level::Error, &format!("{request_id}: {reason}"));
            shape::finish(refuse::internal(Audience::Program), None, &request_id, false)
        }
    };
    send::send(out, reply);
}

/// The contract that is composed in, and its table of routes.
fn site() -> Result<(Contract, Router), String> {
    let contract = section::decode(&program::contract()).map_err(|error| error.to_string())?;
    let router = Router::new(&contract).map_err(|error| error.to_string())?;
    Ok((contract, router))
}

/// What the decision asks of a request, from the host.
struct Arrived<'a> {
    request: &'a IncomingRequest,
    asked: &'a Asked,
    request_id: &'a str,
}

impl Incoming for Arrived<'_> {
    fn method(&self) -> &str {
        &self.asked.method
    }

    fn path(&self) -> &str {
        &self.asked.path
    }

    fn query(&self) -> &str {
        &self.asked.query
    }

    fn header(&self, name: &str) -> Option<String> {
        self.asked.header(name)
    }

    fn body(&mut self) -> Result<Vec<u8>, BodyError> {
        body::read(self.request, self.asked)
    }

    fn file(&mut self, path: &str) -> Option<File> {
        let (_, content_type, tag, start, length) = files::index().into_iter().find(|(held, ..)| held == path)?;
        Some(File { content_type, tag, place: (start, length) })
    }

    fn id(&self) -> String {
        self.request_id.to_string()
    }

    fn client_ip(&mut self) -> String {
        context::client_ip()
    }

    fn stored(&mut self, collection: &str, key: &str) -> Option<Vec<u8>> {
        store::get(collection, key).ok().flatten()
    }

    fn log(&mut self, message: &str) {
        log::write(log::Level::Error, &format!("{}: {message}", self.request_id));
    }
}

/// A request on its way through the site's code.
struct Visit<'a> {
    contract: &'a Contract,
    asked: &'a Asked,
    request: &'a IncomingRequest,
    request_id: &'a str,
}

impl Visit<'_> {
    fn reply(&self, step: Step, audience: Audience) -> Reply {
        match step {
            Step::Answer(reply) if reply.status == 404 => self.error_page(audience, reply),
            Step::Answer(reply) => reply,
            Step::Run(Run { entry, params, arguments, body, view }) => {
                let asked = Request { params, arguments, body, ..self.bare(entry) };
                self.run(&asked, &view).unwrap_or_else(|failure| {
                    self.log(&failure);
                    if failure.kind == "tempo" {
                        return refuse::refuse(audience, &Refusal::Timeout);
                    }
                    self.error_page(audience, refuse::internal(audience))
                })
            }
        }
    }

    /// The site's own page for the status, where people look and there is one that works; else the reply as it is.
    fn error_page(&self, audience: Audience, reply: Reply) -> Reply {
        if audience == Audience::Program || !self.contract.error_pages.contains(&reply.status) {
            return reply;
        }
        self.run(&self.bare(Entry::ErrorPage(reply.status)), &View::default()).unwrap_or_else(|failure| {
            self.log(&failure);
            reply
        })
    }

    fn run(&self, request: &Request, view: &View) -> Result<Reply, Box<Failure>> {
        let mut outside = WebOutside::new(self.asked, self.request_id);
        let response = machine::run(&program::load(), &mut outside, request, STEPS)?;
        let incoming = Arrived { request: self.request, asked: self.asked, request_id: self.request_id };
        Ok(shape::answered(self.contract, &incoming, request.entry, view, response, outside.looked))
    }

    /// The request without what only its entry takes.
    fn bare(&self, entry: Entry) -> Request {
        Request {
            // A HEAD is a GET to the code of the site too.
            method: if self.asked.method == "HEAD" { "GET".to_string() } else { self.asked.method.clone() },
            path: self.asked.path.clone(),
            query: self.asked.query.clone(),
            entry,
            ..Request::default()
        }
    }

    fn log(&self, failure: &Failure) {
        let Failure { message, kind, file, line, trace, .. } = failure;
        let mut text = format!("{}: {kind}: {message} ({file}:{line})", self.request_id);
        for (function, file, line) in trace {
            text.push_str(&format!("\n  {function} ({file}:{line})"));
        }
        log::write(log::Level::Error, &text);
    }
}
