//! What a tool answers beside values: text, images, sound, documents, in the blocks of the Model Context Protocol.
//!
//! A response of [`Content::MEDIA_TYPE`] is a JSON array of such blocks. The door for that protocol hands them on as they are; to any
//! other client it is JSON like any other.

use alloc::{string::String, string::ToString, vec::Vec};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use djo_contract::{json, value::Value};

/// One block.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text for the model.
    Text(String),
    /// A picture.
    Image {
        /// `image/png`, …
        media_type: String,
        /// The file.
        bytes: Vec<u8>,
    },
    /// Sound.
    Audio {
        /// `audio/wav`, …
        media_type: String,
        /// The file.
        bytes: Vec<u8>,
    },
    /// A document that is text.
    TextResource {
        /// Its address.
        uri: String,
        /// `text/plain`, `application/json`, …
        media_type: String,
        /// The document.
        text: String,
    },
    /// A document of another kind.
    BlobResource {
        /// Its address.
        uri: String,
        /// `application/pdf`, …
        media_type: String,
        /// The document.
        bytes: Vec<u8>,
    },
}

impl Content {
    /// The content type of a list of blocks.
    pub const MEDIA_TYPE: &'static str = djo_contract::media::CONTENT_BLOCKS;

    /// Text for the model.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The blocks as JSON.
    pub(crate) fn to_json(blocks: &[Self]) -> String {
        json::to_string(&Value::Arr(blocks.iter().map(Self::to_value).collect()))
    }

    fn to_value(&self) -> Value {
        let object =
            |members: &[(&str, &str)]| Value::Map(members.iter().map(|(name, value)| ((*name).to_string(), Value::from(*value))).collect());
        let resource = |members: &[(&str, &str)]| {
            Value::Map(Vec::from([("type".to_string(), Value::from("resource")), ("resource".to_string(), object(members))]))
        };
        match self {
            Self::Text(text) => object(&[("type", "text"), ("text", text)]),
            Self::Image { media_type, bytes } => object(&[("type", "image"), ("data", &STANDARD.encode(bytes)), ("mimeType", media_type)]),
            Self::Audio { media_type, bytes } => object(&[("type", "audio"), ("data", &STANDARD.encode(bytes)), ("mimeType", media_type)]),
            Self::TextResource { uri, media_type, text } => resource(&[("uri", uri), ("mimeType", media_type), ("text", text)]),
            Self::BlobResource { uri, media_type, bytes } => {
                resource(&[("uri", uri), ("mimeType", media_type), ("blob", &STANDARD.encode(bytes))])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_those_of_the_protocol() {
        let blocks = [
            Content::text("oi"),
            Content::Image { media_type: "image/png".into(), bytes: Vec::from([1, 2, 3]) },
            Content::TextResource { uri: "a://b".into(), media_type: "text/plain".into(), text: "x".into() },
        ];
        let json = r#"[{"type":"text","text":"oi"},{"type":"image","data":"AQID","mimeType":"image/png"},{"type":"resource","resource":{"uri":"a://b","mimeType":"text/plain","text":"x"}}]"#;
        assert_eq!(Content::to_json(&blocks), json);
    }
}
