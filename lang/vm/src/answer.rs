//! What a run puts out: status, headers, body; and the response that becomes of it.

use alloc::{string::String, vec::Vec};

use crate::{
    context::Context,
    error::{Fallible, invalid_image},
    host::{Entry, PageBounds, Response},
    image::Function,
    json,
    value::Value,
};

/// The body so far; the last one put out wins.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Body {
    /// Nothing yet; a template's text may become one.
    #[default]
    None,
    Json(Vec<u8>),
    Html(Vec<u8>),
}

/// What code said of the response.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: Option<u16>,
    /// Names in lower case, checked, each once.
    pub(crate) headers: Vec<(String, String)>,
    /// Values of `set-cookie`.
    pub(crate) cookies: Vec<String>,
    pub(crate) body: Body,
    pub(crate) page: Option<PageBounds>,
    /// Where `Http.redirect:` points.
    pub(crate) location: Option<String>,
}

impl Context<'_> {
    /// Puts out a value as JSON; of a `Pagina`, its items, with its bounds beside them.
    pub(crate) fn put_json(&mut self, value: Value) -> Fallible<()> {
        let mut shown = value;
        let mut page = None;
        if let Value::Struct(handle) = value {
            let (ty, fields) = self.heap.fields(handle)?;
            if ty == self.heap.program.pagina() {
                let [items, truncated, cursor, total, hint] = *fields else { return Err(invalid_image()) };
                let Value::Arr(list) = items else { return Err(invalid_image()) };
                let text = |value: Value| (!value.is_nil()).then(|| self.heap.lossy(value).into_owned());
                page = Some(PageBounds {
                    returned: self.heap.items(list)?.len() as u64,
                    truncated: matches!(truncated, Value::Bool(true)),
                    total: if let Value::Int(total) = total { u64::try_from(total).ok() } else { None },
                    refinement_hint: text(hint),
                    next_cursor: text(cursor),
                });
                shown = items;
            }
        }
        let mut body = Vec::with_capacity(512);
        json::encode(&self.heap, shown, &mut body)?;
        self.answer.body = Body::Json(body);
        self.answer.page = page;
        Ok(())
    }

    /// The response of a run that ended, with what its function returned.
    pub(crate) fn respond(&mut self, function: &Function, result: Option<Value>) -> Fallible<Response> {
        let entry = self.request.entry;
        match (entry, result) {
            (Entry::Action(_), Some(value)) => self.put_json(value)?,
            (Entry::Action(_), None) if self.answer.body == Body::None && self.answer.location.is_none() => {
                self.answer.body = Body::Json(b"{\"ok\":true}".into());
            }
            // A face may say its answer by `return` too.
            (Entry::Agent(_), Some(value)) if self.answer.body == Body::None && !value.is_nil() => self.put_json(value)?,
            _ => {}
        }
        self.finish_session()?;
        let answer = core::mem::take(&mut self.answer);
        let written = core::mem::take(&mut self.out.bytes);
        let (body, media) = match answer.body {
            Body::Json(body) => (body, "application/json"),
            Body::Html(body) => (body, "text/html; charset=utf-8"),
            Body::None if function.is_template() && answer.location.is_none() => (written, "text/html; charset=utf-8"),
            Body::None => (Vec::new(), ""),
        };
        let usual = match entry {
            _ if answer.location.is_some() => 303,
            Entry::ErrorPage(status) => status,
            _ if body.is_empty() => 204,
            _ => 200,
        };
        let status = answer.status.unwrap_or(usual);
        let body = if matches!(status, 204 | 304) { Vec::new() } else { body };
        let mut headers = Vec::with_capacity(answer.headers.len() + answer.cookies.len() + 2);
        if !body.is_empty() && !answer.headers.iter().any(|(name, _)| name == "content-type") {
            headers.push(("content-type".into(), media.into()));
        }
        headers.extend(answer.location.map(|location| ("location".into(), location)));
        headers.extend(answer.cookies.into_iter().map(|cookie| ("set-cookie".into(), cookie)));
        headers.extend(answer.headers);
        Ok(Response { status, headers, body, page: answer.page })
    }
}
