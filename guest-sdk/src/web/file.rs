//! Static files that the component carries: whole, a part, or "you have it".

use alloc::{format, string::String};

use djo_contract::{
    range::{self, Wanted},
    refusal::Refusal,
    route::percent_decode,
};

use crate::site::File;

use super::reply::{Content, Reply};
use super::request::Incoming;
use super::shape::conditional;

/// The file that a path names.
pub(super) fn find(request: &mut dyn Incoming) -> Option<File> {
    let path = place(request.path())?;
    request.file(&path)
}

/// Relative to `publico/`, decoded segment by segment: an encoded `/` is part of a name, which no file has.
fn place(path: &str) -> Option<String> {
    let mut decoded = String::new();
    for (index, segment) in path.strip_prefix('/')?.split('/').enumerate() {
        let segment = percent_decode(segment).ok().filter(|segment| !segment.contains('/'))?;
        if index > 0 {
            decoded.push('/');
        }
        decoded.push_str(&segment);
    }
    Some(decoded)
}

/// The file, the part of it that is asked for, or 304. A range is defined for GET alone, and one that was asked for on the condition of
/// another tag is not wanted any more. Caches may keep it for so many seconds.
///
/// # Errors
/// The file has none of the bytes that are asked for.
pub(super) fn reply(file: File, max_age: u32, request: &dyn Incoming) -> Result<Reply, Refusal> {
    let File { content_type, tag, place: (start, length) } = file;
    let condition = request.header("if-range").is_none_or(|condition| condition == tag);
    let range = request.header("range").filter(|_| condition && request.method() == "GET");
    let wanted = range.map_or(Wanted::Whole, |range| range::parse(&range, u64::from(length)));
    let reply = conditional(Reply::empty(200).with("cache-control", format!("public, max-age={max_age}")), tag, request);
    if reply.status != 200 {
        return Ok(reply);
    }
    let reply = reply.with("accept-ranges", "bytes");
    Ok(match wanted {
        Wanted::Whole => reply.with("content-type", content_type).of(Content::File { start, length }),
        Wanted::Part(part) => {
            let (first, last) = (*part.start(), *part.end());
            // Within the file, whose length is 32 bits.
            let content = Content::File { start: start + first as u32, length: (last - first + 1) as u32 };
            let reply = reply.with("content-type", content_type).with("content-range", format!("bytes {first}-{last}/{length}"));
            Reply { status: 206, ..reply }.of(content)
        }
        Wanted::Nothing => return Err(Refusal::NoSuchBytes { size: length.into() }),
    })
}
