//! What a site's module usually needs: `use djo::prelude::*;`

pub use alloc::{
    borrow::ToOwned,
    boxed::Box,
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

pub use crate::{
    Collection, Content, Context, Cookie, Data, Directive, Error, Html, Items, List, Page, Redirect, Refusal, Render, Respond, Response,
    Result, Value,
};
