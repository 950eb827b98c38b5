//! The answer to a request for a file: whole, a part, or "you have it".

use std::{
    fs::File,
    io::{self, Seek as _, SeekFrom},
};

use bytes::Bytes;
use djo_contract::range::{self, Wanted};
use http::{
    HeaderMap, HeaderValue, Method, Response, StatusCode,
    header::{
        ACCEPT_RANGES, CACHE_CONTROL, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, IF_RANGE, RANGE, X_CONTENT_TYPE_OPTIONS,
    },
};

use super::{
    Asset,
    content::{Opened, OpenedBody},
};

/// The body of an answer.
#[derive(Debug)]
pub enum AssetBody {
    /// Bytes at hand, maybe none.
    Bytes(Bytes),
    /// So many bytes of an open file, from where it stands.
    File(File, u64),
}

/// Why a file is not sent.
#[derive(Debug, thiserror::Error)]
pub enum AssetError {
    /// It has gone since the site was loaded.
    #[error("the file has gone")]
    Gone,
    /// It has so many bytes, and none of those that are asked for.
    #[error("the file has {0} bytes, and none of those that are asked for")]
    NoSuchBytes(u64),
    /// It cannot be read.
    #[error("a static file cannot be read: {0}")]
    Unreadable(io::Error),
}

impl From<io::Error> for AssetError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { Self::Gone } else { Self::Unreadable(error) }
    }
}

impl Asset {
    /// Answers `GET` or `HEAD`: 200, 206 or 304. The answer to `HEAD` has the body of the one to `GET`, which the server keeps to itself.
    ///
    /// # Errors
    /// [`AssetError`]
    pub fn respond(&self, headers: &HeaderMap, method: &Method) -> Result<Response<AssetBody>, AssetError> {
        let opened = self.file.stored.open()?;
        let (size, tag) = (opened.len(), opened.tag.clone());
        let mut response = Response::new(AssetBody::Bytes(Bytes::new()));
        let out = response.headers_mut();
        insert(out, ETAG, &tag);
        if let Some(cache_control) = &self.cache_control {
            out.insert(CACHE_CONTROL, cache_control.clone());
        }
        if is_known(headers, &tag) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return Ok(response);
        }
        out.insert(CONTENT_TYPE, self.file.content_type.clone());
        out.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        out.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        match wanted(headers, method, size, &tag) {
            Wanted::Whole => *response.body_mut() = body(opened, 0, size)?,
            Wanted::Part(part) => {
                let (first, last) = (*part.start(), *part.end());
                insert(out, CONTENT_RANGE, &format!("bytes {first}-{last}/{size}"));
                *response.status_mut() = StatusCode::PARTIAL_CONTENT;
                *response.body_mut() = body(opened, first, last - first + 1)?;
            }
            Wanted::Nothing => return Err(AssetError::NoSuchBytes(size)),
        }
        Ok(response)
    }
}

/// A range is defined for `GET` alone, and one that was asked for on the condition of another tag is not wanted any more. Neither field is a
/// list: where there are two, nobody knows which one counts.
fn wanted(headers: &HeaderMap, method: &Method, size: u64, tag: &str) -> Wanted {
    let condition = !headers.contains_key(IF_RANGE) || alone(headers, &IF_RANGE) == Some(tag);
    match alone(headers, &RANGE) {
        Some(range) if method == Method::GET && condition => range::parse(range, size),
        _ => Wanted::Whole,
    }
}

/// A field that is there once.
fn alone<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut fields = headers.get_all(name).iter();
    fields.next()?.to_str().ok().filter(|_| fields.next().is_none())
}

/// `If-None-Match`, by weak comparison. Our tags hold no comma, so that the list can be split at each.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let mut listed = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).flat_map(|list| list.split(','));
    listed.any(|known| {
        let known = known.trim();
        known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag
    })
}

fn body(opened: Opened, start: u64, length: u64) -> io::Result<AssetBody> {
    match opened.body {
        OpenedBody::Kept(bytes) => {
            // Within the file, whose size is that of the bytes.
            let start = start as usize;
            Ok(AssetBody::Bytes(bytes.slice(start..start + length as usize)))
        }
        OpenedBody::OnDisk(mut file, _) => {
            file.seek(SeekFrom::Start(start))?;
            Ok(AssetBody::File(file, length))
        }
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
