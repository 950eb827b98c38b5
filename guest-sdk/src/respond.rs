//! From what a handler gives to the response.

use alloc::{
    boxed::Box,
    string::{String, ToString},
    vec::Vec,
};

use djo_contract::{json, route::percent_encoded};

use crate::content::Content;
use crate::context::Context;
use crate::data::{self, Data, Members, Value};
use crate::error::{Error, Inner, Result};
use crate::html::Html;
use crate::page::Page;
use crate::site::{Around, Entry, Failure, PageBounds, Request, Response};
use crate::web::refuse::page;

/// A contract's JSON.
#[doc(hidden)]
pub type Bytes = alloc::borrow::Cow<'static, [u8]>;

/// A document that is known while compiling.
#[doc(hidden)]
pub type Text = alloc::borrow::Cow<'static, str>;

#[doc(hidden)]
pub use djo_contract::model::Contract;

/// A face, an action or a page, as the macro wraps it.
#[doc(hidden)]
pub type Handler = fn(&mut Context<'_>) -> Result<Body>;

/// What a handler puts out.
pub struct Body(Kind);

enum Kind {
    None,
    /// A content type and content.
    Whole(&'static str, Vec<u8>),
    Page(Vec<u8>, PageBounds),
    Redirect(String),
    Response(Response),
}

/// A result that is no value of the contract: a page, a redirect, a response of the handler's own making.
#[diagnostic::on_unimplemented(
    message = "`{Self}` não é uma resposta",
    note = "um handler responde um tipo do contrato (i64, f64, String, bool, Vec, BTreeMap, um struct deste módulo com #[djo::data]), Html, Redirect, Response, Page, Content ou ()",
    note = "ou Option ou Result de um desses"
)]
pub trait Respond {
    /// What is put out.
    fn respond(self) -> Body;
}

/// Sends the browser elsewhere: 303.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect(String);

impl Redirect {
    /// To a URL, or a path of this site.
    pub fn to(url: impl Into<String>) -> Self {
        Self(url.into())
    }
}

impl Response {
    /// A response of the handler's own making, with status 200.
    pub fn new(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, headers: Vec::from([("content-type".to_string(), content_type.to_string())]), body: body.into(), page: None }
    }
}

impl Body {
    /// A value of the contract.
    pub fn json(data: &impl Data) -> Self {
        Self(Kind::Whole("application/json", data::to_json(data).into_bytes()))
    }

    /// A bounded list of them.
    pub fn page<T: Data>(page: &Page<T>) -> Self {
        Self(Kind::Page(data::to_json(&page.items).into_bytes(), page.bounds()))
    }
}

impl Respond for () {
    fn respond(self) -> Body {
        Body(Kind::None)
    }
}

impl Respond for Html {
    fn respond(self) -> Body {
        Body(Kind::Whole("text/html; charset=utf-8", self.into_string().into_bytes()))
    }
}

impl Respond for Redirect {
    fn respond(self) -> Body {
        Body(Kind::Redirect(self.0))
    }
}

impl Respond for Response {
    fn respond(self) -> Body {
        Body(Kind::Response(self))
    }
}

impl Respond for Vec<Content> {
    fn respond(self) -> Body {
        Body(Kind::Whole(Content::MEDIA_TYPE, Content::to_json(&self).into_bytes()))
    }
}

impl Respond for Content {
    fn respond(self) -> Body {
        Vec::from([self]).respond()
    }
}

impl Context<'_> {
    /// The decoded arguments, once.
    #[doc(hidden)]
    pub fn arguments(&mut self) -> Result<Members> {
        let bytes = core::mem::take(&mut self.request.arguments);
        let value = if bytes.is_empty() { Value::Map(Vec::new()) } else { json::parse_with(&bytes, json::DECODED)? };
        Ok(Members::of(value, "Map")?)
    }

    /// A value of the path as its type: one that is none names nothing.
    #[doc(hidden)]
    pub fn path_value<T: core::str::FromStr>(&self, name: &str) -> Result<T> {
        self.param(name).and_then(|text| text.parse().ok()).ok_or_else(Error::not_found)
    }
}

/// Runs a handler; `error_page` has the site's own page for a status.
#[doc(hidden)]
pub fn run(
    request: Request,
    around: &dyn Around,
    handler: Option<Handler>,
    error_page: fn(u16) -> Option<Handler>,
) -> Result<Response, Box<Failure>> {
    let entry = request.entry;
    let mut context = Context::new(request, around);
    let Some(handler) = handler else { return failed(Error::new("o site não tem esta rota")) };
    let body = match handler(&mut context).map_err(Error::into_inner) {
        Ok(body) => body,
        Err(Inner::Failure(failure)) => return Err(Box::new(failure)),
        Err(Inner::Answer { status, message }) => {
            let own = error_page(status).filter(|_| matches!(entry, Entry::Screen(_)));
            context.answer.status = Some(status);
            match own.map(|page| page(&mut context)) {
                Some(Ok(body)) => body,
                _ => refused(entry, status, &message),
            }
        }
    };
    match finish(context, entry, body) {
        Ok(response) => Ok(response),
        Err(error) => failed(error),
    }
}

fn failed<T>(error: Error) -> Result<T, Box<Failure>> {
    match error.into_inner() {
        Inner::Failure(failure) => Err(Box::new(failure)),
        Inner::Answer { status, message } => failed(Error::new(alloc::format!("{status}: {message}"))),
    }
}

/// What an error with a status puts out.
fn refused(entry: Entry, status: u16, message: &str) -> Body {
    Body(match entry {
        Entry::Agent(_) | Entry::Action(_) => Kind::Whole("application/json", Inner::json(message).into_bytes()),
        Entry::Screen(_) | Entry::ErrorPage(_) => Kind::Whole("text/html; charset=utf-8", page(status, message).into_bytes()),
    })
}

fn finish(context: Context<'_>, entry: Entry, body: Body) -> Result<Response> {
    let secure = context.secure();
    let Context { session, answer, .. } = context;
    let session = session.finish(secure)?;
    let mut response = Response { status: 0, headers: Vec::new(), body: Vec::new(), page: None };
    let mut content_type = "";
    let mut location = None;
    match body.0 {
        Kind::None if matches!(entry, Entry::Action(_)) => (content_type, response.body) = ("application/json", b"{\"ok\":true}".into()),
        Kind::None => {}
        Kind::Whole(of, content) => (content_type, response.body) = (of, content),
        Kind::Page(content, bounds) => {
            (content_type, response.body) = ("application/json", content);
            response.page = Some(bounds);
        }
        Kind::Redirect(url) => location = Some(to_location(&url)?),
        Kind::Response(own) => response = own,
    }
    let usual = match entry {
        _ if response.status != 0 => response.status,
        _ if location.is_some() => 303,
        Entry::ErrorPage(status) => status,
        _ if response.body.is_empty() => 204,
        _ => 200,
    };
    response.status = answer.status.unwrap_or(usual);
    if !(200..600).contains(&response.status) {
        return Err(Error::new(alloc::format!("o status vai de 200 a 599, mas veio {}", response.status)));
    }
    if matches!(response.status, 204 | 304) {
        response.body.clear();
    }
    let mut add = |name: &str, value: String| response.headers.push((name.to_string(), value));
    let is_said = answer.headers.iter().any(|(name, _)| name == "content-type");
    if !(content_type.is_empty() || response.body.is_empty() || is_said) {
        add("content-type", content_type.to_string());
    }
    location.into_iter().for_each(|location| add("location", location));
    answer.cookies.into_iter().chain(session).for_each(|cookie| add("set-cookie", cookie));
    response.headers.extend(answer.headers);
    Ok(response)
}

/// A URL as a `Location`: what a header cannot hold is percent-encoded.
fn to_location(url: &str) -> Result<String> {
    if url.is_empty() || url.chars().any(char::is_control) {
        return Err(Error::new("`Redirect` espera um endereço sem quebras de linha"));
    }
    Ok(percent_encoded(url, b"!\"#$%&'()*+,/:;<=>?@[\\]^`{|}"))
}
