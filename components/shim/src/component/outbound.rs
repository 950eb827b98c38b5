//! Calls to other servers, by the `wasi:http` of whatever host there is. Where to is that host's to allow; what a call may be and where
//! its redirects lead is as on ours.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use djo_contract::fetch::{BadCall, Call, MAX_REDIRECTS};

use super::bindings::exports::djo::site::outbound::{Guest, Request, Response};
use super::bindings::wasi::http::outgoing_handler;
use super::bindings::wasi::http::types::{
    ErrorCode, Fields, IncomingResponse, Method, OutgoingBody, OutgoingRequest, RequestOptions, Scheme,
};
use super::bindings::wasi::io::streams::StreamError;
use super::exports::Shim;

/// Bytes of a body, either way.
const MAX_BODY: usize = 8 << 20;
/// What one blocking write of `wasi:io/streams` takes.
const WRITE: usize = 4096;
/// Bytes asked for at once.
const READ: u64 = 64 << 10;

impl Guest for Shim {
    fn fetch(request: Request) -> Result<Response, String> {
        let Request { method, url, headers, body, timeout_ms } = request;
        if body.len() > MAX_BODY {
            return Err(format!("o corpo enviado passa de {MAX_BODY} bytes"));
        }
        let mut call = Call::new(&method, &url, headers, body).map_err(|bad| bad.to_string())?;
        for _ in 0..=MAX_REDIRECTS {
            let response = exchange(&call, timeout_ms)?;
            let headers = told(&response);
            let location = headers.iter().find(|(name, _)| name == "location").map(|(_, value)| value.as_str());
            match call.redirected(response.status(), location).map_err(|bad| bad.to_string())? {
                Some(next) => call = next,
                None => return Ok(Response { status: response.status(), headers, body: read(&response, &call)? }),
            }
        }
        Err(BadCall::TooManyRedirects.to_string())
    }
}

/// Sends a call and waits for the head of its response.
fn exchange(call: &Call, timeout_ms: Option<u32>) -> Result<IncomingResponse, String> {
    let failed = |code: ErrorCode| message(call, &code);
    let refused = |()| failed(ErrorCode::HttpRequestUriInvalid);
    let mut entries: Vec<_> = call.headers.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes())).collect();
    entries.push(("accept-encoding".to_string(), b"identity".to_vec()));
    if !call.body.is_empty() || !matches!(call.method.as_str(), "GET" | "HEAD") {
        entries.push(("content-length".to_string(), call.body.len().to_string().into_bytes()));
    }
    let fields = Fields::from_list(&entries).map_err(|_| "este servidor não aceita um dos cabeçalhos".to_string())?;
    let request = OutgoingRequest::new(fields);
    request.set_method(&method(&call.method)).map_err(refused)?;
    request.set_scheme(Some(if call.url.origin.secure { &Scheme::Https } else { &Scheme::Http })).map_err(refused)?;
    request.set_authority(Some(&call.url.origin.authority())).map_err(refused)?;
    request.set_path_with_query(Some(&call.url.target)).map_err(refused)?;
    let body = if call.body.is_empty() { None } else { Some(request.body().map_err(refused)?) };
    let options = timeout_ms.map(|ms| {
        let options = RequestOptions::new();
        let time = Some(u64::from(ms) * 1_000_000);
        // A host that does not know one of them measures by its own.
        let _ = (options.set_connect_timeout(time), options.set_first_byte_timeout(time), options.set_between_bytes_timeout(time));
        options
    });
    let pending = outgoing_handler::handle(request, options).map_err(failed)?;
    if let Some(body) = body {
        // A write that fails: the response says why.
        let _ = send(body, &call.body);
    }
    loop {
        match pending.get() {
            Some(response) => return response.map_err(refused)?.map_err(failed),
            None => pending.subscribe().block(),
        }
    }
}

fn send(body: OutgoingBody, bytes: &[u8]) -> Option<()> {
    let stream = body.write().ok()?;
    for part in bytes.chunks(WRITE) {
        stream.blocking_write_and_flush(part).ok()?;
    }
    drop(stream);
    OutgoingBody::finish(body, None).ok()
}

/// The whole body, no further than its limit.
fn read(response: &IncomingResponse, call: &Call) -> Result<Vec<u8>, String> {
    let broken = |()| message(call, &ErrorCode::HttpResponseIncomplete);
    let body = response.consume().map_err(broken)?;
    let stream = body.stream().map_err(broken)?;
    let mut content = Vec::new();
    loop {
        match stream.blocking_read(READ) {
            Ok(chunk) => content.extend_from_slice(&chunk),
            Err(StreamError::Closed) => return Ok(content),
            Err(StreamError::LastOperationFailed(_)) => return Err(broken(())),
        }
        if content.len() > MAX_BODY {
            return Err(format!("a resposta de {} passa de {MAX_BODY} bytes", call.url.origin.host));
        }
    }
}

fn told(response: &IncomingResponse) -> Vec<(String, String)> {
    let entries = response.headers().entries().into_iter();
    entries.map(|(name, value)| (name.to_ascii_lowercase(), String::from_utf8_lossy(&value).into_owned())).collect()
}

fn method(name: &str) -> Method {
    match name {
        "GET" => Method::Get,
        "HEAD" => Method::Head,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "PATCH" => Method::Patch,
        "DELETE" => Method::Delete,
        "OPTIONS" => Method::Options,
        other => Method::Other(other.to_string()),
    }
}

/// Why there is no answer, for the site's code.
fn message(call: &Call, code: &ErrorCode) -> String {
    let origin = &call.url.origin;
    let host = &origin.host;
    match code {
        ErrorCode::HttpRequestDenied | ErrorCode::DestinationIpProhibited => format!("este servidor não permite chamar `{origin}`"),
        ErrorCode::DnsError(_) | ErrorCode::DnsTimeout | ErrorCode::DestinationNotFound => format!("o host {host} não foi encontrado"),
        ErrorCode::ConnectionTimeout | ErrorCode::ConnectionReadTimeout | ErrorCode::HttpResponseTimeout => {
            format!("{host} não respondeu a tempo")
        }
        ErrorCode::HttpResponseIncomplete | ErrorCode::ConnectionTerminated => format!("a resposta de {host} veio quebrada"),
        _ => format!("não foi possível chamar {host}"),
    }
}
