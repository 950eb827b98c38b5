//! From a plan to an answer: dry run, key, confirmation, run, record. In a task of its own, which ends when nobody waits any more.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use djo_contract::json;
use djo_contract::media::CONTENT_BLOCKS;
use djo_contract::tool::Tool;
use djo_contract::value::Value;
use http::header::CONTENT_TYPE;
use http::{Response, StatusCode};

use super::answer::{Answer, Hints};
use super::error::{Category, Directive, ToolError};
use super::event::Event;
use super::failure::{End, Failure, Mending, data_of, internal, malformed, of_error, of_response, releases};
use super::live::{CancelOnDrop, Execution, new_id};
use super::pages;
use super::plan::{Asked, Plan};
use super::{EXECUTIONS_URL, Executions};
use crate::execution::{Answered, Call, Caller, Claimed, Keyed, Ticket, claim, execute, standing};
use crate::sandbox::aside;
use crate::server::Host;
use crate::store::{Standing, StoreError};
use crate::tenant::Site;
use crate::text::header_text;

/// What becomes of the key of a call that was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Record {
    /// The answer is its outcome, for as long as it is kept.
    Keep,
    /// It is free again.
    Free,
    /// What the run did is not known.
    Unknown,
}

/// Runs a plan to its end, for who wants its answer alone. Dropped, it is cancelled.
pub async fn run(host: &Arc<Host>, plan: Plan) -> Arc<Answer> {
    let execution = start(host, plan);
    let _guard = CancelOnDrop(Arc::clone(&execution));
    execution.ended().await
}

/// Begins to run a plan. The execution tells what happens; cancelled, it ends at once.
pub fn start(host: &Arc<Host>, mut plan: Plan) -> Arc<Execution> {
    let execution = Execution::new(&plan.tool().name, plan.asked.caller);
    let executions = Arc::clone(&plan.asked.site.executions);
    executions.begin(&execution);
    let reporter = Arc::downgrade(&execution);
    plan.call.context.progress = Some(Arc::new(move |progress| {
        if let Some(execution) = reporter.upgrade() {
            execution.report(progress);
        }
    }));
    let (host, running) = (Arc::clone(host), Arc::clone(&execution));
    tokio::spawn(async move {
        // Whatever happens to this task, who waits is told of an end.
        let mut end = Ending { execution: running, executions, answer: None };
        let repeatable = plan.tool().is_repeatable();
        let answer = tokio::select! {
            biased;
            () = end.execution.cancelled() => None,
            answer = perform(&host, plan, &end.execution) => Some(answer),
        };
        end.answer = Some(answer.unwrap_or_else(|| {
            let started = end.execution.has_started();
            Answer::failed(&end.execution.id, &ToolError::cancelled(started && !repeatable))
        }));
    });
    execution
}

/// Ends an execution when it is dropped.
struct Ending {
    execution: Arc<Execution>,
    executions: Arc<Executions>,
    answer: Option<Answer>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        let answer = self.answer.take().unwrap_or_else(|| Answer::failed(&self.execution.id, &internal()));
        self.execution.begin(None);
        self.execution.finish(answer);
        self.executions.ended(&self.execution);
    }
}

async fn perform(host: &Host, plan: Plan, execution: &Execution) -> Answer {
    let Plan { asked, call } = plan;
    if asked.options.dry_run {
        return Answer::completed(&execution.id, &json::to_string(&asked.arguments), Hints::default());
    }
    let mut ticket = match keyed(&asked, &call, execution) {
        Ok(ticket) => ticket,
        Err(answer) => {
            execution.begin(answer.execution().filter(|_| answer.replayed));
            return *answer;
        }
    };
    execution.begin(None);
    // After the key: what has run is answered again without another confirmation.
    let mut confirmation = None;
    if asked.tool().confirmation {
        let bound: [&[u8]; 3] = [asked.site.name.as_bytes(), asked.caller.as_bytes(), &asked.identity(&call.request)];
        let token = asked.options.confirm.as_deref();
        confirmation = token.and_then(|token| host.confirmations.redeem(token, &bound));
        if confirmation.is_none() {
            return unconfirmed(host, &asked, execution, &bound, token.is_some());
        }
    }
    execution.tell(Event::ToolStarted);
    let began = Instant::now();
    let started = |started| {
        execution.set_started(started);
        if let Some(ticket) = &mut ticket {
            ticket.set_started(started);
        }
        if let Some(confirmation) = &mut confirmation {
            confirmation.spent = started;
        }
    };
    let (answer, record) = match execute(host, call, started).await {
        Ok(answered) => match data(host, &asked.site, &answered.response).await {
            Ok(data) => answered_with(host, &asked, execution, answered, data),
            // Its code has run: it is not said that it has not.
            Err(aside::Full) => failed(&asked, execution, Failure { error: internal(), end: End::Known }),
        },
        Err(error) => failed(&asked, execution, of_error(asked.tool(), asked.mending(), &error, host.options.dev)),
    };
    execution.tell(Event::ToolCompleted { took: began.elapsed(), ok: answer.status == StatusCode::OK });
    if let Some(ticket) = ticket {
        match record {
            Record::Keep => ticket.settle(&answer.outcome()),
            Record::Free => ticket.release(),
            Record::Unknown => drop(ticket),
        }
    }
    answer
}

/// Claims the key of a call that has one. The answer is that of an earlier call under the key.
fn keyed(plan: &Asked, call: &Call, execution: &Execution) -> Result<Option<Ticket>, Box<Answer>> {
    let Some(key) = &plan.options.request_id else { return Ok(None) };
    let keyed = Keyed {
        space: "execute",
        caller: plan.caller,
        key,
        fingerprint: &[&plan.identity(&call.request)],
        execution: Some(&execution.id),
        repeatable: plan.tool().is_repeatable(),
        http_id: &plan.http_id,
    };
    let failed = |error: &ToolError, next| Err(Box::new(Answer::failed_with(&execution.id, error, next)));
    match claim(&plan.site.tenant, &keyed) {
        Ok(Claimed::Granted(ticket)) => Ok(Some(ticket)),
        Ok(Claimed::Ended(outcome)) => match Answer::replayed(outcome) {
            Some(answer) => Err(Box::new(answer)),
            None => failed(&internal(), Vec::new()),
        },
        Ok(Claimed::Running(name)) => {
            let message = "este request_id ainda está em execução: consulte-a ou tente de novo em instantes";
            let mut error = ToolError::new("EXECUTION_IN_PROGRESS", Category::Conflict, message).retryable(Some(1));
            if let Some(name) = &name {
                error = error.detail("execution_id", name.as_str());
            }
            failed(&error, name.iter().map(|name| poll(&plan.tool().name, name)).collect())
        }
        Ok(Claimed::Unknown(name)) => {
            let mut error = ToolError::uncertain();
            if let Some(name) = &name {
                error = error.detail("execution_id", name.as_str());
            }
            failed(&error, Vec::new())
        }
        Ok(Claimed::Mismatch) => {
            let message = "este request_id já foi usado com outra ferramenta ou outros argumentos";
            failed(&ToolError::new("IDEMPOTENCY_CONFLICT", Category::Conflict, message).recoverable(Directive::Replan), Vec::new())
        }
        Err(error @ (StoreError::RecordFull | StoreError::Full(_))) => {
            plan.log_error(&format!("keyed run: {}", error.detail()));
            let message = "não há mais lugar para anotar chamadas com request_id neste site; nada foi executado";
            failed(&ToolError::new("UNAVAILABLE", Category::Capacity, message).retryable(Some(60)), Vec::new())
        }
        Err(error) => {
            plan.log_error(&format!("keyed run: {}", error.detail()));
            failed(&internal(), Vec::new())
        }
    }
}

/// Asks about an execution that has not ended.
fn poll(tool: &str, execution: &str) -> Value {
    Value::Map(vec![
        ("tool".into(), tool.into()),
        ("reason".into(), "consulte a execução até ela terminar".into()),
        ("after_ms".into(), Value::Int(1000)),
        ("method".into(), "GET".into()),
        ("url".into(), format!("{EXECUTIONS_URL}{execution}").into()),
    ])
}

/// A call that a person must confirm first, and the token with which the same call may come again.
fn unconfirmed(host: &Host, plan: &Asked, execution: &Execution, bound: &[&[u8]], refused: bool) -> Answer {
    let message = if refused {
        "a confirmação não é desta chamada, já foi usada ou passou de cinco minutos; peça outra a uma pessoa"
    } else {
        "esta ferramenta só roda depois que uma pessoa confirma"
    };
    let mut error = ToolError::new("CONFIRMATION_REQUIRED", Category::Permission, message);
    error.recoverable = true;
    let Some(token) = host.confirmations.issue(bound) else { return Answer::failed(&execution.id, &internal()) };
    let mut step = vec![
        ("tool".to_owned(), Value::from(plan.tool().name.as_str())),
        ("arguments".to_owned(), plan.sent.clone()),
        ("confirm".to_owned(), token.into()),
        ("reason".to_owned(), "peça a uma pessoa que confirme; então repita a chamada com este `confirm`, em até cinco minutos".into()),
    ];
    step.extend(plan.options.continuation.as_ref().map(|source| ("continuation".to_owned(), Value::from(source.as_str()))));
    Answer::failed_with(&execution.id, &error, vec![Value::Map(step)])
}

/// What an answer that says yes holds, as JSON; `None` when that is neither JSON nor text.
async fn data(host: &Host, site: &Site, response: &Response<Bytes>) -> Result<Option<String>, aside::Full> {
    if response.status().is_redirection() {
        let location = response.headers().get(http::header::LOCATION).and_then(header_text);
        return Ok(Some(json::to_string(&Value::Map(vec![
            ("status".into(), Value::Int(response.status().as_u16().into())),
            ("location".into(), location.map_or(Value::Nil, Value::from)),
        ]))));
    }
    if !response.status().is_success() {
        return Ok(None);
    }
    let body = response.body().clone();
    if body.len() < aside::LARGE { Ok(data_of(&body)) } else { Box::pin(host.sandbox.aside(&site.aside, move || data_of(&body))).await }
}

/// A site's own answer: its data, or that it says no.
fn answered_with(host: &Host, plan: &Asked, execution: &Execution, answered: Answered, data: Option<String>) -> (Answer, Record) {
    let Answered { response, page, held, .. } = answered;
    if response.status().is_client_error() || response.status().is_server_error() {
        let (answer, record) = failed(plan, execution, of_response(plan.tool(), &response));
        return (answer.with_headers(response.headers()), record);
    }
    let known = |error| failed(plan, execution, Failure { error, end: End::Known });
    // Bytes that are neither JSON nor text.
    let Some(data) = data else { return known(malformed()) };
    if host.options.dev
        && plan.tool().action.is_some()
        && let Some(returns) = plan.site.contract.routes.get(plan.tool().route).and_then(|route| route.returns.as_ref())
    {
        let value = json::parse_with(data.as_bytes(), json::RESULT).unwrap_or(Value::Nil);
        let issues = djo_contract::decode::check_result(&plan.site.contract.types, returns, &value);
        if !issues.is_empty() {
            plan.log_error(&format!("a resposta não confere com \"returns\": {issues}"));
            let mut error = malformed();
            error.details = issues.members();
            return known(error);
        }
    }
    let media_type = Some(CONTENT_BLOCKS).filter(|_| is_of(&response, CONTENT_BLOCKS));
    let mut hints = Hints { cacheable: plan.tool().is_cacheable(), media_type, ..Hints::default() };
    if let Some(page) = page {
        match pages::next(plan, &execution.id, &page) {
            Ok(step) => hints.next_actions.extend(step),
            Err(error) => {
                plan.log_error(&format!("{}: {error}", plan.tool().name));
                return known(if matches!(error, pages::PageError::Circle) { malformed() } else { internal() });
            }
        }
        hints.page = Some(*page);
    }
    (Answer::completed(&execution.id, &data, hints).with_headers(response.headers()).holding(held), Record::Keep)
}

fn is_of(response: &Response<Bytes>, media_type: &str) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.and_then(|value| value.split(';').next()).is_some_and(|value| value.trim().eq_ignore_ascii_case(media_type))
}

/// Runs a call that only reads, for doors that hand its answer on as it is, of whatever media type. Dropped, it ends.
///
/// # Errors
/// What the caller is told.
pub async fn read(host: &Host, tool: &Tool, call: Box<Call>) -> Result<Response<Bytes>, ToolError> {
    match execute(host, call, |_| ()).await {
        Ok(Answered { response, .. }) if response.status().is_client_error() || response.status().is_server_error() => {
            Err(of_response(tool, &response).error)
        }
        Ok(answered) => Ok(answered.response),
        Err(error) => Err(of_error(tool, Mending { example: None, sent: &Value::Nil }, &error, host.options.dev).error),
    }
}

/// A failure, and whether its key is free again.
fn failed(plan: &Asked, execution: &Execution, failure: Failure) -> (Answer, Record) {
    let record = match failure.end {
        _ if releases(plan.tool(), &failure) => Record::Free,
        End::CutOff => Record::Unknown,
        End::NotStarted | End::Known => Record::Keep,
    };
    let error = failure.error;
    let mut next = Vec::new();
    if error.retryable {
        let mut step = vec![
            ("tool".to_owned(), Value::from(plan.tool().name.as_str())),
            ("reason".to_owned(), "repita a mesma chamada, com o mesmo request_id".into()),
        ];
        let ms = error.retry_after.map(|seconds| Value::Int(i64::try_from(seconds.saturating_mul(1000)).unwrap_or(i64::MAX)));
        step.extend(ms.map(|ms| ("after_ms".to_owned(), ms)));
        next.push(Value::Map(step));
    }
    (Answer::failed_with(&execution.id, &error, next), record)
}

/// An execution that has not ended.
pub fn running(execution: &Execution) -> Answer {
    Answer::running(&execution.id, vec![poll(&execution.tool, &execution.id)])
}

/// An execution that broke without an end.
pub fn lost() -> Answer {
    Answer::failed(&new_id(), &internal())
}

/// An id for an answer of which nothing ran.
pub fn new_execution_id() -> Arc<str> {
    new_id()
}

/// How an execution stands that this process may have forgotten: what is on record of it. `http_id` is the id of the request that asks.
pub fn recorded(site: &Site, id: &str, caller: &Caller, http_id: &str) -> Option<Answer> {
    match standing(&site.tenant.store, id, caller)
        .inspect_err(|error| site.tenant.log_error(http_id, &format!("executions: {}", error.detail())))
        .ok()??
    {
        Standing::Ended(outcome) => Answer::replayed(outcome),
        Standing::Running => Some(Answer::running(id, vec![poll("", id)])),
        Standing::Unknown => Some(Answer::failed(id, &ToolError::uncertain())),
    }
}
