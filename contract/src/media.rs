//! Media types of bodies.

/// A result that is a list of content blocks (text, images, sound, documents) as the Model Context Protocol has them.
pub const CONTENT_BLOCKS: &str = "application/vnd.djo.content+json";

/// Whether a `Content-Type` says JSON: `application/json` or a `+json` type, with any parameters. Source: the HTTP contract, 2.2.
///
/// None of the types that a browser sends to another site without asking is one: this is the guard against forged requests.
pub fn is_json_media_type(content_type: &str) -> bool {
    let essence = content_type.split_once(';').map_or(content_type, |(essence, _)| essence).trim();
    let Some((kind, subtype)) = essence.split_once('/') else {
        return false;
    };
    let is_token = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte));
    let suffix = subtype.len().checked_sub(5).filter(|&at| at > 0).and_then(|at| subtype.get(at..));
    is_token(kind)
        && is_token(subtype)
        && (essence.eq_ignore_ascii_case("application/json") || suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case("+json")))
}

/// Whether a `Content-Type` says that text is Latin-1, as many an old server's does.
pub fn is_latin1(content_type: &str) -> bool {
    let charset = content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    });
    charset.is_some_and(|charset| charset.eq_ignore_ascii_case("iso-8859-1") || charset.eq_ignore_ascii_case("latin1"))
}

#[cfg(test)]
mod tests {
    use super::{is_json_media_type, is_latin1};

    #[test]
    fn knows_latin1() {
        for good in ["text/plain; charset=ISO-8859-1", "text/html;a=b; Charset=\"latin1\""] {
            assert!(is_latin1(good), "{good}");
        }
        for bad in ["", "latin1", "text/plain", "text/plain; charset=utf-8", "text/plain; x=latin1"] {
            assert!(!is_latin1(bad), "{bad}");
        }
    }

    #[test]
    fn knows_json() {
        for good in ["application/json", "Application/JSON; charset=utf-8", "application/vnd.api+json", " application/json ;a=\"b;c\""] {
            assert!(is_json_media_type(good), "{good}");
        }
        for bad in [
            "",
            "text/plain",
            "application/x-www-form-urlencoded",
            "text/plain; application/json",
            "application/jsonx",
            "application/json, text/plain",
            "+json",
            "a/+json",
            "json",
            "text/plain;a=b+json",
            "é/a+json",
        ] {
            assert!(!is_json_media_type(bad), "{bad}");
        }
    }
}
