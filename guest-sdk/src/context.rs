//! What a handler knows about its request, and what it says of its answer beside the result.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use djo_contract::cookie::cookie;
use djo_contract::{field, form, session};

use crate::cookie::Cookie;
use crate::error::{Error, Result};
use crate::outside::progress;
use crate::session::{Session, State};
use crate::site::{Around, Request};

/// A run: its request and its answer so far. Handlers that need it take it first: `ctx: &mut Context`.
pub struct Context<'r> {
    pub(crate) request: Request,
    around: &'r dyn Around,
    pub(crate) session: State,
    pub(crate) answer: Answer,
}

/// What was said of the answer.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) status: Option<u16>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) cookies: Vec<String>,
}

impl<'r> Context<'r> {
    pub(crate) fn new(request: Request, around: &'r dyn Around) -> Self {
        Self { request, around, session: State::default(), answer: Answer::default() }
    }

    /// Upper case.
    pub fn method(&self) -> &str {
        &self.request.method
    }

    /// As sent, percent-encoded, without the query.
    pub fn path(&self) -> &str {
        &self.request.path
    }

    /// The raw query, without `?`.
    pub fn query_string(&self) -> &str {
        &self.request.query
    }

    /// The first value of a query parameter.
    pub fn query(&self, name: &str) -> Option<String> {
        self.queries(name).into_iter().next()
    }

    /// All values of a query parameter.
    pub fn queries(&self, name: &str) -> Vec<String> {
        form::pairs(&self.request.query).filter(|(held, _)| held == name).map(|(_, value)| value).collect()
    }

    /// A text field of a form that was posted (`application/x-www-form-urlencoded` or `multipart/form-data`).
    pub fn form(&self, name: &str) -> Option<String> {
        let fields = form::fields(&self.header("content-type")?, &self.request.body);
        fields.into_iter().find(|(held, _)| held == name).map(|(_, value)| value)
    }

    /// A `{name}` of the path, decoded.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.request.params.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
    }

    /// The body as sent.
    pub fn body(&self) -> &[u8] {
        &self.request.body
    }

    /// A header. A response that depends on one is never kept for others: the host sees it asked for.
    pub fn header(&self, name: &str) -> Option<String> {
        self.around.header(&name.to_ascii_lowercase())
    }

    /// A cookie, decoded.
    pub fn cookie(&self, name: &str) -> Option<String> {
        cookie(&self.header("cookie")?, name)
    }

    /// The client's address.
    pub fn client_ip(&self) -> String {
        self.around.client_ip()
    }

    /// The request came over TLS.
    pub fn secure(&self) -> bool {
        self.around.secure()
    }

    /// The request's id, as in `X-Request-Id`.
    pub fn request_id(&self) -> String {
        self.around.request_id()
    }

    /// The page that is asked for of a bounded result ([`Page`](crate::Page)): none at first.
    pub fn cursor(&self) -> Option<String> {
        form::cursor(&self.request.query)
    }

    /// The visitor's session.
    pub fn session(&mut self) -> Session<'_, 'r> {
        Session(self)
    }

    /// Reports how far a tool is.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        progress::report(done, total, message);
    }

    /// The status of the answer, where the usual one does not fit. One that is not of 200 to 599 is a defect: the request ends with 500.
    pub fn set_status(&mut self, status: u16) {
        self.answer.status = Some(status);
    }

    /// A header of the answer, set or replaced.
    ///
    /// # Errors
    /// A name or value that no header has; one that is the server's own.
    pub fn set_header(&mut self, name: &str, value: impl Into<String>) -> Result<()> {
        let (name, value) = (name.to_ascii_lowercase(), value.into().trim().to_string());
        if !field::is_token(&name) || name.len() > 256 || value.chars().any(char::is_control) {
            return Err(Error::new(format!("o cabeçalho `{name}` tem um nome ou um valor que não pode ter")));
        }
        if field::RESERVED.contains(&name.as_str()) {
            return Err(Error::new(format!("o cabeçalho `{name}` é do servidor; há `set_cookie` e `Redirect`")));
        }
        self.answer.headers.retain(|(held, _)| *held != name);
        self.answer.headers.push((name, value));
        Ok(())
    }

    /// Sets a cookie.
    ///
    /// # Errors
    /// A name that no cookie has, or the session's own.
    pub fn set_cookie(&mut self, cookie: &Cookie<'_>) -> Result<()> {
        if !field::is_token(cookie.name) || cookie.name == session::COOKIE {
            return Err(Error::new(format!("um cookie não pode se chamar `{}`", cookie.name)));
        }
        self.answer.cookies.push(cookie.to_header(self.secure()));
        Ok(())
    }
}
