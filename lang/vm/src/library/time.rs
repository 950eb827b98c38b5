//! `Time.*`: a moment is an Int, milliseconds since 1970 in UTC, as `Time.now:` gives it.
//!
//! `Time.iso:[t]` writes RFC 3339 in UTC, with milliseconds only when there are some. `Time.parse:s` reads RFC 3339 with an offset or
//! `Z`, or a date alone (its midnight in UTC); what is neither is nil, as for `Int.parse`. `Time.add:t:n` adds milliseconds, or a Map
//! of `anos meses semanas dias horas minutos segundos milissegundos`; a month too short for the day ends on its last one.

use alloc::{boxed::Box, format, string::String};

use super::{arg, int, is_text, options, wrong};
use crate::{
    builtins::Builtin,
    context::Context,
    error::{Fallible, Raise, kind, raise},
    heap::Heap,
    value::Value,
};

const DAY: i64 = 86_400_000;
/// The years 0 to 9999, which RFC 3339 can write.
const RANGE: core::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;
/// Options of `Time.add` of a fixed length, in milliseconds.
const SPANS: [(&str, i64); 6] =
    [("semanas", 7 * DAY), ("dias", DAY), ("horas", 3_600_000), ("minutos", 60_000), ("segundos", 1000), ("milissegundos", 1)];

pub(super) fn call(ctx: &mut Context<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    match builtin {
        Builtin::TimeNow => Ok(Value::Int(ctx.host.now())),
        Builtin::TimeIso => {
            let moment = if args.is_empty() { ctx.host.now() } else { int(&ctx.heap, builtin, args, 0)? };
            let text = iso(moment)?;
            Ok(ctx.heap.text(text))
        }
        Builtin::TimeParse => match arg(args, 0) {
            Value::Nil | Value::Unset => Ok(Value::Nil),
            value if is_text(value) => Ok(parse(ctx.heap.str(value)?).map_or(Value::Nil, Value::Int)),
            other => Err(wrong(&ctx.heap, builtin, "String", other)),
        },
        Builtin::TimeAdd => add(&ctx.heap, args).map(Value::Int),
        _ => Err(crate::error::invalid_image()),
    }
}

#[cold]
fn out_of_range() -> Box<Raise> {
    raise(kind::ARITHMETIC, "o momento passa dos anos 0 a 9999")
}

fn checked(moment: i64) -> Fallible<i64> {
    if RANGE.contains(&moment) { Ok(moment) } else { Err(out_of_range()) }
}

/// Days since 1970 of a date of the Gregorian calendar. Months and days may be any; they carry over.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = (year + (month - 1).div_euclid(12), (month - 1).rem_euclid(12) + 1);
    // Years that begin in March, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a day since 1970.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, of_year - (153 * shifted + 2) / 5 + 1)
}

fn month_length(year: i64, month: i64) -> i64 {
    days(year, month + 1, 1) - days(year, month, 1)
}

fn iso(moment: i64) -> Fallible<String> {
    let moment = checked(moment)?;
    let (year, month, day) = date(moment.div_euclid(DAY));
    let rest = moment.rem_euclid(DAY);
    let (hour, minute, second, milli) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000);
    let fraction = if milli == 0 { String::new() } else { format!(".{milli:03}") };
    Ok(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z"))
}

/// A number of exactly so many digits at the start, and what follows.
fn digits(text: &[u8], count: usize) -> Option<(i64, &[u8])> {
    let (number, rest) = text.split_at_checked(count)?;
    let all = number.iter().all(u8::is_ascii_digit);
    all.then(|| (number.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')), rest))
}

fn after(text: &[u8], wanted: u8) -> Option<&[u8]> {
    text.split_first().filter(|(first, _)| first.eq_ignore_ascii_case(&wanted)).map(|(_, rest)| rest)
}

fn parse(text: &str) -> Option<i64> {
    let (year, rest) = digits(text.trim().as_bytes(), 4)?;
    let (month, rest) = digits(after(rest, b'-')?, 2)?;
    let (day, rest) = digits(after(rest, b'-')?, 2)?;
    if !(1..=12).contains(&month) || !(1..=month_length(year, month)).contains(&day) {
        return None;
    }
    let midnight = days(year, month, day) * DAY;
    if rest.is_empty() {
        return Some(midnight);
    }
    let rest = after(rest, b'T').or_else(|| after(rest, b' '))?;
    let (hour, rest) = digits(rest, 2)?;
    let (minute, rest) = digits(after(rest, b':')?, 2)?;
    let (second, mut rest) = digits(after(rest, b':')?, 2)?;
    // A leap second is the one after it.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut milli = 0;
    if let Some(fraction) = after(rest, b'.') {
        let length = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (written, tail) = fraction.split_at_checked(length).filter(|_| length > 0)?;
        for place in 0..3 {
            milli = milli * 10 + written.get(place).map_or(0, |digit| i64::from(digit - b'0'));
        }
        rest = tail;
    }
    let offset = match rest {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), zone @ ..] => {
            let (hours, zone) = digits(zone, 2)?;
            let (minutes, zone) = digits(after(zone, b':')?, 2)?;
            if !zone.is_empty() || hours > 23 || minutes > 59 {
                return None;
            }
            let offset = hours * 60 + minutes;
            if *sign == b'-' { -offset } else { offset }
        }
        _ => return None,
    };
    checked(midnight + hour * 3_600_000 + (minute - offset) * 60_000 + second * 1000 + milli).ok()
}

fn add(heap: &Heap<'_>, args: &[Value]) -> Fallible<i64> {
    let builtin = Builtin::TimeAdd;
    let moment = checked(int(heap, builtin, args, 0)?)?;
    match arg(args, 1) {
        Value::Int(span) => return checked(moment.checked_add(span).ok_or_else(out_of_range)?),
        Value::Map(_) | Value::Nil | Value::Unset => {}
        other => return Err(wrong(heap, builtin, "Int ou Map", other)),
    }
    let Some(given) = options(heap, builtin, args)? else { return Ok(moment) };
    let option = |name: &str| match heap.member_named(given, name) {
        None | Some(Value::Nil) => Ok(0),
        Some(Value::Int(number)) => Ok(number),
        Some(other) => Err(wrong(heap, builtin, &format!("Int em `{name}`"), other)),
    };
    let (years, months) = (option("anos")?, option("meses")?);
    let months = years.checked_mul(12).and_then(|years| years.checked_add(months)).ok_or_else(out_of_range)?;
    if !(-120_000..=120_000).contains(&months) {
        return Err(out_of_range());
    }
    let (year, month, day) = date(moment.div_euclid(DAY));
    let (year, month) = (year + (month - 1 + months).div_euclid(12), (month - 1 + months).rem_euclid(12) + 1);
    let mut moved = days(year, month, day.min(month_length(year, month))) * DAY + moment.rem_euclid(DAY);
    for (name, length) in SPANS {
        let span = option(name)?.checked_mul(length).ok_or_else(out_of_range)?;
        moved = moved.checked_add(span).ok_or_else(out_of_range)?;
    }
    checked(moved)
}
