//! Sessions: a random id in a cookie, the data in the store under a collection that the site's code cannot name.
//!
//! Nothing is looked up until code asks, and nothing is written until the run has ended well. An id that the store does not know
//! never becomes a session. Values go in and out as copies, as with the store, and what it would not keep is refused at once.

use alloc::{format, string::String, vec::Vec};

pub use djo_contract::session::{COLLECTION, COOKIE, RESERVED_PREFIX};
use djo_contract::session::{ID_BYTES, is_id};

use crate::{
    context::Context,
    error::{Fallible, kind, raise},
    host::Level,
    value::Value,
    wire,
};

/// Most bytes that the store takes for one value: here, a whole session.
const MAX_BYTES: usize = 1 << 20;
/// At most what a member's key and length take in the wire format, beside the key's own bytes.
const MEMBER_BYTES: usize = 16;

/// The session of a run.
#[derive(Debug, Default)]
pub(crate) struct Session {
    state: State,
    /// The data or the id is not as stored.
    changed: bool,
    /// At most how many bytes the data takes.
    size: usize,
    /// The id of one that cannot be read: the next one, or its end, takes it away.
    unreadable: Option<String>,
    /// Ids that are no longer valid.
    gone: Vec<String>,
    cookie: Option<Cookie>,
}

#[derive(Debug, Default)]
enum State {
    /// Nobody asked yet.
    #[default]
    Unknown,
    None,
    /// Its id and its data, a Map.
    Open(String, Value),
}

#[derive(Debug)]
enum Cookie {
    Set,
    Expire,
}

impl Session {
    /// The data, which must not be collected.
    pub(crate) fn root(&self) -> Option<&Value> {
        match &self.state {
            State::Open(_, data) => Some(data),
            State::Unknown | State::None => None,
        }
    }
}

fn store_error(message: String) -> alloc::boxed::Box<crate::error::Raise> {
    raise(kind::STORE, message)
}

fn too_long(bytes: usize) -> alloc::boxed::Box<crate::error::Raise> {
    store_error(format!("a sessão teria {bytes} bytes; o máximo é {MAX_BYTES} (1 MiB)"))
}

impl Context<'_> {
    /// Looks the session up, once.
    fn open_session(&mut self) -> Fallible<()> {
        if !matches!(self.session.state, State::Unknown) {
            return Ok(());
        }
        self.session.state = State::None;
        let Some(id) = self.cookie(COOKIE).filter(|id| is_id(id)) else { return Ok(()) };
        if let Some(bytes) = self.host.store_get(COLLECTION, &id).map_err(store_error)? {
            self.guard(bytes.len());
            let data = match wire::decode(&mut self.heap, &bytes) {
                // Kept by a build with other structs: who has it enters again, and is not locked out of every page that asks.
                Err(error) if error.catchable => {
                    self.host.log(Level::Warn, &format!("uma sessão que não se lê mais é como nenhuma: {}", error.message));
                    Value::Nil
                }
                data => data?,
            };
            if matches!(data, Value::Map(_)) {
                self.session.state = State::Open(id, data);
                self.session.size = bytes.len();
            } else {
                self.session.unreadable = Some(id);
            }
        }
        Ok(())
    }

    fn new_session_id(&mut self) -> String {
        let mut bytes = [0; ID_BYTES];
        self.host.random(&mut bytes);
        crate::library::hex(&bytes)
    }

    /// `Session.get:k`
    pub(crate) fn session_get(&mut self, key: Value) -> Fallible<Value> {
        self.open_session()?;
        match self.session.state {
            State::Open(_, Value::Map(data)) => match self.heap.member(data, key)? {
                Some(value @ (Value::Arr(_) | Value::Map(_) | Value::Struct(_))) => {
                    let bytes = wire::encode_member(&mut self.heap, value)?;
                    self.session_copy(value, &bytes)
                }
                member => Ok(member.unwrap_or_default()),
            },
            _ => Ok(Value::Nil),
        }
    }

    /// A value that was encoded, sharing nothing with it that can change.
    fn session_copy(&mut self, value: Value, bytes: &[u8]) -> Fallible<Value> {
        match value {
            Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) | Value::Str(_) => Ok(value),
            _ => {
                self.guard(bytes.len());
                wire::decode(&mut self.heap, bytes)
            }
        }
    }

    /// `Session.set:k:v`: begins a session when there is none.
    pub(crate) fn session_set(&mut self, key: Value, value: Value) -> Fallible<()> {
        self.open_session()?;
        let bytes = wire::encode_member(&mut self.heap, value)?;
        let added = bytes.len() + self.heap.bytes(key).len() + MEMBER_BYTES;
        if bytes.len() > MAX_BYTES {
            return Err(too_long(added));
        }
        let value = self.session_copy(value, &bytes)?;
        if !matches!(self.session.state, State::Open(..)) {
            let id = self.new_session_id();
            let (_, data) = self.heap.map(2);
            self.session.state = State::Open(id, data);
            self.session.cookie = Some(Cookie::Set);
            self.session.gone.extend(self.session.unreadable.take());
        }
        if let State::Open(_, Value::Map(data)) = self.session.state {
            let before = self.heap.member(data, key)?;
            self.heap.put(data, key, value)?;
            self.session.size += added;
            // What it replaces was counted as well: only where that matters is it counted anew.
            if self.session.size > MAX_BYTES {
                self.session.size = wire::encode(&mut self.heap, Value::Map(data))?.len();
            }
            if self.session.size > MAX_BYTES {
                match before {
                    Some(before) => self.heap.put(data, key, before)?,
                    None => {
                        self.heap.remove(data, key)?;
                    }
                }
                return Err(too_long(self.session.size));
            }
            self.session.changed = true;
        }
        Ok(())
    }

    /// `Session.del:k`
    pub(crate) fn session_del(&mut self, key: Value) -> Fallible<bool> {
        self.open_session()?;
        let State::Open(_, Value::Map(data)) = self.session.state else { return Ok(false) };
        let there = self.heap.remove(data, key)?;
        self.session.changed |= there;
        Ok(there)
    }

    /// `Session.clear:` ends the session.
    pub(crate) fn session_clear(&mut self) -> Fallible<()> {
        self.open_session()?;
        let open = match core::mem::replace(&mut self.session.state, State::None) {
            State::Open(id, _) => Some(id),
            State::Unknown | State::None => None,
        };
        // Those who read a part of it alone, to fill parameters in, still can.
        if let Some(id) = open.or_else(|| self.session.unreadable.take()) {
            self.session.size = 0;
            self.session.gone.push(id);
            self.session.cookie = Some(Cookie::Expire);
            self.session.changed = true;
        }
        Ok(())
    }

    /// `Session.id:`; none when there is no session.
    pub(crate) fn session_id(&mut self) -> Fallible<Option<String>> {
        self.open_session()?;
        Ok(match &self.session.state {
            State::Open(id, _) => Some(id.clone()),
            State::Unknown | State::None => None,
        })
    }

    /// `Session.renew:` keeps the data under another id, as after a log-in.
    pub(crate) fn session_renew(&mut self) -> Fallible<Option<String>> {
        self.open_session()?;
        let State::Open(_, data) = self.session.state else { return Ok(None) };
        let id = self.new_session_id();
        if let State::Open(old, _) = core::mem::replace(&mut self.session.state, State::Open(id.clone(), data)) {
            self.session.gone.push(old);
        }
        self.session.cookie = Some(Cookie::Set);
        self.session.changed = true;
        Ok(Some(id))
    }

    /// Writes what changed and sets the cookie, when a run ends well.
    pub(crate) fn finish_session(&mut self) -> Fallible<()> {
        if !self.session.changed {
            return Ok(());
        }
        self.session.changed = false;
        if let State::Open(id, data) = &self.session.state {
            let bytes = wire::encode(&mut self.heap, *data)?;
            self.host.store_set(COLLECTION, id, &bytes).map_err(store_error)?;
        }
        for id in core::mem::take(&mut self.session.gone) {
            self.host.store_delete(COLLECTION, &id).map_err(store_error)?;
        }
        let cookie = match (self.session.cookie.take(), &self.session.state) {
            (Some(Cookie::Set), State::Open(id, _)) => format!("{COOKIE}={id}; Path=/; HttpOnly; SameSite=Lax"),
            (Some(_), _) => format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"),
            (None, _) => return Ok(()),
        };
        let secure = if self.host.secure() { "; Secure" } else { "" };
        self.answer.cookies.push(format!("{cookie}{secure}"));
        Ok(())
    }
}
