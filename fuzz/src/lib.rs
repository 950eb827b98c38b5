//! What the targets share: sites out of bytes, and a host that knows nothing.

use djo_contract::model::Contract;
use djo_lang::Sources;
use djo_vm::Program;
use djo_vm::host::{Call, Entry, Failure, Host, HostResult, Level, Reply, Request, Response, StorePage};

/// Steps that a run may take: enough for any page, too few to wait for.
const STEPS: u64 = 20_000;

/// A host without data, headers or a network.
#[derive(Debug)]
pub struct Nothing;

impl Host for Nothing {
    fn contract(&mut self) -> Vec<u8> {
        Vec::new()
    }
    fn header(&mut self, _: &str) -> Option<String> {
        None
    }
    fn client_ip(&mut self) -> String {
        "192.0.2.1".into()
    }
    fn secure(&mut self) -> bool {
        true
    }
    fn request_id(&mut self) -> String {
        "1".into()
    }
    fn now(&mut self) -> i64 {
        1_700_000_000_000
    }
    fn random(&mut self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
    fn log(&mut self, _: Level, _: &str) {}
    fn progress(&mut self, _: f64, _: Option<f64>, _: Option<&str>) {}
    fn fetch(&mut self, _: Call) -> HostResult<Reply> {
        Err("ninguém".into())
    }
    fn store_get(&mut self, _: &str, key: &str) -> HostResult<Option<Vec<u8>>> {
        // What is stored is bytes to the host: here they are the key's.
        Ok(Some(key.as_bytes().to_vec()))
    }
    fn store_set(&mut self, _: &str, _: &str, _: &[u8]) -> HostResult<()> {
        Ok(())
    }
    fn store_delete(&mut self, _: &str, _: &str) -> HostResult<bool> {
        Ok(false)
    }
    fn store_list(&mut self, _: &str, _: &str, _: u32, _: Option<&str>) -> HostResult<StorePage> {
        Ok((Vec::new(), None))
    }
    fn store_count(&mut self, _: &str) -> HostResult<u64> {
        Ok(0)
    }
    fn store_increment(&mut self, _: &str, _: &str, delta: i64) -> HostResult<i64> {
        Ok(delta)
    }
    fn store_compare_and_swap(&mut self, _: &str, _: &str, _: Option<&[u8]>, _: Option<&[u8]>) -> HostResult<bool> {
        Ok(true)
    }
    fn store_next_id(&mut self, _: &str) -> HostResult<i64> {
        Ok(1)
    }
}

/// Compiles a site; where it does, runs every face of it.
pub fn compile_and_run(sources: &Sources) {
    let checked = djo_lang::check(sources);
    for found in &checked.diagnostics {
        let text = &checked.files[found.span.file.0 as usize].text;
        let (start, end) = (found.span.start as usize, found.span.end as usize);
        assert!(start <= end && text.is_char_boundary(start) && text.is_char_boundary(end), "{found:?}");
    }
    djo_lang::diagnostic::render(&checked.files, &checked.diagnostics, true);
    if checked.program.is_none() {
        return;
    }
    // An image has limits that a checked program may pass.
    if let Ok(compiled) = djo_lang::compile(sources) {
        assert_eq!(djo_lang::compile(sources).map(|again| again.image).ok().as_ref(), Some(&compiled.image), "builds are reproducible");
        run(&compiled.image, &compiled.contract);
    }
}

/// Runs every face of every route of an image, whatever it is.
pub fn run(image: &[u8], contract: &Contract) {
    let Ok(program) = Program::new(image) else { return };
    for route in 0..contract.routes.len() as u32 {
        for entry in [Entry::Screen(route), Entry::Agent(route), Entry::Action(route)] {
            if let Ok(response) = answer(&program, entry) {
                assert!((100..600).contains(&response.status));
                for (name, value) in &response.headers {
                    assert!(!name.is_empty() && !name.bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_control()), "{name:?}");
                    assert!(!value.chars().any(char::is_control), "{name}: {value:?}");
                }
            }
        }
    }
}

fn answer(program: &Program<'_>, entry: Entry) -> Result<Response, Box<Failure>> {
    let request = Request {
        method: "GET".into(),
        path: "/a/b".into(),
        query: "q=1&pagina=2&q=%3Cb%3E".into(),
        body: b"a=1&b=%22".to_vec(),
        params: vec![("id".into(), "7".into())],
        arguments: br#"{"titulo":"x","n":1}"#.to_vec(),
        entry,
    };
    djo_vm::run_within(program, &mut Nothing, &request, STEPS)
}
