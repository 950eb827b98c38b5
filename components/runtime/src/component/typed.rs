//! The typed door: the host has matched, validated and decoded; the machine runs.

use alloc::{boxed::Box, vec::Vec};

use djo_vm::host::{Entry, Failure, Request, Response};

use super::bindings::djo::site::program;
use super::bindings::exports::djo::site::handler;
use super::outside::Outside;
use once_cell::race::OnceBox;

/// The site's program, which is all that outlives a request here: an instance serves one revision of one site.
static IMAGE: OnceBox<Vec<u8>> = OnceBox::new();

/// Runs one request on the site's program.
pub(crate) fn handle(request: handler::Request) -> Result<handler::Response, handler::Failure> {
    let image = IMAGE.get_or_init(load);
    // Our host measures time itself, and stops what takes too long.
    match super::machine::run(image, &mut Outside, &asked(request), u64::MAX) {
        Ok(response) => Ok(answered(response)),
        Err(failure) => Err(failed(*failure)),
    }
}

/// Takes the program in, below all that requests will use.
fn load() -> Box<Vec<u8>> {
    let image = Box::new(program::load());
    // Its bytes and the box. An empty one has no bytes; it is refused before it runs.
    super::HEAP.keep(1 + usize::from(image.capacity() > 0));
    image
}

/// The names differ on the two sides of the door; nothing is copied.
fn asked(request: handler::Request) -> Request {
    Request {
        method: request.method,
        path: request.path,
        query: request.query,
        body: request.body,
        params: request.params,
        arguments: request.arguments,
        entry: match request.entry {
            handler::Entry::Screen(route) => Entry::Screen(route),
            handler::Entry::Agent(route) => Entry::Agent(route),
            handler::Entry::Action(route) => Entry::Action(route),
            handler::Entry::ErrorPage(status) => Entry::ErrorPage(status),
        },
    }
}

fn answered(response: Response) -> handler::Response {
    handler::Response {
        status: response.status,
        headers: response.headers,
        body: response.body,
        page: response.page.map(|page| handler::PageBounds {
            returned: page.returned,
            truncated: page.truncated,
            total: page.total,
            refinement_hint: page.refinement_hint,
            next_cursor: page.next_cursor,
        }),
    }
}

fn failed(failure: Failure) -> handler::Failure {
    handler::Failure {
        message: failure.message,
        kind: failure.kind,
        file: failure.file,
        line: failure.line,
        trace: failure.trace.into_iter().map(|(function, file, line)| handler::Frame { function, file, line }).collect(),
        refusal: failure.refusal,
    }
}
