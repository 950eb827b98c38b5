//! `Random.*`, from a source fit for secrets.

use alloc::{string::String, vec};

use super::{arg, int};
use crate::{
    builtins::Builtin,
    context::Context,
    error::{Fallible, kind, raise},
    value::Value,
};

/// Bytes of a token, unless said otherwise, and at most.
const TOKEN_BYTES: (i64, i64) = (32, 1024);

pub(super) fn call(ctx: &mut Context<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    match builtin {
        // Both ends can come up.
        Builtin::RandomInt => {
            let (least, most) = (int(&ctx.heap, builtin, args, 0)?, int(&ctx.heap, builtin, args, 1)?);
            if least > most {
                return Err(raise(kind::ARITHMETIC, "Random.int espera o menor número primeiro"));
            }
            let span = most.wrapping_sub(least).cast_unsigned();
            Ok(Value::Int(least.wrapping_add(below(ctx, span).cast_signed())))
        }
        Builtin::RandomUuid => {
            let mut bytes = [0; 16];
            ctx.host.random(&mut bytes);
            bytes[6] = bytes[6] & 0x0f | 0x40;
            bytes[8] = bytes[8] & 0x3f | 0x80;
            let mut text = hex(&bytes);
            for place in [20, 16, 12, 8] {
                text.insert(place, '-');
            }
            Ok(ctx.heap.text(text))
        }
        // So many bytes in hexadecimal.
        Builtin::RandomToken => {
            let count = if arg(args, 0).is_nil() { TOKEN_BYTES.0 } else { int(&ctx.heap, builtin, args, 0)? };
            if !(1..=TOKEN_BYTES.1).contains(&count) {
                return Err(raise(kind::LIMIT, alloc::format!("Random.token faz de 1 a {} bytes", TOKEN_BYTES.1)));
            }
            let mut bytes = vec![0; count as usize];
            ctx.host.random(&mut bytes);
            let text = hex(&bytes);
            Ok(ctx.heap.text(text))
        }
        _ => Err(crate::error::invalid_image()),
    }
}

/// A number from 0 to `most`, all as likely.
fn below(ctx: &mut Context<'_>, most: u64) -> u64 {
    let mask = u64::MAX >> (most | 1).leading_zeros();
    loop {
        let mut bytes = [0; 8];
        ctx.host.random(&mut bytes);
        let number = u64::from_le_bytes(bytes) & mask;
        if number <= most {
            return number;
        }
    }
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
