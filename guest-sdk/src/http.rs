//! Calls to other servers: `djo::http::get("https://api.exemplo.com/moedas").send()?`. Where a site may call is what its owner wrote in
//! `[outbound] allow` of `site.toml`; everything else is refused.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::{fmt, time::Duration};

use djo_contract::{json, media};

use crate::data::{Data, Mismatch, to_json};
use crate::outside::outbound;

/// A call that is being put together; [`Call::send`] makes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Upper case.
    pub method: &'static str,
    /// Absolute, `https://` or `http://`.
    pub url: String,
    /// Names and values, in this order.
    pub headers: Vec<(String, String)>,
    /// What is sent; empty for nothing.
    pub body: Vec<u8>,
    /// The most that the whole call may take, redirects included; without one, nearly all the time that the request has left.
    pub timeout: Option<Duration>,
}

/// What the other server answered. A status of error is an answer like any other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The bytes, as they came: nothing is asked for in compressed form.
    pub body: Vec<u8>,
}

/// Why a call has no answer that can be used: it was refused, nobody answered, or what came is not what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpError(String);

impl fmt::Display for HttpError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl core::error::Error for HttpError {}

/// A GET.
#[must_use]
pub fn get(url: impl Into<String>) -> Call {
    call("GET", url)
}

/// A HEAD.
#[must_use]
pub fn head(url: impl Into<String>) -> Call {
    call("HEAD", url)
}

/// A POST.
#[must_use]
pub fn post(url: impl Into<String>) -> Call {
    call("POST", url)
}

/// A PUT.
#[must_use]
pub fn put(url: impl Into<String>) -> Call {
    call("PUT", url)
}

/// A PATCH.
#[must_use]
pub fn patch(url: impl Into<String>) -> Call {
    call("PATCH", url)
}

/// A DELETE.
#[must_use]
pub fn delete(url: impl Into<String>) -> Call {
    call("DELETE", url)
}

fn call(method: &'static str, url: impl Into<String>) -> Call {
    Call { method, url: url.into(), ..Call::default() }
}

impl Call {
    /// Adds a header. Those of the connection are the host's: `host`, `content-length` and their like are refused.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// Sends a value as JSON.
    #[must_use]
    pub fn json(self, value: &impl Data) -> Self {
        self.body("application/json", to_json(value))
    }

    /// Sends text as it is.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.body("text/plain; charset=utf-8", text.into())
    }

    /// Sends bytes of a media type. A `content-type` among the headers comes before it.
    #[must_use]
    pub fn body(mut self, media_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.body = bytes.into();
        let is_given = self.headers.iter().any(|(name, _)| name == "content-type");
        if is_given { self } else { self.header("content-type", media_type) }
    }

    /// The most that the whole call may take, redirects included.
    #[must_use]
    pub fn timeout(mut self, time: Duration) -> Self {
        self.timeout = Some(time);
        self
    }

    /// Makes the call and waits for its answer. Redirects are followed, each by the same rules.
    ///
    /// # Errors
    /// The call is refused, or has no answer; the message says why, in Portuguese.
    pub fn send(self) -> Result<Reply, HttpError> {
        let Self { method, url, headers, body, timeout } = self;
        let timeout_ms = timeout.map(|time| u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1));
        let request = outbound::Request { method: method.to_string(), url, headers, body, timeout_ms };
        let outbound::Response { status, headers, body } = outbound::fetch(&request).map_err(HttpError)?;
        Ok(Reply { status, headers, body })
    }
}

impl Reply {
    /// The status is one of success, 200 to 299.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// A header by its lower-case name; several of one name are joined by `, `.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        let mut values = self.headers.iter().filter(|(held, _)| held == name).map(|(_, value)| value.as_str());
        let first = values.next()?;
        Some(values.fold(Cow::Borrowed(first), |joined, value| joined + ", " + value))
    }

    /// The body as text; `None` where it is none: UTF-8, or Latin-1 where the other server says so.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'_, str>> {
        if media::is_latin1(self.header("content-type").as_deref().unwrap_or_default()) {
            return Some(Cow::Owned(self.body.iter().copied().map(char::from).collect()));
        }
        core::str::from_utf8(&self.body).ok().map(Cow::Borrowed)
    }

    /// The body as JSON of a type. Members that the type does not name are passed over: the other server may add some at any time.
    ///
    /// # Errors
    /// It is no JSON, or does not fit the type.
    pub fn json<T: Data>(&self) -> Result<T, HttpError> {
        let value = json::parse(&self.body).map_err(|fault| HttpError(format!("a resposta não é JSON: {fault}")))?;
        T::from_value(value).map_err(|mismatch: Mismatch| HttpError(format!("a resposta não é a esperada: {mismatch}")))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use alloc::collections::BTreeMap;

    use super::*;
    use crate::testing::outbound;

    fn json_reply(status: u16, body: &str) -> Reply {
        Reply { status, headers: [("content-type".into(), "application/json".into())].into(), body: body.into() }
    }

    #[test]
    fn a_call_goes_as_it_was_put_together() {
        outbound(|call| {
            assert_eq!((call.method, call.url.as_str()), ("PUT", "https://a.com/x"));
            assert_eq!(call.headers, [("x-chave".to_string(), "k".to_string()), ("content-type".into(), "application/json".into())]);
            assert_eq!((call.body.as_slice(), call.timeout), (&b"{\"a\":1}"[..], Some(Duration::from_millis(250))));
            Ok(json_reply(201, r#"{"n":1,"outro":true}"#))
        });
        let sent = BTreeMap::from([("a".to_string(), 1_i64)]);
        let reply = put("https://a.com/x").header("X-Chave", "k").json(&sent).timeout(Duration::from_millis(250)).send().unwrap();
        assert!(reply.is_success());
        assert_eq!(reply.header("content-type").as_deref(), Some("application/json"));
        assert_eq!(reply.json::<crate::Value>().unwrap().get("n"), Some(&crate::Value::Int(1)));
        assert_eq!(
            reply.json::<BTreeMap<String, i64>>().unwrap_err().to_string(),
            "a resposta não é a esperada: outro: deve ser i64, mas veio Bool"
        );
    }

    #[test]
    fn what_the_host_would_refuse_is_refused_in_tests() {
        outbound(|_| Ok(Reply { status: 200, ..Reply::default() }));
        let refused = |call: Call| call.send().unwrap_err().to_string();
        assert_eq!(refused(get("file:///etc/passwd")), "o endereço deve começar com `https://` ou `http://`");
        assert_eq!(refused(get("https://a.com").header("Host", "b.com")), "o cabeçalho host é do servidor");
        outbound(|_| Err("não foi possível conectar a a.com".into()));
        assert_eq!(refused(post("https://a.com").text("oi")), "não foi possível conectar a a.com");
    }

    #[test]
    fn a_media_type_of_ones_own_comes_first() {
        let call = post("https://a.com").header("Content-Type", "application/x").text("a");
        assert_eq!(call.headers, [("content-type".to_string(), "application/x".to_string())]);
    }

    #[test]
    fn a_body_is_text_where_it_is_any() {
        let reply = |kind: &str, body: &[u8]| Reply {
            status: 200,
            headers: [("content-type".into(), kind.into()), ("x".into(), "a".into()), ("x".into(), "b".into())].into(),
            body: body.into(),
        };
        assert_eq!(reply("text/plain", "é".as_bytes()).text().as_deref(), Some("é"));
        assert_eq!(reply("text/plain; charset=ISO-8859-1", b"\xE9").text().as_deref(), Some("é"));
        assert_eq!(reply("text/plain", b"\xE9").text(), None);
        assert_eq!(reply("", b"").header("x").as_deref(), Some("a, b"));
        assert!(reply("", b"{").json::<i64>().unwrap_err().to_string().starts_with("a resposta não é JSON: "));
    }
}
