//! The wasi:http door: bodies are streamed in and out while the guest runs.
//!
//! The guest runs in a task of its own, so that its time-out holds also while a client does not read. Whoever drops the response ends
//! the run, unless the guest has said all of it: what it does after that it may finish within its time.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context as Task, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, FORWARDED, HOST};
use http::{HeaderName, HeaderValue};
use http_body::{Body, Frame, SizeHint};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use wasmtime_wasi_http::p2::bindings::ProxyPre;
use wasmtime_wasi_http::p2::bindings::http::types::{ErrorCode, Scheme};
use wasmtime_wasi_http::{Error, WasiBody, WasiHttpView as _};

use super::background::Run;
use super::code::Ready;
use super::cookies::hold_to_host;
use super::guest::Guest;
use super::idle::IdleInstances;
use super::instance::store;
use super::meter::Meter;
use super::pool::Weighed;
use super::run::{explain, unstarted};
use super::{Answer, Code, Context, Looked, Request, Response, RunError, Sandbox, Tenant};
use crate::lane::Place;
use crate::memory::{Held, SiteMemory};
use crate::text::header_text;

/// Why a request's body cannot be read to its end.
#[derive(Debug, thiserror::Error)]
pub enum BodyFault {
    /// It is larger than the site takes.
    #[error("the body is over {0} bytes")]
    TooLarge(u64),
    /// The client broke it off.
    #[error("the body broke off")]
    Broken,
}

impl From<BodyFault> for Error {
    fn from(fault: BodyFault) -> Self {
        match fault {
            BodyFault::TooLarge(most) => Self::HttpRequestBodySize(Some(most)),
            BodyFault::Broken => Self::ConnectionTerminated,
        }
    }
}

/// On what terms a guest runs.
struct Terms<H> {
    /// How long the whole exchange may take.
    timeout: Duration,
    /// The run's place in the agents' lane.
    lane: Option<Place>,
    /// What is held until the guest has ended, which may be after its answer.
    held: H,
}

type Head = Result<http::Response<WasiBody>, ErrorCode>;

impl Sandbox {
    /// Hands a request to the guest and waits for the head of its answer.
    ///
    /// # Errors
    /// [`RunError`]: the guest failed, or met a limit, before it answered.
    async fn exchange<B>(
        &self,
        door: Arc<Weighed<ProxyPre<Guest>>>,
        tenant: &Arc<Tenant>,
        context: Context,
        request: http::Request<B>,
        terms: Terms<impl Send + 'static>,
    ) -> Result<http::Response<GuestBody>, RunError>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Error>,
    {
        let Terms { timeout, lane, held } = terms;
        let broken = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = oneshot::channel();
        let meter = Arc::new(Meter::new(Arc::clone(&self.clock), timeout, tenant.limits.cpu));
        let guest = Guest::new(Arc::clone(tenant), context, Arc::clone(&meter));
        let call = call(door, Arc::clone(&self.idle), guest, request, sender, Arc::clone(&broken));
        let run = Run { meter, call: Box::pin(call), place: lane };
        let background = Arc::clone(&self.background);
        let run = Running(Some(tokio::spawn(async move {
            let _held = held;
            match tokio::time::timeout(timeout, background.conduct(run)).await {
                Ok(Some(ended)) => ended,
                Ok(None) | Err(_) => Err(RunError::TimedOut),
            }
        })));
        let Ok(head) = receiver.await else {
            return Err(run.end().await.err().unwrap_or_else(|| gave_up("it returned without an answer")));
        };
        let response = head.map_err(|code| gave_up(&format!("it answered with the error {code:?}")))?;
        let most = tenant.limits.response_bytes as u64;
        let (mut head, body) = response.into_parts();
        let announced = head.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        // Whoever sends it writes down how long it is.
        head.headers.remove(CONTENT_LENGTH);
        hold_to_host(&mut head.headers, &tenant.name);
        match announced {
            Some(announced) if announced > most => Err(RunError::TooLarge(usize::try_from(announced).unwrap_or(usize::MAX))),
            _ => Ok(http::Response::from_parts(
                head,
                GuestBody { body, run, broken, announced, left: announced.unwrap_or(most), most, fault: None },
            )),
        }
    }
}

fn gave_up(what: &str) -> RunError {
    RunError::Trap(wasmtime::Error::msg(what.to_owned()))
}

/// The guest's side of an exchange. All it needs is its own, so that it can move from thread to thread.
async fn call<B>(
    door: Arc<Weighed<ProxyPre<Guest>>>,
    idle: Arc<IdleInstances>,
    guest: Guest,
    request: http::Request<B>,
    head: oneshot::Sender<Head>,
    broken: Arc<AtomicBool>,
) -> Result<(), RunError>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Error>,
{
    let scheme = if guest.context.secure { Scheme::Https } else { Scheme::Http };
    let tenant = Arc::clone(&guest.tenant);
    // Both fall after the store.
    let _taken = tenant.share.take(door.places)?;
    let _filled = tenant.share.pool().fill(door.places, &idle);
    let mut store = store(door.engine(), guest);
    // Falls before the store does, whose end looks to the body's reader like the end of the body.
    let mut until_done = UntilDone { broken, done: false };
    let proxy = door.instantiate_async(&mut store).await.map_err(|error| unstarted(error, store.data()))?;
    let mut http = store.data_mut().http();
    let request = http.new_incoming_request(scheme, request).map_err(RunError::Trap)?;
    let out = http.new_response_outparam(head).map_err(RunError::Trap)?;
    let called = proxy.wasi_http_incoming_handler().call_handle(&mut store, request, out).await;
    called.map_err(|error| explain(error, store.data()))?;
    until_done.done = true;
    Ok(())
}

/// Marks a call that ends in any way but its own return.
struct UntilDone {
    broken: Arc<AtomicBool>,
    done: bool,
}

impl Drop for UntilDone {
    fn drop(&mut self) {
        self.broken.store(!self.done, Ordering::Release);
    }
}

/// A guest under way: dropped, it ends.
struct Running(Option<JoinHandle<Result<(), RunError>>>);

impl Running {
    /// Waits for its end.
    async fn end(mut self) -> Result<(), RunError> {
        std::future::poll_fn(|task| self.poll_end(task)).await
    }

    fn poll_end(&mut self, task: &mut Task<'_>) -> Poll<Result<(), RunError>> {
        let Some(run) = &mut self.0 else { return Poll::Ready(Ok(())) };
        let ended = ready!(Pin::new(run).poll(task));
        self.0 = None;
        Poll::Ready(ended.unwrap_or_else(|error| Err(gave_up(&format!("its task ended: {error}")))))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(run) = &self.0 {
            run.abort();
        }
    }
}

/// The body of a guest's answer, as it comes.
pub struct GuestBody {
    body: WasiBody,
    run: Running,
    broken: Arc<AtomicBool>,
    announced: Option<u64>,
    left: u64,
    most: u64,
    fault: Option<Box<dyn FnOnce(RunError) + Send>>,
}

impl GuestBody {
    /// Its length, where the guest has announced one.
    pub fn announced(&self) -> Option<u64> {
        self.announced
    }

    /// What to do when it breaks off.
    pub fn on_fault(&mut self, fault: impl FnOnce(RunError) + Send + 'static) {
        self.fault = Some(Box::new(fault));
    }

    /// Gives up the body without ending the guest: nobody is to read it.
    pub fn detach(mut self) {
        self.run.0 = None;
    }

    /// Reads all of it.
    ///
    /// # Errors
    /// [`RunError`]
    pub(super) async fn collect(mut self, memory: &Arc<SiteMemory>) -> Result<(Vec<u8>, Held), RunError> {
        let (mut all, mut held) = (BytesMut::new(), Held::default());
        while let Some(data) = std::future::poll_fn(|task| self.poll_data(task)).await {
            let data = data?;
            held.cover(memory, all.len() + data.len())?;
            all.extend_from_slice(&data);
        }
        Ok((all.into(), held))
    }

    fn poll_data(&mut self, task: &mut Task<'_>) -> Poll<Option<Result<Bytes, RunError>>> {
        match ready!(Pin::new(&mut self.body).poll_frame(task)) {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => Poll::Ready(Some(self.take(data))),
                // Trailers are the last frame, and nobody asked for them.
                Err(_) => self.poll_data_end(task),
            },
            Some(Err(_)) => Poll::Ready(Some(Err(gave_up("it broke off its answer")))),
            None => self.poll_data_end(task),
        }
    }

    fn take(&mut self, data: Bytes) -> Result<Bytes, RunError> {
        match self.left.checked_sub(data.len() as u64) {
            Some(left) => {
                self.left = left;
                Ok(data)
            }
            None => match self.announced {
                Some(announced) => Err(gave_up(&format!("it sends more than the {announced} bytes that it announced"))),
                None => Err(RunError::TooLarge(usize::try_from(self.most.saturating_add(1)).unwrap_or(usize::MAX))),
            },
        }
    }

    /// No more comes. It is all there was, unless the guest fell over while it spoke.
    fn poll_data_end(&mut self, task: &mut Task<'_>) -> Poll<Option<Result<Bytes, RunError>>> {
        if self.broken.load(Ordering::Acquire) {
            let ended = ready!(self.run.poll_end(task));
            return Poll::Ready(Some(Err(ended.err().unwrap_or_else(|| gave_up("it broke off its answer")))));
        }
        match self.announced {
            Some(announced) if self.left > 0 => {
                Poll::Ready(Some(Err(gave_up(&format!("it sent less than the {announced} bytes that it announced")))))
            }
            _ => {
                // All is said: what the guest still does is its own affair, within its time.
                self.run.0 = None;
                Poll::Ready(None)
            }
        }
    }
}

impl Body for GuestBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let data = ready!(self.poll_data(task));
        Poll::Ready(data.map(|data| match data {
            Ok(data) => Ok(Frame::data(data)),
            Err(error) => {
                let text = error.to_string();
                if let Some(fault) = self.fault.take() {
                    fault(error);
                }
                Err(io::Error::other(text))
            }
        }))
    }

    fn size_hint(&self) -> SizeHint {
        self.announced.map_or_else(SizeHint::default, |_| SizeHint::with_exact(self.left))
    }
}

impl Sandbox {
    /// Hands a request to a plain wasi:http application. `place` is held until its code has ended, which may be after its answer.
    ///
    /// # Errors
    /// [`RunError`]: no answer began.
    pub async fn stream<B>(
        &self,
        tenant: &Arc<Tenant>,
        context: Context,
        request: http::Request<B>,
        place: impl Send + 'static,
    ) -> Result<http::Response<GuestBody>, RunError>
    where
        B: Body<Data = Bytes, Error = BodyFault> + Send + 'static,
    {
        let door = match &tenant.code {
            Code::Component(component) => match self.components.ready(component, tenant.limits.timeout).await? {
                Ready::Http(door) => door,
                Ready::Typed(_) => return Err(gave_up("it has no wasi:http door")),
            },
            Code::Djo(_) => return Err(gave_up("it has no wasi:http door")),
        };
        let (mut head, body) = request.into_parts();
        introduce(&mut head, &context);
        let terms = Terms { timeout: tenant.limits.timeout, lane: None, held: place };
        self.exchange(door, tenant, context, http::Request::from_parts(head, body), terms).await
    }

    /// Runs a request that was routed and checked by a contract through the wasi:http door, where there is no other.
    pub(super) async fn run_http(
        &self,
        door: Arc<Weighed<ProxyPre<Guest>>>,
        tenant: &Arc<Tenant>,
        context: Context,
        request: &Request,
        timeout: Duration,
        lane: Option<Place>,
    ) -> Result<Answer, RunError> {
        let target = if request.query.is_empty() { request.path.clone() } else { format!("{}?{}", request.path, request.query) };
        let mut whole = http::Request::new(http_body_util::Full::new(Bytes::from(request.body.clone())));
        *whole.method_mut() = request.method.parse().map_err(|_| gave_up("the method is none"))?;
        *whole.uri_mut() = target.parse().map_err(|_| gave_up("the target is none"))?;
        whole.headers_mut().clone_from(&context.headers);
        let (mut head, body) = whole.into_parts();
        introduce(&mut head, &context);
        let response =
            self.exchange(door, tenant, context, http::Request::from_parts(head, body), Terms { timeout, lane, held: () }).await?;
        let (head, body) = response.into_parts();
        let text = |(name, value): (&HeaderName, &HeaderValue)| Some((name.to_string(), header_text(value)?.to_owned()));
        let (body, held) = body.collect(&tenant.share.memory).await?;
        let headers = head.headers.iter().filter_map(text).collect();
        let response = Response { status: head.status.as_u16(), headers, body, page: None };
        // The guest has them all, whether it looks or not.
        Ok(Answer { response, looked: Looked { headers: true, client: true }, held })
    }
}

/// What a guest may know of its client stands in headers; what a client wrote under their names does not reach it.
fn introduce(head: &mut http::request::Parts, context: &Context) {
    head.headers.remove(FORWARDED);
    // A request of HTTP/1.0 need not say whom it is for.
    if head.uri.authority().is_none() && !head.headers.contains_key(HOST) {
        head.headers.insert(HOST, HeaderValue::from_static("localhost"));
    }
    let said = [
        ("x-request-id", context.request_id.to_string()),
        ("x-forwarded-for", context.client.to_canonical().to_string()),
        ("x-forwarded-proto", if context.secure { "https" } else { "http" }.to_owned()),
    ];
    for (name, value) in said {
        if let Ok(value) = HeaderValue::try_from(value) {
            head.headers.insert(HeaderName::from_static(name), value);
        }
    }
}
