//! From the ways in which a run can end to what a caller is told. The layers of failure of the tool boundary, §5.

use bytes::Bytes;
use djo_contract::json;
use djo_contract::tool::{RefusalKind, Tool, ToolRefusal};
use djo_contract::value::Value;
use http::StatusCode;
use http::header::RETRY_AFTER;

use super::error::{Category, Directive, ToolError};
use crate::execution::{ExecutionError, ResultError, RunFailure, ShapeError};
use crate::respond::error::detail_of;

/// How a run failed, and what that means for its key.
pub(super) struct Failure {
    /// What the caller is told.
    pub(super) error: ToolError,
    /// What is known of the run.
    pub(super) end: End,
}

/// By what a caller can correct a call.
#[derive(Clone, Copy)]
pub(super) struct Mending<'a> {
    /// Arguments that would fit.
    pub(super) example: Option<&'a Value>,
    /// The arguments that were sent.
    pub(super) sent: &'a Value,
}

/// What is known of a run that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It never started.
    NotStarted,
    /// It came to this answer, which is its outcome.
    Known,
    /// It was cut off: what it did is not known.
    CutOff,
}

/// A run that gave no answer. `dev` shows the author what broke.
pub(super) fn of_error(tool: &Tool, mending: Mending<'_>, error: &ExecutionError, dev: bool) -> Failure {
    let busy = |message| ToolError::new("CAPACITY", Category::Capacity, message).retryable(Some(1));
    let (mut told, end) = match error {
        ExecutionError::Inject(error) if error.status() == 401 => (unauthenticated(), End::NotStarted),
        ExecutionError::Inject(_) | ExecutionError::Run(RunFailure::BodyTooLarge) => (internal(), End::NotStarted),
        ExecutionError::Run(RunFailure::LaneFull) => (busy("agentes demais ao mesmo tempo: tente de novo em instantes"), End::NotStarted),
        ExecutionError::Run(RunFailure::Busy | RunFailure::SiteFull) => {
            (busy("este site está ocupado: tente de novo em instantes"), End::NotStarted)
        }
        ExecutionError::Run(RunFailure::TimedOut) => (ToolError::new("TIMEOUT", Category::Timeout, "tempo esgotado"), End::CutOff),
        ExecutionError::Run(RunFailure::Failed(Some(failure))) => match ToolRefusal::of(&failure.message, failure.refusal.as_deref()) {
            Some(refusal) => (refused(mending, refusal), End::Known),
            None => (internal(), End::Known),
        },
        // A trap, or a limit that it met.
        ExecutionError::Run(RunFailure::Failed(None) | RunFailure::BrokeOff(_) | RunFailure::Starved) => (internal(), End::CutOff),
        ExecutionError::Shape(ShapeError::Result(ResultError::Mismatch(issues))) => {
            let mut error = malformed();
            error.details = issues.members();
            (error, End::Known)
        }
        ExecutionError::Shape(ShapeError::NoRoom) => (internal(), End::Known),
        ExecutionError::Shape(_) => (malformed(), End::Known),
    };
    if dev
        && told.category == Category::Internal
        && let Some(detail) = detail_of(error)
    {
        told = told.detail("detalhe", detail);
    }
    Failure { error: repeatable(tool, told, end), end }
}

/// The site's own answer that says no.
pub(super) fn of_response(tool: &Tool, response: &http::Response<Bytes>) -> Failure {
    let status = response.status();
    let (code, category) = match status.as_u16() {
        401 => ("UNAUTHENTICATED", Category::Permission),
        403 => ("PERMISSION_DENIED", Category::Permission),
        404 | 410 => ("NOT_FOUND", Category::NotFound),
        409 => ("CONFLICT", Category::Conflict),
        429 => ("RATE_LIMITED", Category::Capacity),
        503 => ("UNAVAILABLE", Category::Capacity),
        504 => ("TIMEOUT", Category::Timeout),
        400..=499 => ("REJECTED", Category::Validation),
        _ => ("INTERNAL", Category::Internal),
    };
    let body = (status.is_client_error()).then(|| words_of(response)).flatten();
    let own_words = body.as_ref().and_then(|body| body.get("erro")).and_then(Value::as_str).map(str::to_owned);
    let mut error = ToolError::new(code, category, own_words.unwrap_or_else(|| message(status).to_owned()));
    error = match category {
        Category::Validation | Category::NotFound | Category::Conflict => error.recoverable(Directive::Replan),
        Category::Permission => error.with_action(Directive::Finish),
        _ => error,
    };
    error = error.detail("status", Value::Int(status.as_u16().into()));
    if let Some(body) = body {
        error = error.detail("body", body);
    }
    let wait = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()).and_then(|text| text.trim().parse().ok());
    error.retry_after = wait.filter(|_| category == Category::Capacity);
    Failure { error: repeatable(tool, error, End::Known), end: End::Known }
}

/// Whether the key of a failed run is free again: what may be sent again must not be answered alike for ever.
pub(super) fn releases(tool: &Tool, failure: &Failure) -> bool {
    match failure.end {
        End::NotStarted => true,
        End::CutOff => tool.is_repeatable(),
        End::Known => failure.error.retryable,
    }
}

/// A failure that may pass is retryable where running again does no harm. Time-outs never are: they are not told from a run that
/// cannot end.
fn repeatable(tool: &Tool, error: ToolError, end: End) -> ToolError {
    let passes = matches!(error.category, Category::Capacity | Category::Internal);
    if end != End::NotStarted && tool.is_repeatable() && passes && !error.retryable {
        let after = error.retry_after;
        return error.retryable(after);
    }
    error
}

/// A tool's own refusal, as its code gave it.
fn refused(mending: Mending<'_>, refusal: ToolRefusal) -> ToolError {
    let ToolRefusal { kind, message, directive, retry_after, details } = refusal;
    let (code, category) = match kind {
        RefusalKind::InvalidCall => ("INVALID_CALL", Category::Validation),
        RefusalKind::DomainRejection => ("DOMAIN_REJECTION", Category::Conflict),
        RefusalKind::Unavailable => ("UNAVAILABLE", Category::Capacity),
        RefusalKind::RateLimited => ("RATE_LIMITED", Category::Capacity),
        RefusalKind::Timeout => ("TIMEOUT", Category::Timeout),
        RefusalKind::MalformedResult => return malformed(),
        RefusalKind::Internal => return internal(),
    };
    let mut error = ToolError::new(code, category, message);
    error.suggested_action = directive.and_then(|name| Directive::from_name(&name));
    let mendable = kind.is_mendable();
    if mendable {
        error.recoverable = error.suggested_action != Some(Directive::Finish);
    }
    error.retry_after = retry_after;
    error.details = details;
    if error.suggested_action == Some(Directive::CorrectCall) {
        error.correct_by(mending.example, mending.sent);
    }
    error
}

fn unauthenticated() -> ToolError {
    ToolError::new("UNAUTHENTICATED", Category::Permission, "entre primeiro").with_action(Directive::Finish)
}

/// Something broke inside: the log has it.
pub(super) fn internal() -> ToolError {
    ToolError::new("INTERNAL", Category::Internal, "erro interno")
}

/// What the code answered is not what it declares.
pub(super) fn malformed() -> ToolError {
    ToolError::new("MALFORMED_RESULT", Category::Internal, "a resposta da ferramenta não confere com o que ela declara")
}

fn message(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "entre primeiro",
        403 => "sem permissão",
        404 | 410 => "não encontrado",
        409 => "o pedido conflita com o estado atual",
        429 => "pedidos demais: tente de novo em instantes",
        503 => "indisponível: tente de novo em instantes",
        504 => "tempo esgotado",
        400..=499 => "o site recusou o pedido",
        _ => "erro interno",
    }
}

/// The site's own words in an answer that says no; of a long one nothing.
fn words_of(response: &http::Response<Bytes>) -> Option<Value> {
    const LONGEST: usize = 64 << 10;
    let body = Some(response.body()).filter(|body| !body.is_empty() && body.len() <= LONGEST)?;
    json::parse(body).ok().or_else(|| std::str::from_utf8(body).ok().map(Value::from))
}

/// The body of an answer as compact JSON: what it holds, else its text as a string. `None` when it is neither.
pub(super) fn data_of(body: &[u8]) -> Option<String> {
    if body.is_empty() {
        return Some("null".to_owned());
    }
    json::compact(body, json::RESULT).ok().or_else(|| {
        let mut text = String::new();
        json::write_str(std::str::from_utf8(body).ok()?, &mut text);
        Some(text)
    })
}
