//! `Json.*`, `Hash.*`, `Html.*`, `Url.*`

use alloc::{string::String, vec::Vec};

use djo_contract::route::{decode_leniently, percent_encode};
use sha2::{Digest, Sha256};

use super::{arg, hex, text};
use crate::{builtins::Builtin, context::Context, error::Fallible, escape, json, op::Escape, ops::arithmetic::from_utf8, value::Value};

pub(super) fn call(ctx: &mut Context<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    let heap = &mut ctx.heap;
    let value = arg(args, 0);
    let mut out = Vec::new();
    match builtin {
        Builtin::JsonEncode => json::encode(heap, value, &mut out)?,
        Builtin::JsonDecode => {
            let document = String::from(text(heap, builtin, args, 0)?);
            ctx.guard(document.len());
            return json::decode(&mut ctx.heap, document.as_bytes(), json::Limits::default());
        }
        Builtin::HashSha256 => {
            let digest = Sha256::digest(text(heap, builtin, args, 0)?.as_bytes());
            return Ok(heap.text(hex(&digest)));
        }
        Builtin::HtmlEscape => escape::write(heap, value, Escape::Text, &mut out)?,
        Builtin::HtmlRaw => {
            escape::display(heap, value, &mut out)?;
            let markup = from_utf8(out)?;
            return Ok(heap.raw(markup));
        }
        Builtin::UrlEncode => {
            let mut shown = Vec::new();
            escape::display(heap, value, &mut shown)?;
            percent_encode(&shown, b"", &mut out);
        }
        Builtin::UrlDecode => {
            let decoded = decode_leniently(text(heap, builtin, args, 0)?.as_bytes(), false);
            let decoded = String::from_utf8_lossy(&decoded).into_owned();
            return Ok(heap.text(decoded));
        }
        _ => return Err(crate::error::invalid_image()),
    }
    let result = from_utf8(out)?;
    Ok(heap.text(result))
}
