//! `Http.*`, what came in: path, query, form, headers, cookies, body.

use alloc::{
    borrow::Cow,
    string::{String, ToString},
    vec::Vec,
};

use djo_contract::{cookie::cookie, route::decode_leniently};

use super::{optional_text, text};
use crate::{
    builtins::Builtin,
    context::Context,
    error::{Fallible, kind, raise},
    json,
    value::{Handle, Value},
};

/// Fields of a form or query that are looked at.
const MAX_FIELDS: usize = 10_000;

pub(super) fn call(ctx: &mut Context<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    let request = ctx.request;
    match builtin {
        Builtin::HttpMethod => Ok(ctx.heap.text(request.method.as_str())),
        Builtin::HttpPath => Ok(ctx.heap.text(request.path.as_str())),
        Builtin::HttpParam => {
            let name = text(&ctx.heap, builtin, args, 0)?;
            let found = request.params.iter().find(|(given, _)| given == name).map(|(_, value)| value.clone());
            Ok(optional_text(&mut ctx.heap, found))
        }
        // A declared parameter comes with its type.
        Builtin::HttpQuery => {
            let name = String::from(text(&ctx.heap, builtin, args, 0)?);
            if let Some(arguments) = ctx.declared()?
                && let Some(value) = ctx.heap.member_named(arguments, &name)
            {
                return Ok(value);
            }
            Ok(query_value(ctx, &name))
        }
        // Of each name the first value.
        Builtin::HttpQueries => {
            ctx.guard(request.query.len());
            let heap = &mut ctx.heap;
            let (handle, map) = heap.map(4);
            for (name, value) in pairs(&request.query) {
                if heap.member_named(handle, &name).is_none() {
                    let (key, value) = (heap.text(name), heap.text(value));
                    heap.put_new(handle, key, value)?;
                }
            }
            Ok(map)
        }
        Builtin::HttpForm => {
            let name = String::from(text(&ctx.heap, builtin, args, 0)?);
            let form = ctx.form_fields()?;
            Ok(ctx.heap.member_named(form, &name).unwrap_or_default())
        }
        Builtin::HttpHeader => {
            let name = text(&ctx.heap, builtin, args, 0)?.to_ascii_lowercase();
            let found = ctx.host.header(&name);
            Ok(optional_text(&mut ctx.heap, found))
        }
        Builtin::HttpCookie => {
            let name = String::from(text(&ctx.heap, builtin, args, 0)?);
            let found = ctx.cookie(&name);
            Ok(optional_text(&mut ctx.heap, found))
        }
        Builtin::HttpBody => match core::str::from_utf8(&request.body) {
            Ok(body) => Ok(ctx.heap.text(body)),
            Err(_) => Err(raise(kind::HTTP, "o corpo não é texto em UTF-8")),
        },
        Builtin::HttpJsonBody => {
            let body = if request.body.is_empty() { &request.arguments } else { &request.body };
            if body.is_empty() {
                return Ok(Value::Nil);
            }
            ctx.guard(body.len());
            match json::decode(&mut ctx.heap, body, json::Limits::default()) {
                // Like all that the request does not have.
                Err(error) if error.kind == kind::INPUT => Ok(Value::Nil),
                decoded => decoded,
            }
        }
        Builtin::HttpIp => {
            let ip = ctx.host.client_ip();
            Ok(ctx.heap.text(ip))
        }
        Builtin::HttpCursor => Ok(query_value(ctx, "cursor")),
        _ => Err(crate::error::invalid_image()),
    }
}

/// The first value of a name of the query, as it came.
fn query_value(ctx: &mut Context<'_>, name: &str) -> Value {
    let found = pairs(&ctx.request.query).find(|(given, _)| given == name).map(|(_, value)| value);
    optional_text(&mut ctx.heap, found)
}

/// The pairs of a query or of a form sent like one, decoded.
fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    let decode = |part: &str| String::from_utf8_lossy(&decode_leniently(part.as_bytes(), true)).into_owned();
    query.split('&').filter(|pair| !pair.is_empty()).take(MAX_FIELDS).map(move |pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    })
}

impl Context<'_> {
    /// The decoded arguments of the request, as a Map; parsed once.
    pub(crate) fn declared(&mut self) -> Fallible<Option<Handle>> {
        if self.request.arguments.is_empty() {
            return Ok(None);
        }
        if self.arguments.is_none() {
            self.guard(self.request.arguments.len());
            let arguments = json::decode(&mut self.heap, &self.request.arguments, json::DECODED)?;
            self.arguments = Some(arguments);
        }
        match self.arguments {
            Some(Value::Map(handle)) => Ok(Some(handle)),
            _ => Ok(None),
        }
    }

    /// A cookie of the request.
    pub(crate) fn cookie(&mut self, name: &str) -> Option<String> {
        cookie(&self.host.header("cookie")?, name)
    }

    /// The text fields of the form that was submitted; of each name the first value. Parsed once.
    fn form_fields(&mut self) -> Fallible<Handle> {
        if let Some(Value::Map(handle)) = self.form {
            return Ok(handle);
        }
        let media = self.host.header("content-type").unwrap_or_default();
        let (kind, parameters) = media.split_once(';').unwrap_or((&media, ""));
        let body: &[u8] = &self.request.body;
        let fields: Vec<(String, String)> = match kind.trim().to_ascii_lowercase().as_str() {
            "application/x-www-form-urlencoded" => pairs(&String::from_utf8_lossy(body)).collect(),
            "multipart/form-data" => boundary(parameters).map(|boundary| multipart(body, &boundary)).unwrap_or_default(),
            _ => Vec::new(),
        };
        self.guard(body.len());
        let (handle, map) = self.heap.map(fields.len());
        for (name, value) in fields {
            if self.heap.member_named(handle, &name).is_none() {
                let (key, value) = (self.heap.text(name), self.heap.text(value));
                self.heap.put_new(handle, key, value)?;
            }
        }
        self.form = Some(map);
        Ok(handle)
    }
}

/// The boundary of a multipart body.
fn boundary(parameters: &str) -> Option<String> {
    parameter(parameters, "boundary").filter(|boundary| !boundary.is_empty() && boundary.len() <= 70)
}

/// A parameter of a header's value, out of its quotes.
fn parameter(parameters: &str, wanted: &str) -> Option<String> {
    let mut rest = parameters;
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim_matches(|letter: char| letter == ';' || letter.is_whitespace());
        let (value, tail) = match after.strip_prefix('"') {
            Some(quoted) => unquote(quoted),
            None => {
                let (value, tail) = after.split_once(';').unwrap_or((after, ""));
                (value.trim().to_string(), tail)
            }
        };
        if name.eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = tail;
    }
    None
}

/// What stands before the closing quote, and what after it. Browsers write a quote as `%22`.
fn unquote(quoted: &str) -> (String, &str) {
    let (value, tail) = quoted.split_once('"').unwrap_or((quoted, ""));
    (value.replace("%22", "\"").replace("%0D%0A", "\r\n"), tail)
}

/// The position of a part in bytes.
fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len().max(1)).position(|window| window == part)
}

/// The fields of a multipart body that are text: files are left out.
fn multipart(body: &[u8], boundary: &str) -> Vec<(String, String)> {
    let first = alloc::format!("--{boundary}");
    let delimiter = alloc::format!("\r\n--{boundary}");
    let mut fields = Vec::new();
    let Some(start) = find(body, first.as_bytes()) else { return fields };
    let mut rest = body.get(start + first.len()..).unwrap_or_default();
    while !rest.starts_with(b"--") && fields.len() < MAX_FIELDS {
        let Some(end) = find(rest, delimiter.as_bytes()) else { break };
        let (part, after) = rest.split_at(end);
        rest = after.get(delimiter.len()..).unwrap_or_default();
        let Some(blank) = find(part, b"\r\n\r\n") else { continue };
        let (head, value) = part.split_at(blank);
        let head: Cow<'_, str> = String::from_utf8_lossy(head);
        let disposition = head.split("\r\n").filter_map(|line| line.split_once(':'));
        let mut disposition = disposition.filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-disposition"));
        let Some((_, disposition)) = disposition.next() else { continue };
        let parameters = disposition.split_once(';').map_or("", |(_, parameters)| parameters);
        if parameter(parameters, "filename").is_none()
            && let Some(name) = parameter(parameters, "name")
        {
            let value = String::from_utf8_lossy(value.get(4..).unwrap_or_default()).into_owned();
            fields.push((name, value));
        }
    }
    fields
}
