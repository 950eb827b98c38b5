//! Names of tools.

use alloc::string::String;

use crate::route::Segment;

/// The longest name that every protocol takes, in bytes.
const NAME_LIMIT: usize = 64;

/// The name of a GET route's tool that declares none: `get_posts`, `get_posts_by_id`. It may be longer than a name may be.
pub fn derived_name<'p>(segments: impl IntoIterator<Item = Segment<'p>>) -> String {
    let mut name = String::from("get");
    for segment in segments {
        let (joint, text) = match segment {
            // The end of a path that ends in `/`.
            Segment::Literal("") => continue,
            Segment::Literal(text) => ("_", text),
            Segment::Param(text) => ("_by_", text),
        };
        name.push_str(joint);
        name.extend(text.chars().map(plain));
    }
    name
}

/// A letter as a name may have it: lower case, without its accent; what is no letter or digit is `_`.
fn plain(letter: char) -> char {
    match letter.to_lowercase().next().unwrap_or(letter) {
        letter if letter.is_ascii_alphanumeric() => letter,
        'á' | 'à' | 'â' | 'ã' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        _ => '_',
    }
}

/// Whether a name can be one, in every protocol: 1 to 64 of `A-Za-z0-9_-`.
pub fn is_valid_name(name: &str) -> bool {
    (1..=NAME_LIMIT).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
