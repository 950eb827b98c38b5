//! The typed door: answers that no contract allows.

use alloc::{
    string::{String, ToString},
    vec,
    vec::Vec,
};

use crate::Hostile;
use crate::bindings::djo::site::context;
use crate::bindings::exports::djo::site::handler::{Failure, Guest, Request, Response};
use crate::exhaust::exhaust;

impl Guest for Hostile {
    fn handle(request: Request) -> Result<Response, Failure> {
        let path = request.path.trim_start_matches('/');
        let header = |name: &str, value: &str| (name.to_string(), value.to_string());
        let answer = |status, headers, body: &[u8]| Ok(Response { status, headers, body: body.to_vec(), page: None });
        match path {
            "ok" => answer(200, vec![header("content-type", "text/plain")], b"ok"),
            "forged" => {
                let seen = ["djo-route", "x-djo-arguments"].map(|name| context::header(name).unwrap_or_default());
                answer(200, Vec::new(), seen.concat().as_bytes())
            }
            "big" => Ok(Response { status: 200, headers: Vec::new(), body: vec![b'x'; 16 << 20], page: None }),
            "large" => answer(200, Vec::new(), &vec![b'x'; 16 << 20]),
            "many-headers" => answer(200, (0..100_000).map(|_| header("x-bomb", "1")).collect(), b""),
            "long-header" => answer(200, vec![header("x-long", &"x".repeat(1 << 20))], b""),
            "splits" => answer(200, vec![header("x-a", "1\r\nset-cookie: forged=1\r\n\r\n<html>")], b""),
            "no-status" => answer(0, Vec::new(), b""),
            "informs" => answer(101, vec![header("upgrade", "websocket")], b""),
            "fails" => Err(Failure {
                message: "\n2026-01-01 ERROR forged\u{1b}[2J".repeat(1000),
                kind: String::new(),
                file: "f".repeat(1 << 20),
                line: u32::MAX,
                trace: Vec::new(),
                refusal: None,
            }),
            how => {
                exhaust(how);
                answer(200, Vec::new(), b"survived")
            }
        }
    }
}
