//! Every way in which a request can end without its answer, as HTTP. The one place that decides what a client may know of it.

use std::sync::Arc;

use djo_contract::refusal::Refusal;
use djo_contract::tool::ToolRefusal;
use djo_contract::value::Value;
use http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};

use super::{Body, excerpt, page, vary};
use crate::execution::{ExecutionError, ResultError, RunFailure, ShapeError, ViewError, attempt, checked};
use crate::markdown;
use crate::pipeline::body::BodyError;
use crate::pipeline::{AdmitError, Audience, NegotiateError, OnceError, Refused, RouteError, Scene, TenantError, ValidateError};
use crate::sandbox::{Entry, Failure, Request, aside};
use crate::server::Host;
use crate::site::assets::AssetError;
use crate::store::StoreError;
use crate::tools::Category;

/// Turns a refusal into a response: JSON for programs, a page for people, the site's own page where it has one.
pub async fn refuse(host: &Host, scene: &Scene, refused: Refused) -> Response<Body> {
    let detail = if host.options.dev { detail(&refused) } else { None };
    // What is left of a body that was too large is thrown away, not read: the connection cannot be used again.
    let close =
        matches!(refused, Refused::Validate(ValidateError::Body(_)) | Refused::Execution(ExecutionError::Run(RunFailure::BodyTooLarge)));
    let place = if host.options.dev { place(scene, &refused) } else { None };
    let refusal = explain(refused, detail.as_deref());
    let status = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut headers = HeaderMap::new();
    for (name, value) in refusal.headers() {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(if scene.caches { "private, no-store" } else { "no-store" }));
    if scene.caches {
        vary(&mut headers, "Cookie");
    }
    if close {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    let body = match scene.audience {
        _ if let Some(door) = &scene.door => {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            Body::from(door.refusal(&refusal))
        }
        Audience::Program => {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            Body::from(refusal.body())
        }
        Audience::Person => {
            let page = match own_page(host, scene, status, detail.is_some()).await {
                Some(page) => page,
                None => page::page(status, &refusal.erro(), detail.as_deref(), place.as_deref()).into_bytes(),
            };
            // It is done here, on a serving thread.
            let as_markdown = scene.markdown && page.len() <= aside::LARGE / 4;
            headers.insert(
                CONTENT_TYPE,
                HeaderValue::from_static(if as_markdown { markdown::MEDIA_TYPE } else { "text/html; charset=utf-8" }),
            );
            if as_markdown { Body::from(markdown::from_html(&String::from_utf8_lossy(&page))) } else { Body::from(page) }
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// What a client is told.
fn explain(refused: Refused, detail: Option<&str>) -> Refusal {
    match refused {
        Refused::Tenant(TenantError::Unknown) => Refusal::SiteNotFound,
        Refused::Tenant(TenantError::BadHost) => other(400, "o pedido precisa de um Host, um só, que seja um nome"),
        Refused::Tenant(TenantError::Broken(_)) => other(500, "o site não compila; programas recebem a última versão que compilou"),
        Refused::Tenant(TenantError::Unserved(why)) => Refusal::Unserved { detail: why.as_ref().into() },
        Refused::Route(RouteError::BadPath) | Refused::Validate(ValidateError::Query) => Refusal::BadPath,
        Refused::Route(RouteError::TooLong) => other(414, "endereço longo demais"),
        Refused::Route(RouteError::NotFound) => Refusal::NotFound,
        Refused::Route(RouteError::MethodNotAllowed(allow)) => Refusal::MethodNotAllowed { allow },
        Refused::Negotiate(NegotiateError::NoAgentFace) => Refusal::NoAgentFace,
        Refused::Negotiate(NegotiateError::NotAcceptable) => Refusal::NotAcceptable,
        Refused::Admit(AdmitError::OverRate) => Refusal::RateLimited,
        Refused::Validate(ValidateError::NotJson) => Refusal::UnsupportedMediaType,
        Refused::Validate(ValidateError::Body(BodyError::TooLarge(_))) => Refusal::BodyTooLarge,
        Refused::Validate(ValidateError::Body(BodyError::TooSlow)) => other(408, "o corpo demorou demais"),
        Refused::Validate(ValidateError::Body(BodyError::NoRoom)) => Refusal::Overloaded,
        Refused::Validate(ValidateError::Body(BodyError::Broken(_))) => other(400, "o corpo não chegou inteiro"),
        Refused::Validate(ValidateError::Input(error)) => error.into(),
        Refused::Validate(ValidateError::Continuation(error)) => match error.category {
            Category::NotFound => Refusal::Other { status: 404, erro: error.message },
            _ => Refusal::Internal { detail: detail.map(Value::from) },
        },
        Refused::Validate(ValidateError::View(ViewError::Selection(error))) => error.into(),
        Refused::Validate(ValidateError::View(ViewError::Table(reason))) => Refusal::Table(reason),
        Refused::Once(OnceError::Invalid) => other(400, "Idempotency-Key inválida: um texto de 1 a 256 caracteres, uma vez"),
        Refused::Once(OnceError::Mismatch) => Refusal::IdempotencyMismatch,
        Refused::Once(OnceError::Running) => Refusal::IdempotencyRunning,
        Refused::Once(OnceError::Unknown) => {
            other(409, "um pedido com esta Idempotency-Key começou e não se sabe como terminou: confira antes de repetir com outra")
        }
        Refused::Once(OnceError::Store(StoreError::RecordFull | StoreError::Full(_))) => {
            other(507, "não há lugar para registrar outra Idempotency-Key, e nada foi feito: tente mais tarde, ou sem a chave")
        }
        Refused::Once(OnceError::Store(_)) => Refusal::Internal { detail: detail.map(Value::from) },
        Refused::Execution(error) => of_execution(error, detail),
        Refused::Asset(AssetError::Gone) => Refusal::NotFound,
        Refused::Asset(AssetError::NoSuchBytes(size)) => Refusal::NoSuchBytes { size },
        Refused::Asset(AssetError::Unreadable(_)) => Refusal::Internal { detail: None },
    }
}

fn of_execution(error: ExecutionError, detail: Option<&str>) -> Refusal {
    match error {
        ExecutionError::Inject(error) if error.status() == 401 => Refusal::Unauthorized,
        ExecutionError::Shape(ShapeError::Result(ResultError::Mismatch(issues))) => Refusal::BrokenResult(issues),
        ExecutionError::Shape(ShapeError::TooLongForMarkdown(_)) => other(406, "esta página é longa demais para Markdown"),
        ExecutionError::Run(RunFailure::TimedOut) => Refusal::Timeout,
        ExecutionError::Run(RunFailure::Failed(Some(failure))) => ToolRefusal::of(&failure.message, failure.refusal.as_deref())
            .and_then(|refusal| refusal.to_refusal())
            .unwrap_or_else(|| Refusal::Internal { detail: detail.map(Value::from) }),
        ExecutionError::Run(RunFailure::BodyTooLarge) => Refusal::BodyTooLarge,
        ExecutionError::Run(RunFailure::LaneFull) => Refusal::LaneFull,
        ExecutionError::Run(RunFailure::Busy | RunFailure::SiteFull) => Refusal::Overloaded,
        _ => Refusal::Internal { detail: detail.map(Value::from) },
    }
}

fn other(status: u16, erro: &'static str) -> Refusal {
    Refusal::Other { status, erro: erro.into() }
}

/// For the author, with `--dev`: what broke and where.
fn detail(refused: &Refused) -> Option<String> {
    match refused {
        Refused::Tenant(TenantError::Broken(why) | TenantError::Unserved(why)) => Some(why.to_string()),
        Refused::Execution(error) => detail_of(error),
        _ => None,
    }
}

/// Where in the site's source it broke.
fn place(scene: &Scene, refused: &Refused) -> Option<String> {
    let Refused::Execution(ExecutionError::Run(RunFailure::Failed(Some(failure)) | RunFailure::BrokeOff(failure))) = refused else {
        return None;
    };
    excerpt::excerpt(&scene.site.as_ref()?.sources, &failure.file, failure.line)
}

/// For the author, with `--dev`: what broke in an execution.
pub(crate) fn detail_of(error: &ExecutionError) -> Option<String> {
    match error {
        ExecutionError::Run(RunFailure::Failed(Some(failure)) | RunFailure::BrokeOff(failure)) => Some(told(failure)),
        ExecutionError::Run(error) => Some(error.to_string()),
        ExecutionError::Shape(error) => Some(error.to_string()),
        // A session that lacks something is the caller's matter, not the author's.
        ExecutionError::Inject(error) => (error.status() == 500).then(|| error.to_string()),
    }
}

fn told(failure: &Failure) -> String {
    let mut text = format!("{}, {}, linha {}", failure.message, failure.file, failure.line);
    for frame in &failure.trace {
        text.push_str(&format!("\n  em {}", frame.function));
        // The standard library's own functions stand in no file.
        if !frame.file.is_empty() {
            text.push_str(&format!(" ({}, linha {})", frame.file, frame.line));
        }
    }
    text
}

/// The site's own page for a status. One that fails in its turn is as none: the built-in page says what there is to say.
async fn own_page(host: &Host, scene: &Scene, status: StatusCode, has_detail: bool) -> Option<Vec<u8>> {
    let site = scene.site.as_ref()?;
    // Who is refused because there is too much to do is not worth a run.
    let is_full = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    if has_detail || is_full || !site.contract.error_pages.contains(&status.as_u16()) {
        return None;
    }
    let request = Arc::new(Request {
        method: "GET".to_owned(),
        path: scene.path().to_owned(),
        query: scene.query().to_owned(),
        body: Vec::new(),
        entry: Entry::ErrorPage(status.as_u16()),
        params: Vec::new(),
        arguments: Vec::new(),
    });
    let answer = attempt(host, site, scene.context(), &request).await.ok()?;
    let response = checked(&site.name, answer.response).ok()?;
    Some(response.into_body().into())
}
