//! What touches the component's imports; all else is the machine's and the SDK's.

mod outside;

use alloc::{borrow::Cow, boxed::Box, string::ToString, vec::Vec};

use djo_guest_sdk::{Around, Failure, File, Frame, PageBounds, Request, Response, Site};
use djo_vm::{ImageError, Program, host, place, run_within};

use once_cell::race::OnceBox;

use bindings::djo::site::{files, program};
use outside::Outside;

mod bindings {
    #![allow(missing_docs, unsafe_code, unreachable_pub, unused_qualifications, clippy::all)] // Generated.
    wit_bindgen::generate!({ path: "../../wit", world: "runtime", generate_all });
}

djo_guest_sdk::component!(crate::component::Runtime);

/// Steps of the machine that a run may take where the host has no limit of time, or one that ends without an answer: seconds.
const STEPS: u64 = 200_000_000;

/// The site's program, opened: all that outlives a request here, since an instance serves one revision of one site.
static PROGRAM: OnceBox<Result<Program<'static>, ImageError>> = OnceBox::new();

/// Takes the program in, below all that requests will use.
fn open() -> Box<Result<Program<'static>, ImageError>> {
    let image = program::load();
    // Its bytes and the box. An empty one has no bytes; it is refused before it runs.
    let blocks = 1 + usize::from(image.capacity() > 0);
    let opened = Box::new(Program::new(image.leak()));
    djo_component::HEAP.keep(blocks);
    opened
}

/// The site whose program is composed in, or handed over by our host.
pub(crate) struct Runtime;

impl Site for Runtime {
    fn contract() -> Cow<'static, [u8]> {
        Cow::Owned(program::contract())
    }

    fn run(request: Request, around: &dyn Around) -> Result<Response, Box<Failure>> {
        let steps = if around.is_timed() { u64::MAX } else { STEPS };
        match run(&mut Outside(around), &asked(request), steps) {
            Ok(response) => Ok(answered(response)),
            Err(failure) => Err(Box::new(failed(*failure))),
        }
    }

    fn file(path: &str) -> Option<File> {
        let (_, content_type, tag, start, length) = files::index().into_iter().find(|(held, ..)| held == path)?;
        Some(File { content_type, tag, place: (start, length) })
    }

    fn place() -> Option<(&'static str, u32)> {
        place(PROGRAM.get()?.as_ref().ok()?)
    }

    fn read(start: u32, length: u32) -> Vec<u8> {
        files::read(start, length)
    }
}

fn run(outside: &mut dyn host::Host, request: &host::Request, steps: u64) -> Result<host::Response, Box<host::Failure>> {
    match PROGRAM.get_or_init(open) {
        Ok(program) => run_within(program, outside, request, steps),
        Err(error) => Err(Box::new(host::Failure { message: error.to_string(), kind: "imagem".to_string(), ..host::Failure::default() })),
    }
}

/// The names differ on the two sides of the door; nothing is copied.
fn asked(request: Request) -> host::Request {
    host::Request {
        method: request.method,
        path: request.path,
        query: request.query,
        body: request.body,
        params: request.params,
        arguments: request.arguments,
        entry: match request.entry {
            djo_guest_sdk::Entry::Screen(route) => host::Entry::Screen(route),
            djo_guest_sdk::Entry::Agent(route) => host::Entry::Agent(route),
            djo_guest_sdk::Entry::Action(route) => host::Entry::Action(route),
            djo_guest_sdk::Entry::ErrorPage(status) => host::Entry::ErrorPage(status),
        },
    }
}

fn answered(response: host::Response) -> Response {
    Response {
        status: response.status,
        headers: response.headers,
        body: response.body,
        page: response.page.map(|page| PageBounds {
            returned: page.returned,
            truncated: page.truncated,
            total: page.total,
            refinement_hint: page.refinement_hint,
            next_cursor: page.next_cursor,
        }),
    }
}

fn failed(failure: host::Failure) -> Failure {
    Failure {
        message: failure.message,
        kind: failure.kind,
        file: failure.file,
        line: failure.line,
        trace: failure.trace.into_iter().map(|(function, file, line)| Frame { function, file, line }).collect(),
        refusal: failure.refusal,
    }
}
