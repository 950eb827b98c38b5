//! A host in memory, and sites run on it without any server.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, unreachable_pub)]

use std::collections::{BTreeMap, VecDeque};

use djo_contract::{decode, model::Method, section, wire};
use djo_lang::{Sources, lower::lower, program::Program};
use djo_vm::host::{Call, Entry, Failure, Host, HostResult, Level, Reply, Request, Response, StorePage};

/// Everything a run asks for, held in memory.
#[derive(Debug, Default)]
pub struct Memory {
    pub contract: Vec<u8>,
    pub headers: BTreeMap<String, String>,
    pub secure: bool,
    pub now: i64,
    pub log: Vec<(Level, String)>,
    pub progress: Vec<(f64, Option<f64>, Option<String>)>,
    pub store: BTreeMap<(String, String), Vec<u8>>,
    pub sequences: BTreeMap<String, i64>,
    /// The state of a generator that is anything but fit for secrets.
    pub random: u64,
    /// What other servers answer, in order, and what they were asked.
    pub replies: VecDeque<HostResult<Reply>>,
    pub fetched: Vec<Call>,
    /// Times the store was asked for anything.
    pub store_calls: usize,
}

impl Host for Memory {
    fn contract(&mut self) -> Vec<u8> {
        self.contract.clone()
    }
    fn header(&mut self, name: &str) -> Option<String> {
        self.headers.get(name).cloned()
    }
    fn client_ip(&mut self) -> String {
        "192.0.2.7".into()
    }
    fn secure(&mut self) -> bool {
        self.secure
    }
    fn request_id(&mut self) -> String {
        "pedido-1".into()
    }
    fn now(&mut self) -> i64 {
        self.now
    }
    fn random(&mut self, buffer: &mut [u8]) {
        for byte in buffer {
            self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *byte = (self.random >> 56) as u8;
        }
    }
    fn log(&mut self, level: Level, message: &str) {
        self.log.push((level, message.into()));
    }
    fn progress(&mut self, done: f64, total: Option<f64>, message: Option<&str>) {
        self.progress.push((done, total, message.map(Into::into)));
    }
    fn fetch(&mut self, call: Call) -> HostResult<Reply> {
        self.fetched.push(call);
        self.replies.pop_front().unwrap_or_else(|| Err("ninguém responde".into()))
    }
    fn store_get(&mut self, collection: &str, key: &str) -> HostResult<Option<Vec<u8>>> {
        self.store_calls += 1;
        Ok(self.store.get(&(collection.into(), key.into())).cloned())
    }
    fn store_set(&mut self, collection: &str, key: &str, value: &[u8]) -> HostResult<()> {
        self.store_calls += 1;
        if collection == "cheia" {
            return Err("o armazém está cheio".into());
        }
        self.store.insert((collection.into(), key.into()), value.into());
        Ok(())
    }
    fn store_delete(&mut self, collection: &str, key: &str) -> HostResult<bool> {
        self.store_calls += 1;
        Ok(self.store.remove(&(collection.into(), key.into())).is_some())
    }
    fn store_list(&mut self, collection: &str, prefix: &str, limit: u32, cursor: Option<&str>) -> HostResult<StorePage> {
        self.store_calls += 1;
        let after = |key: &str| cursor.is_none_or(|cursor| key > cursor);
        let of = |(name, key): &(String, String)| name == collection && key.starts_with(prefix) && after(key);
        let mut items: Vec<(String, Vec<u8>)> =
            self.store.iter().filter(|(place, _)| of(place)).map(|((_, key), value)| (key.clone(), value.clone())).collect();
        let more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let next = items.last().filter(|_| more).map(|(key, _)| key.clone());
        Ok((items, next))
    }
    fn store_count(&mut self, collection: &str) -> HostResult<u64> {
        self.store_calls += 1;
        Ok(self.store.keys().filter(|(name, _)| name == collection).count() as u64)
    }
    fn store_increment(&mut self, collection: &str, key: &str, delta: i64) -> HostResult<i64> {
        self.store_calls += 1;
        let place = (collection.to_owned(), key.to_owned());
        let held = match self.store.get(&place) {
            None => 0,
            Some(bytes) => wire::decode_int(bytes).ok_or("o valor guardado não é um Int")?,
        };
        let sum = held.checked_add(delta).ok_or("passa do que um Int guarda")?;
        self.store.insert(place, wire::encode_int(sum));
        Ok(sum)
    }
    fn store_compare_and_swap(&mut self, collection: &str, key: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> HostResult<bool> {
        self.store_calls += 1;
        let place = (collection.to_owned(), key.to_owned());
        if self.store.get(&place).map(Vec::as_slice) != old {
            return Ok(false);
        }
        match new {
            Some(new) => self.store.insert(place, new.into()),
            None => self.store.remove(&place),
        };
        Ok(true)
    }
    fn store_next_id(&mut self, collection: &str) -> HostResult<i64> {
        self.store_calls += 1;
        let next = self.sequences.entry(collection.into()).or_default();
        *next += 1;
        Ok(*next)
    }
}

/// A compiled site and the host that it runs on.
pub struct Site {
    pub program: Program,
    pub image: Vec<u8>,
    pub host: Memory,
}

impl Site {
    /// Compiles sources that have no errors.
    pub fn new(sources: &Sources) -> Self {
        let checked = djo_lang::check(sources);
        let Some(program) = checked.program else {
            panic!("{}", djo_lang::diagnostic::render(&checked.files, &checked.diagnostics, false));
        };
        let image = lower(&program).expect("fits into an image");
        let host =
            Memory { contract: section::encode(&program.contract).into_bytes(), now: 1_700_000_000_000, random: 7, ..Memory::default() };
        Self { program, image, host }
    }

    /// The index of a route.
    pub fn route(&self, method: Method, path: &str) -> u32 {
        let routes = &self.program.contract.routes;
        routes.iter().position(|route| route.method == method && route.path == path).expect("the route is there") as u32
    }

    /// Runs a request.
    pub fn run(&mut self, request: &Request) -> Result<Response, Box<Failure>> {
        let program = djo_vm::Program::new(&self.image).expect("is an image");
        djo_vm::run_within(&program, &mut self.host, request, 5_000_000)
    }

    /// Calls the screen face of a route.
    pub fn screen(&mut self, path: &str) -> Result<Response, Box<Failure>> {
        let entry = Entry::Screen(self.route(Method::Get, path));
        self.run(&Request { method: "GET".into(), path: path.into(), entry, ..Request::default() })
    }

    /// Calls the agent face of a route.
    pub fn agent(&mut self, path: &str, params: &[(&str, &str)], query: &str) -> Result<Response, Box<Failure>> {
        let entry = Entry::Agent(self.route(Method::Get, path));
        let params = params.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        self.run(&Request { method: "GET".into(), path: path.into(), query: query.into(), params, entry, ..Request::default() })
    }

    /// Calls an action with a body that it accepts.
    pub fn action(&mut self, path: &str, params: &[(&str, &str)], body: &str) -> Result<Response, Box<Failure>> {
        let route = self.route(Method::Post, path);
        let contract = &self.program.contract;
        let index = contract.routes[route as usize].action.expect("publishes an action");
        let params: Vec<(String, String)> = params.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let decoded = decode::decode_action(&contract.types, &contract.actions[index], &params, body.as_bytes()).expect("is accepted");
        let mut arguments = String::new();
        djo_contract::json::write_exact(&decoded, &mut arguments);
        let arguments = arguments.into_bytes();
        self.run(&Request {
            method: "POST".into(),
            path: path.into(),
            params,
            arguments,
            entry: Entry::Action(route),
            ..Request::default()
        })
    }
}

/// A response's body as text.
pub fn body(response: &Response) -> &str {
    std::str::from_utf8(&response.body).unwrap()
}

/// A response's header.
pub fn header<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
    response.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
}
