//! The site's durable data, atomic per key. Each collection holds values of one type; djo code reads what Rust wrote, and the reverse.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::{fmt, marker::PhantomData};

use djo_contract::session::RESERVED_PREFIX;

use crate::data::{Data, Mismatch, from_wire, to_wire};
use crate::outside::store;

/// How often [`Collection::update`] looks again when the value changes under it.
const UPDATE_ATTEMPTS: usize = 32;

/// A collection: `const PEDIDOS: Collection<Pedido> = Collection::new("pedidos");`
pub struct Collection<T> {
    name: &'static str,
    holds: PhantomData<fn() -> T>,
}

/// What could not be done with the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError(String);

impl fmt::Display for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl core::error::Error for StoreError {}

/// A key: text, or a number as its digits.
pub trait Key {
    /// As the store has it.
    fn text(&self) -> Cow<'_, str>;
}

impl Key for str {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl Key for String {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl Key for i64 {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_string())
    }
}

impl Key for u32 {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_string())
    }
}

impl<K: Key + ?Sized> Key for &K {
    fn text(&self) -> Cow<'_, str> {
        (**self).text()
    }
}

/// Which items are listed.
#[derive(Clone, Debug)]
pub struct List<'a> {
    /// Keys that start so.
    pub prefix: &'a str,
    /// How many at most, 1 to 1000.
    pub limit: u32,
    /// After the page that gave this cursor.
    pub cursor: Option<&'a str>,
}

impl Default for List<'_> {
    fn default() -> Self {
        Self { prefix: "", limit: 100, cursor: None }
    }
}

/// Items by the bytes of their keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Items<T> {
    /// Keys and values.
    pub items: Vec<(String, T)>,
    /// Where the next page starts, if there is one.
    pub cursor: Option<String>,
}

impl<T> Items<T> {
    /// The values alone.
    pub fn into_values(self) -> Vec<T> {
        self.items.into_iter().map(|(_, value)| value).collect()
    }
}

impl<T: Data> Collection<T> {
    /// The collection of that name.
    ///
    /// # Panics
    /// When it is one of the product's own; in a `const`, while compiling.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        let (name_bytes, prefix) = (name.as_bytes(), RESERVED_PREFIX.as_bytes());
        let mut at = 0;
        while at < prefix.len() && at < name_bytes.len() && name_bytes[at] == prefix[at] {
            at += 1;
        }
        assert!(at < prefix.len(), "collections that start with `_djo.` are reserved");
        Self { name, holds: PhantomData }
    }

    /// The value under a key.
    ///
    /// # Errors
    /// The store's own; a value of another type.
    pub fn get(&self, key: impl Key) -> Result<Option<T>, StoreError> {
        let key = key.text();
        let held = store::get(self.name, &key).map_err(StoreError)?;
        held.map(|bytes| self.read(&key, &bytes)).transpose()
    }

    /// Writes a value.
    ///
    /// # Errors
    /// The store's own: it is full, the key or the value is too large.
    pub fn set(&self, key: impl Key, value: &T) -> Result<(), StoreError> {
        store::set(self.name, &key.text(), &to_wire(value)).map_err(StoreError)
    }

    /// Removes a key; tells whether it was there.
    ///
    /// # Errors
    /// The store's own.
    pub fn delete(&self, key: impl Key) -> Result<bool, StoreError> {
        store::delete(self.name, &key.text()).map_err(StoreError)
    }

    /// A page of the collection.
    ///
    /// # Errors
    /// The store's own; a value of another type.
    pub fn list(&self, list: List<'_>) -> Result<Items<T>, StoreError> {
        let page = store::list(self.name, list.prefix, list.limit.clamp(1, 1000), list.cursor).map_err(StoreError)?;
        let item = |item: store::Item| Ok((self.read(&item.key, &item.value)?, item.key));
        let items = page.items.into_iter().map(item).map(|read| read.map(|(value, key)| (key, value))).collect::<Result<_, _>>()?;
        Ok(Items { items, cursor: page.cursor })
    }

    /// How many keys there are.
    ///
    /// # Errors
    /// The store's own.
    pub fn count(&self) -> Result<u64, StoreError> {
        store::count(self.name).map_err(StoreError)
    }

    /// The next number of the collection's own sequence, from 1.
    ///
    /// # Errors
    /// The store's own.
    pub fn next_id(&self) -> Result<i64, StoreError> {
        store::next_id(self.name).map_err(StoreError)
    }

    /// Changes a value so that no other change gets lost: `change` sees what is there and answers what is to be (`None` removes it).
    /// It runs again when another request was faster.
    ///
    /// # Errors
    /// What `change` raises; the store's own; a value that changes all the time.
    pub fn update<E: From<StoreError>>(&self, key: impl Key, mut change: impl FnMut(Option<T>) -> Result<Option<T>, E>) -> Result<(), E> {
        let key = key.text();
        for _ in 0..UPDATE_ATTEMPTS {
            let held = store::get(self.name, &key).map_err(StoreError)?;
            let value = held.as_deref().map(|bytes| self.read(&key, bytes)).transpose()?;
            let new = change(value)?.map(|value| to_wire(&value));
            if store::compare_and_swap(self.name, &key, held.as_deref(), new.as_deref()).map_err(StoreError)? {
                return Ok(());
            }
        }
        Err(StoreError(format!("{}: a chave `{key}` muda sem parar", self.name)).into())
    }

    fn read(&self, key: &str, bytes: &[u8]) -> Result<T, StoreError> {
        from_wire(bytes).map_err(|mismatch: Mismatch| StoreError(format!("{}, `{key}`: {mismatch}", self.name)))
    }
}

impl Collection<i64> {
    /// Adds to a number (an absent one is 0) and answers the sum.
    ///
    /// # Errors
    /// The store's own; the value is no number, or would be too large.
    pub fn increment(&self, key: impl Key, delta: i64) -> Result<i64, StoreError> {
        store::increment(self.name, &key.text(), delta).map_err(StoreError)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const TEXTS: Collection<String> = Collection::new("textos");
    const COUNTS: Collection<i64> = Collection::new("contas");

    #[test]
    fn what_is_set_is_there() {
        assert_eq!(TEXTS.get("a").unwrap(), None);
        TEXTS.set("a", &"um".into()).unwrap();
        TEXTS.set(2_u32, &"dois".into()).unwrap();
        assert_eq!(TEXTS.get(String::from("a")).unwrap().as_deref(), Some("um"));
        assert_eq!(TEXTS.count().unwrap(), 2);
        let first = TEXTS.list(List { limit: 1, ..List::default() }).unwrap();
        assert_eq!((first.items, first.cursor.as_deref()), (Vec::from([("2".into(), "dois".into())]), Some("2")));
        assert!(TEXTS.delete(2_u32).unwrap() && !TEXTS.delete(2_u32).unwrap());
    }

    #[test]
    fn changes_see_what_is_there() {
        let change = |text: &'static str| {
            TEXTS.update("a", |held| -> Result<_, StoreError> { Ok(Some(held.unwrap_or_default() + text)) }).unwrap();
        };
        change("x");
        change("y");
        assert_eq!(TEXTS.get("a").unwrap().as_deref(), Some("xy"));
        TEXTS.update("a", |_| Ok::<_, StoreError>(None)).unwrap();
        assert_eq!(TEXTS.get("a").unwrap(), None);
    }

    #[test]
    fn numbers_are_counted_and_of_their_type() {
        assert_eq!((COUNTS.increment("n", 2).unwrap(), COUNTS.increment("n", -5).unwrap()), (2, -3));
        assert_eq!(COUNTS.get("n").unwrap(), Some(-3));
        assert_eq!((COUNTS.next_id().unwrap(), COUNTS.next_id().unwrap()), (1, 2));
        TEXTS.set("t", &"x".into()).unwrap();
        let other: Collection<bool> = Collection::new("textos");
        assert_eq!(other.get("t").unwrap_err().to_string(), "textos, `t`: deve ser Bool, mas veio String");
    }
}
