//! A host in memory, one for each thread, so that each test has its own.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString},
    vec::Vec,
};
use core::cell::RefCell;

type Key = (String, String);

std::thread_local! {
    static DATA: RefCell<BTreeMap<Key, Vec<u8>>> = const { RefCell::new(BTreeMap::new()) };
    static IDS: RefCell<BTreeMap<String, i64>> = const { RefCell::new(BTreeMap::new()) };
}

fn key(collection: &str, key: &str) -> Key {
    (collection.to_string(), key.to_string())
}

pub(crate) mod store {
    use djo_contract::wire;

    use super::{BTreeMap, DATA, IDS, Key, String, ToString, Vec, key};
    pub(crate) use crate::bindings::djo::site::store::{Item, Page};

    fn with<T>(act: impl FnOnce(&mut BTreeMap<Key, Vec<u8>>) -> T) -> T {
        DATA.with_borrow_mut(act)
    }

    pub(crate) fn get(collection: &str, name: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(with(|data| data.get(&key(collection, name)).cloned()))
    }

    pub(crate) fn set(collection: &str, name: &str, value: &[u8]) -> Result<(), String> {
        with(|data| data.insert(key(collection, name), value.into()));
        Ok(())
    }

    pub(crate) fn delete(collection: &str, name: &str) -> Result<bool, String> {
        Ok(with(|data| data.remove(&key(collection, name)).is_some()))
    }

    pub(crate) fn list(collection: &str, prefix: &str, limit: u32, cursor: Option<&str>) -> Result<Page, String> {
        let limit = limit as usize;
        let mut items: Vec<Item> = with(|data| {
            let held = data.iter().filter(|((of, name), _)| of == collection && name.starts_with(prefix));
            let later = held.filter(|((_, name), _)| cursor.is_none_or(|cursor| name.as_str() > cursor));
            later.take(limit + 1).map(|((_, name), value)| Item { key: name.clone(), value: value.clone() }).collect()
        });
        let more = items.len() > limit;
        items.truncate(limit);
        let cursor = if more { items.last().map(|item| item.key.clone()) } else { None };
        Ok(Page { items, cursor })
    }

    pub(crate) fn count(collection: &str) -> Result<u64, String> {
        Ok(with(|data| data.keys().filter(|(of, _)| of == collection).count() as u64))
    }

    pub(crate) fn increment(collection: &str, name: &str, delta: i64) -> Result<i64, String> {
        let held = get(collection, name)?;
        let number = held.map_or(Some(0), |bytes| wire::decode_int(&bytes)).and_then(|number| number.checked_add(delta));
        let number = number.ok_or_else(|| "o valor não é um Int, ou ficaria grande demais".to_string())?;
        set(collection, name, &wire::encode_int(number))?;
        Ok(number)
    }

    pub(crate) fn compare_and_swap(collection: &str, name: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, String> {
        if get(collection, name)?.as_deref() != old {
            return Ok(false);
        }
        match new {
            Some(new) => set(collection, name, new)?,
            None => {
                delete(collection, name)?;
            }
        }
        Ok(true)
    }

    pub(crate) fn next_id(collection: &str) -> Result<i64, String> {
        Ok(IDS.with_borrow_mut(|ids| {
            let id = ids.entry(collection.to_string()).or_default();
            *id += 1;
            *id
        }))
    }
}

pub(crate) mod log {
    use crate::bindings::djo::site::log::Level;

    pub(crate) fn write(level: Level, message: &str) {
        std::eprintln!("{level:?}: {message}");
    }
}

pub(crate) mod outbound {
    use core::cell::RefCell;
    use std::rc::Rc;

    use djo_contract::fetch;

    use super::{String, ToString};
    pub(crate) use crate::bindings::djo::site::outbound::{Request, Response};

    /// What plays the other servers.
    pub(crate) type Others = Rc<dyn Fn(&Request) -> Result<Response, String>>;

    std::thread_local! {
        static OTHERS: RefCell<Option<Others>> = const { RefCell::new(None) };
    }

    pub(crate) fn set(others: Others) {
        OTHERS.set(Some(others));
    }

    /// As a host does it, up to where the network begins.
    pub(crate) fn fetch(request: &Request) -> Result<Response, String> {
        let Request { method, url, headers, body, .. } = request;
        fetch::Call::new(method, url, headers.clone(), body.clone()).map_err(|bad| bad.to_string())?;
        // Taken out first: whoever answers may make calls of its own.
        let others = OTHERS.with_borrow(Clone::clone);
        others.ok_or_else(|| "num teste, quem responde pelos outros servidores é `djo::testing::outbound`".to_string())?(request)
    }
}

pub(crate) mod progress {
    pub(crate) fn report(_done: f64, _total: Option<f64>, _message: Option<&str>) {}
}

pub(crate) mod wall_clock {
    pub(crate) use crate::bindings::wasi::clocks::wall_clock::Datetime;

    pub(crate) fn now() -> Datetime {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Datetime { seconds: now.as_secs(), nanoseconds: now.subsec_nanos() }
    }
}

pub(crate) mod random {
    use core::hash::{BuildHasher as _, Hasher as _};

    use super::Vec;

    /// Of no use for secrets, which tests have none of.
    pub(crate) fn get_random_bytes(count: u64) -> Vec<u8> {
        let state = std::hash::RandomState::new();
        let byte = |at: u64| {
            let mut hasher = state.build_hasher();
            hasher.write_u64(at);
            hasher.finish() as u8
        };
        (0..count).map(byte).collect()
    }
}
