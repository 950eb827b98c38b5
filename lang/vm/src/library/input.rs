//! `Http.*`, what came in: path, query, form, headers, cookies, body.

use alloc::string::String;

use djo_contract::{
    cookie::cookie,
    form::{self, pairs},
};

use super::{optional_text, text};
use crate::{
    builtins::Builtin,
    context::Context,
    error::{Fallible, kind, raise},
    json,
    value::{Handle, Value},
};

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
            // Not every host tells it.
            let ip = Some(ctx.host.client_ip()).filter(|ip| !ip.is_empty());
            Ok(optional_text(&mut ctx.heap, ip))
        }
        Builtin::HttpCursor => {
            let cursor = form::cursor(&ctx.request.query);
            Ok(optional_text(&mut ctx.heap, cursor))
        }
        _ => Err(crate::error::invalid_image()),
    }
}

/// The first value of a name of the query, as it came.
fn query_value(ctx: &mut Context<'_>, name: &str) -> Value {
    let found = pairs(&ctx.request.query).find(|(given, _)| given == name).map(|(_, value)| value);
    optional_text(&mut ctx.heap, found)
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
        let body: &[u8] = &self.request.body;
        let fields = form::fields(&media, body);
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
