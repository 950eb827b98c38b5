//! Where a value goes: JSON for clients, the wire format for the store.

use alloc::string::String;

use djo_contract::{json, wire::Writer};

/// Takes a value piece by piece. After `arr` come as many `item`s, each with a value; after `map` and `record` as many `key`s; then `end`.
pub trait Sink {
    /// Members that no client sees belong here.
    fn keeps_hidden(&self) -> bool;
    /// `nil`
    fn nil(&mut self);
    /// A Bool.
    fn bool(&mut self, flag: bool);
    /// An Int.
    fn int(&mut self, number: i64);
    /// A Float.
    fn float(&mut self, number: f64);
    /// A String.
    fn str(&mut self, text: &str);
    /// An Arr begins.
    fn arr(&mut self, count: usize);
    /// Its next element.
    fn item(&mut self);
    /// A Map begins.
    fn map(&mut self, count: usize);
    /// A struct begins.
    fn record(&mut self, name: &str, count: usize);
    /// The next member.
    fn key(&mut self, name: &str);
    /// The Arr, Map or struct ends.
    fn end(&mut self, closing: char);
}

pub(super) struct Json(pub(super) String);

impl Json {
    /// What is written ends in an opening bracket only where nothing is in it yet: a string ends in its quote.
    fn separate(&mut self) {
        if !self.0.ends_with(['[', '{']) {
            self.0.push(',');
        }
    }
}

impl Sink for Json {
    fn keeps_hidden(&self) -> bool {
        false
    }

    fn nil(&mut self) {
        self.0.push_str("null");
    }

    fn bool(&mut self, flag: bool) {
        self.0.push_str(if flag { "true" } else { "false" });
    }

    fn int(&mut self, number: i64) {
        json::write_int(number, &mut self.0);
    }

    fn float(&mut self, number: f64) {
        json::write_float(number, &mut self.0);
    }

    fn str(&mut self, text: &str) {
        json::write_str(text, &mut self.0);
    }

    fn arr(&mut self, _count: usize) {
        self.0.push('[');
    }

    fn item(&mut self) {
        self.separate();
    }

    fn map(&mut self, _count: usize) {
        self.0.push('{');
    }

    fn record(&mut self, _name: &str, _count: usize) {
        self.0.push('{');
    }

    fn key(&mut self, name: &str) {
        self.separate();
        json::write_str(name, &mut self.0);
        self.0.push(':');
    }

    fn end(&mut self, closing: char) {
        self.0.push(closing);
    }
}

pub(super) struct Wire(pub(super) Writer);

impl Sink for Wire {
    fn keeps_hidden(&self) -> bool {
        true
    }

    fn nil(&mut self) {
        self.0.nil();
    }

    fn bool(&mut self, flag: bool) {
        self.0.bool(flag);
    }

    fn int(&mut self, number: i64) {
        self.0.int(number);
    }

    fn float(&mut self, number: f64) {
        self.0.float(number);
    }

    fn str(&mut self, text: &str) {
        self.0.str(text);
    }

    fn arr(&mut self, count: usize) {
        self.0.arr(count);
    }

    fn item(&mut self) {}

    fn map(&mut self, count: usize) {
        self.0.map(count);
    }

    fn record(&mut self, name: &str, count: usize) {
        self.0.record(name, count);
    }

    fn key(&mut self, name: &str) {
        self.0.key(name);
    }

    fn end(&mut self, _closing: char) {}
}
