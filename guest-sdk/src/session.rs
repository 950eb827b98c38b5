//! Sessions, as djo sites have them: a random id in a cookie, the data in the store, where no site's code can name it.
//!
//! Nothing is looked up until code asks, and nothing is written until the run has ended well. An id that the store does not know
//! never becomes a session.

use alloc::{format, string::String, vec::Vec};

use djo_contract::session::{COLLECTION, COOKIE, ID_BYTES, is_id};
use djo_contract::{value::Value, wire};

use crate::context::Context;
use crate::data::{Data, to_wire};
use crate::error::{Error, Result};
use crate::outside::store;
use crate::random;

/// What is known of a run's session.
#[derive(Default)]
pub(crate) struct State {
    /// `None`: nobody asked yet.
    looked: Option<Option<Open>>,
    /// The data or the id is not as stored.
    changed: bool,
    /// Ids that are no longer valid.
    gone: Vec<String>,
    cookie: Option<Cookie>,
}

struct Open {
    id: String,
    data: Vec<(String, Value)>,
}

enum Cookie {
    Set,
    Expire,
}

/// The visitor's session.
pub struct Session<'c, 'r>(pub(crate) &'c mut Context<'r>);

impl Session<'_, '_> {
    /// Looks the session up, once.
    fn open(&mut self) -> Result<&mut Option<Open>> {
        if self.0.session.looked.is_none() {
            let id = self.0.cookie(COOKIE).filter(|id| is_id(id));
            let held = id.as_deref().map(|id| store::get(COLLECTION, id)).transpose().map_err(Error::new)?.flatten();
            let open = match (id, held.map(|bytes| wire::decode(&bytes))) {
                (Some(id), Some(Ok(Value::Map(data)))) => Some(Open { id, data }),
                _ => None,
            };
            self.0.session.looked = Some(open);
        }
        Ok(self.0.session.looked.get_or_insert(None))
    }

    /// A value of the session; `None` also without a session.
    ///
    /// # Errors
    /// The store's own; a value of another type.
    pub fn get<T: Data>(&mut self, key: &str) -> Result<Option<T>> {
        let open = self.open()?;
        let value = open.as_ref().and_then(|open| open.data.iter().find(|(held, _)| held == key));
        let value = value.map(|(_, value)| T::from_value(value.clone()).map_err(|mismatch| mismatch.within(key)));
        Ok(value.transpose()?)
    }

    /// Sets a value: begins a session when there is none.
    ///
    /// # Errors
    /// The store's own.
    pub fn set(&mut self, key: &str, value: &impl Data) -> Result<()> {
        let value = wire::decode(&to_wire(value))?;
        let open = self.open()?;
        let begins = open.is_none();
        let data = &mut open.get_or_insert_with(|| Open { id: new_id(), data: Vec::new() }).data;
        match data.iter_mut().find(|(held, _)| held == key) {
            Some((_, held)) => *held = value,
            None => data.push((key.into(), value)),
        }
        self.0.session.changed = true;
        if begins {
            self.0.session.cookie = Some(Cookie::Set);
        }
        Ok(())
    }

    /// Takes a value out; tells whether it was there.
    ///
    /// # Errors
    /// The store's own.
    pub fn remove(&mut self, key: &str) -> Result<bool> {
        let Some(open) = self.open()? else { return Ok(false) };
        let before = open.data.len();
        open.data.retain(|(held, _)| held != key);
        let there = open.data.len() < before;
        self.0.session.changed |= there;
        Ok(there)
    }

    /// Ends the session.
    ///
    /// # Errors
    /// The store's own.
    pub fn end(&mut self) -> Result<()> {
        if let Some(open) = self.open()?.take() {
            let session = &mut self.0.session;
            session.gone.push(open.id);
            session.cookie = Some(Cookie::Expire);
            session.changed = true;
        }
        Ok(())
    }

    /// Its id; `None` when there is no session.
    ///
    /// # Errors
    /// The store's own.
    pub fn id(&mut self) -> Result<Option<String>> {
        Ok(self.open()?.as_ref().map(|open| open.id.clone()))
    }

    /// Keeps the data under another id, as after a log-in.
    ///
    /// # Errors
    /// The store's own.
    pub fn renew(&mut self) -> Result<()> {
        if let Some(open) = self.open()? {
            let old = core::mem::replace(&mut open.id, new_id());
            let session = &mut self.0.session;
            session.gone.push(old);
            session.cookie = Some(Cookie::Set);
            session.changed = true;
        }
        Ok(())
    }
}

impl State {
    /// Writes what changed, when a run ends well; the cookie that goes with it.
    pub(crate) fn finish(self, secure: bool) -> Result<Option<String>> {
        if !self.changed {
            return Ok(None);
        }
        let open = self.looked.flatten();
        if let Some(open) = &open {
            store::set(COLLECTION, &open.id, &wire::encode(&Value::Map(open.data.clone()))).map_err(Error::new)?;
        }
        for id in &self.gone {
            store::delete(COLLECTION, id).map_err(Error::new)?;
        }
        let secure = if secure { "; Secure" } else { "" };
        Ok(self.cookie.map(|cookie| match (cookie, open) {
            (Cookie::Set, Some(Open { id, .. })) => format!("{COOKIE}={id}; Path=/; HttpOnly; SameSite=Lax{secure}"),
            _ => format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0{secure}"),
        }))
    }
}

fn new_id() -> String {
    random::hex(&random::bytes(ID_BYTES))
}
