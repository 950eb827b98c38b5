//! A site's tests: requests through its whole HTTP contract, on the machine, with a store in memory (one for each thread).
//!
//! ```text
//! let reply = djo::testing::get("/produtos").header("accept", "application/json").send::<loja::Site>();
//! assert_eq!(reply.status, 200);
//! ```

use alloc::{
    borrow::Cow,
    string::{String, ToString},
    vec::Vec,
};
use core::time::Duration;
use std::rc::Rc;

use djo_contract::{manifest, model::Contract};

use crate::http;
use crate::log::Level;
use crate::outside::{log, outbound, store};
use crate::site::{Around, Site};
use crate::web::reply::Content;
use crate::web::request::{BodyError, Incoming};
use crate::web::visit::visit;

/// A request to be sent.
#[derive(Clone, Debug)]
pub struct Call {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// A GET.
#[must_use]
pub fn get(target: &str) -> Call {
    Call { method: "GET".to_string(), target: target.to_string(), headers: Vec::new(), body: Vec::new() }
}

/// A POST of JSON.
#[must_use]
pub fn post(target: &str, json: &str) -> Call {
    Call { method: "POST".to_string(), body: json.into(), ..get(target) }.header("content-type", "application/json")
}

/// A POST of a form.
#[must_use]
pub fn form(target: &str, fields: &str) -> Call {
    Call { method: "POST".to_string(), body: fields.into(), ..get(target) }.header("content-type", "application/x-www-form-urlencoded")
}

/// Says what other servers answer to the calls of this thread's tests, in place of the one before; an error is a call without an answer.
/// Calls that a host would refuse whatever `site.toml` says (no URL, a header of the connection) do not come here.
///
/// ```
/// djo_guest_sdk::testing::outbound(|call| match call.url.as_str() {
///     "https://api.exemplo.com/moedas" => Ok(djo_guest_sdk::http::Reply { status: 200, body: b"5.4".into(), ..Default::default() }),
///     other => Err(format!("ninguém responde em {other}")),
/// });
/// assert_eq!(djo_guest_sdk::http::get("https://api.exemplo.com/moedas").send().unwrap().json(), Ok(5.4));
/// ```
pub fn outbound(others: impl Fn(&http::Call) -> Result<http::Reply, String> + 'static) {
    outbound::set(Rc::new(move |request| {
        let outbound::Request { method, url, headers, body, timeout_ms } = request.clone();
        let method = METHODS.into_iter().find(|known| *known == method).unwrap_or_default();
        let timeout = timeout_ms.map(|ms| Duration::from_millis(ms.into()));
        let http::Reply { status, headers, body } = others(&http::Call { method, url, headers, body, timeout })?;
        Ok(outbound::Response { status, headers, body })
    }));
}

/// Those that [`http`] has.
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

impl Call {
    /// Adds a header. Another `content-type` takes the place of the one before.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name = name.to_ascii_lowercase();
        self.headers.retain(|(held, _)| name != "content-type" || *held != name);
        self.headers.push((name, value.to_string()));
        self
    }

    /// As an agent asks.
    #[must_use]
    pub fn json(self) -> Self {
        self.header("accept", "application/json")
    }

    /// Sends it.
    pub fn send<S: Site>(mut self) -> Reply {
        let reply = visit::<S>(&mut self);
        let body = match reply.content {
            Content::Bytes(bytes) => bytes,
            Content::File { start, length } => S::read(start, length),
        };
        Reply { status: reply.status, headers: reply.headers, body }
    }
}

impl Reply {
    /// The first header of a name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Around for Call {
    fn header(&self, name: &str) -> Option<String> {
        self.headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.clone())
    }

    fn client_ip(&self) -> String {
        "127.0.0.1".to_string()
    }

    fn secure(&self) -> bool {
        false
    }

    fn request_id(&self) -> String {
        "teste".to_string()
    }

    fn is_timed(&self) -> bool {
        true
    }
}

impl Incoming for Call {
    fn method(&self) -> &str {
        &self.method
    }

    fn path(&self) -> &str {
        self.target.split_once('?').map_or(&self.target, |(path, _)| path)
    }

    fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }

    fn body(&mut self, most: u64) -> Result<Vec<u8>, BodyError> {
        if self.body.len() as u64 > most { Err(BodyError::TooLarge) } else { Ok(self.body.clone()) }
    }

    fn file(&mut self, _path: &str) -> Option<crate::File> {
        None
    }

    fn stored(&mut self, collection: &str, key: &str) -> Option<Vec<u8>> {
        store::get(collection, key).ok().flatten()
    }

    fn manifest(&self, contract: &Contract) -> Cow<'static, str> {
        manifest::manifest(contract).into()
    }

    fn greeting(&self, contract: &Contract) -> Cow<'static, str> {
        manifest::greeting(contract).into()
    }

    fn log(&mut self, message: &str) {
        log::write(Level::Error, message);
    }
}
