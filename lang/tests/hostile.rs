//! Images that lowering never writes: whatever is in them, a run ends with an answer or a failure, and never panics or hangs.

#![allow(clippy::unwrap_used)]

mod common;
mod memory;

use std::sync::OnceLock;

use djo_vm::{
    Program,
    host::{Entry, Request},
    image::{Builder, FunctionSpec},
    op::{Op, encode},
};
use memory::{Memory, Site};
use proptest::prelude::*;

/// Steps that a run of a damaged image may take.
const STEPS: u64 = 2_000;

struct Sample {
    image: Vec<u8>,
    contract: Vec<u8>,
}

/// A program that uses all there is.
fn sample() -> &'static Sample {
    static SAMPLE: OnceLock<Sample> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let site = Site::new(&common::files(include_str!("hostil/site.txt")));
        Sample { image: site.image, contract: site.host.contract }
    })
}

fn run_all(image: &[u8], contract: &[u8]) {
    let Ok(program) = Program::new(image) else { return };
    let mut host = Memory { contract: contract.into(), random: 7, ..Memory::default() };
    host.headers.insert("cookie".into(), format!("djo_sessao={}", "0".repeat(32)));
    for entry in [Entry::Screen(0), Entry::Agent(0), Entry::Screen(1), Entry::Agent(1), Entry::Action(2), Entry::ErrorPage(404)] {
        let request = Request {
            method: "GET".into(),
            path: "/x".into(),
            query: "a=1&b=%41".into(),
            params: vec![("id".into(), "3".into())],
            arguments: br#"{"n":3,"p":{"id":1,"titulo":"t","autor":{"nome":"Ana","idade":1},"notas":[1.5]}}"#.to_vec(),
            body: b"{}".to_vec(),
            entry,
        };
        let _ = djo_vm::run_within(&program, &mut host, &request, STEPS);
    }
}

/// A `catch` that leads back to its own `try`.
#[test]
fn a_loop_through_catch_is_counted() {
    let mut builder = Builder::new();
    let back = (-2_i32).to_le_bytes();
    let code =
        vec![encode(Op::LoadNil, 1, 0, 0), encode(Op::TryBegin, 0, 0, 0), back, encode(Op::Neg, 1, 1, 0), encode(Op::Return, 1, 0, 0)];
    let function = builder.function(&FunctionSpec { registers: 2, code, ..FunctionSpec::default() });
    builder.entry([Some(function), None, None]);
    let image = builder.finish().unwrap();
    let program = Program::new(&image).unwrap();
    let request = Request { entry: Entry::Screen(0), ..Request::default() };
    let failure = djo_vm::run_within(&program, &mut Memory::default(), &request, STEPS).unwrap_err();
    assert_eq!(failure.kind, "tempo");
}

/// The answer of a screen whose function is this, another function beside it.
fn screen(code: Vec<[u8; 4]>) -> Result<u16, String> {
    let mut builder = Builder::new();
    let function = builder.function(&FunctionSpec { registers: 2, code, ..FunctionSpec::default() });
    let code = vec![encode(Op::Return, 255, 0, 0)];
    builder.function(&FunctionSpec { registers: 1, code, ..FunctionSpec::default() });
    builder.entry([Some(function), None, None]);
    let image = builder.finish().unwrap();
    let program = Program::new(&image).unwrap();
    let request = Request { entry: Entry::Screen(0), ..Request::default() };
    let answer = djo_vm::run_within(&program, &mut Memory::default(), &request, STEPS);
    answer.map(|response| response.status).map_err(|failure| failure.kind)
}

/// Closures that keep more than their function has registers, or of functions that are not there; Strings of registers beyond the last.
#[test]
fn what_a_closure_keeps_and_what_a_text_joins_is_bounded() {
    let closure = |first: u8, kept: u8, function: u32| {
        screen(vec![
            encode(Op::Closure, first, kept, 0),
            function.to_le_bytes(),
            encode(Op::Move, 250, first, 0),
            encode(Op::CallValue, 250, 0, 0),
            encode(Op::LoadNil, 250, 0, 0),
            encode(Op::Return, 250, 0, 0),
        ])
    };
    assert_eq!(closure(1, 255, 1), closure(1, 1, 1));
    assert!(closure(1, 255, 1).is_ok());
    for (first, kept, function) in [(2, 255, 1), (255, 2, 1), (1, 3, 7), (1, 1, u32::MAX)] {
        assert_eq!(closure(first, kept, function), Err("imagem".into()));
    }
    let join = |first: u8, count: u8| screen(vec![encode(Op::Join, first, count, 0), encode(Op::ReturnNothing, 0, 0, 0)]);
    assert!(join(0, 255).is_ok());
    assert_eq!(join(200, 100), Err("imagem".into()));
}

/// Numbers that lie at the end of what a number holds: what follows them is nothing, not the first.
#[test]
fn every_word_at_its_greatest() {
    let sample = sample();
    for place in (0..sample.image.len() - 3).step_by(4) {
        let mut image = sample.image.clone();
        image[place..place + 4].fill(0xff);
        run_all(&image, &sample.contract);
    }
}

#[test]
fn the_sample_itself_runs() {
    let sample = sample();
    let program = Program::new(&sample.image).unwrap();
    let mut host = Memory { contract: sample.contract.clone(), random: 7, ..Memory::default() };
    for entry in [Entry::Screen(0), Entry::Agent(0), Entry::Agent(1), Entry::Action(2), Entry::ErrorPage(404)] {
        let arguments = br#"{"n":3,"p":{"id":1,"titulo":"t","autor":{"nome":"Ana","idade":1},"notas":[1.5]}}"#.to_vec();
        let request = Request { arguments, entry, ..Request::default() };
        let response = djo_vm::run(&program, &mut host, &request).unwrap_or_else(|failure| panic!("{entry:?}: {failure:?}"));
        assert!(!response.body.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        run_all(&bytes, b"");
        let mut headed = [b"djoi".as_slice(), &djo_vm::image::VERSION.to_le_bytes()].concat();
        headed.extend(&bytes);
        run_all(&headed, b"");
    }

    #[test]
    fn flipped_bytes(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20)) {
        let sample = sample();
        let mut image = sample.image.clone();
        for (at, byte) in changes {
            let at = at.index(image.len());
            image[at] = byte;
        }
        run_all(&image, &sample.contract);
    }

    #[test]
    fn flipped_words(changes in proptest::collection::vec((any::<prop::sample::Index>(), prop_oneof![0_u32..300, any::<u32>()]), 1..12)) {
        let sample = sample();
        let mut image = sample.image.clone();
        for (at, word) in changes {
            let at = 12 + at.index(image.len() / 4 - 3) * 4;
            image[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        run_all(&image, &sample.contract);
    }

    #[test]
    fn random_code(words in proptest::collection::vec((0_u8..64, 0_u8..12, 0_u8..12, 0_u8..12, prop_oneof![0_u32..40, Just(u32::MAX - 8), any::<u32>()]), 10..400)) {
        let sample = sample();
        let mut image = sample.image.clone();
        // The section table says where the code lies: it is the last but one.
        let entry = 16 + 13 * 8;
        let word = |at: usize| u32::from_le_bytes(image[at..at + 4].try_into().unwrap()) as usize;
        let (start, count) = (word(entry), word(entry + 4));
        for (index, (op, a, b, c, wide)) in words.into_iter().cycle().take(count / 2).enumerate() {
            let at = start + index * 8;
            image[at..at + 4].copy_from_slice(&[op, a, b, c]);
            image[at + 4..at + 8].copy_from_slice(&wide.to_le_bytes());
        }
        run_all(&image, &sample.contract);
    }
}
