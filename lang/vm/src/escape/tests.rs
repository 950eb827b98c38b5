//! Values in every place of a page, hostile ones above all.
#![allow(clippy::unwrap_used)]

use alloc::{string::String, vec, vec::Vec};

use super::write;
use crate::{
    heap::Heap,
    image::{Builder, Program},
    op::Escape,
    value::Value,
};

fn shown(escape: Escape, make: impl Fn(&mut Heap<'_>) -> Value) -> String {
    let image = Builder::new().finish().unwrap();
    let program = Program::new(&image).unwrap();
    let mut heap = Heap::new(&program);
    let value = make(&mut heap);
    let mut out = Vec::new();
    write(&heap, value, escape, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn text(escape: Escape, value: &str) -> String {
    shown(escape, |heap| heap.text(value))
}

#[test]
fn text_and_attributes() {
    assert_eq!(text(Escape::Text, "<b>\"é\" & 'x'</b>"), "&lt;b&gt;&quot;é&quot; &amp; &#39;x&#39;&lt;/b&gt;");
    assert_eq!(text(Escape::Attribute, "\" onload='x"), "&quot; onload=&#39;x");
    assert_eq!(shown(Escape::Text, |heap| heap.raw("<i>\"</i>")), "<i>\"</i>");
    assert_eq!(shown(Escape::Attribute, |heap| heap.raw("<i>\"'</i>")), "<i>&quot;&#39;</i>");
}

#[test]
fn values_that_are_no_text() {
    assert_eq!(shown(Escape::Text, |_| Value::Nil), "");
    assert_eq!(shown(Escape::Text, |_| Value::Float(3.0)), "3");
    assert_eq!(shown(Escape::Text, |_| Value::Float(-0.5)), "-0.5");
    assert_eq!(shown(Escape::Text, |_| Value::Int(i64::MIN)), "-9223372036854775808");
    assert_eq!(shown(Escape::Text, |_| Value::Bool(true)), "true");
    let arr = |heap: &mut Heap<'_>| {
        let item = heap.text("<");
        heap.arr(vec![item, Value::Nil])
    };
    assert_eq!(shown(Escape::Text, arr), "[&quot;&lt;&quot;,null]");
    assert_eq!(shown(Escape::Script, arr), "[\"\\u003c\",null]");
    assert_eq!(shown(Escape::Script, |_| Value::Nil), " null ");
    assert_eq!(shown(Escape::Script, |_| Value::Int(-1)), " -1 ");
    assert_eq!(shown(Escape::Script, |_| Value::Float(-0.5)), " -0.5 ");
    assert_eq!(shown(Escape::Script, |_| Value::Bool(true)), " true ");
}

#[test]
fn active_schemes_become_a_hash() {
    for active in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " \u{1}\n\tjavascript:alert(1)",
        "java\nscript:alert(1)",
        "java\tscript\r:alert(1)",
        "data:text/html,<script>",
        "vbscript:x",
        "javascript\u{0}:x",
        "blob:x",
        "javascriptjavascript:x",
        "view-source:x",
        "http\u{200b}:x",
    ] {
        assert_eq!(text(Escape::Url, active), "#", "{active:?}");
    }
}

#[test]
fn passive_urls_stay() {
    for (url, shown) in [
        ("/busca?q=a b&c=<d>", "/busca?q=a%20b&amp;c=%3Cd%3E"),
        ("https://x.test/a'b", "https://x.test/a&#39;b"),
        ("HTTPS://x.test", "HTTPS://x.test"),
        ("mailto:a@b.c", "mailto:a@b.c"),
        ("tel:+55", "tel:+55"),
        ("?a=b:c", "?a=b:c"),
        ("#x:y", "#x:y"),
        ("posts/1", "posts/1"),
        ("javascript&colon;alert(1)", "javascript&amp;colon;alert(1)"),
        ("/ação%20x", "/ação%20x"),
        ("", ""),
    ] {
        assert_eq!(text(Escape::Url, url), shown);
    }
}

#[test]
fn the_middle_of_a_url_is_percent_encoded() {
    assert_eq!(text(Escape::UrlPath, "a/b c?é\"'"), "a/b%20c%3F%C3%A9%22%27");
    assert_eq!(text(Escape::UrlQuery, "a/b&c=d"), "a%2Fb%26c%3Dd");
    assert_eq!(shown(Escape::UrlQuery, |heap| heap.raw("<\"")), "%3C%22");
    assert_eq!(shown(Escape::UrlPath, |_| Value::Int(-7)), "-7");
}

#[test]
fn no_value_after_the_first_slash_is_a_host() {
    assert_eq!(text(Escape::UrlRoot, "a/b"), "a/b");
    assert_eq!(text(Escape::UrlRoot, "/evil.test"), ".//evil.test");
    assert_eq!(text(Escape::UrlRoot, "\\evil.test"), "%5Cevil.test");
    assert_eq!(text(Escape::UrlRoot, "\t/evil.test"), "%09/evil.test");
    assert_eq!(text(Escape::UrlRoot, ""), "./");
    assert_eq!(shown(Escape::UrlRoot, |_| Value::Nil), "./");
    assert_eq!(shown(Escape::UrlRoot, |_| Value::Int(7)), "7");
    assert_eq!(shown(Escape::UrlRoot, |heap| heap.raw("/a")), ".//a");
    assert_eq!(text(Escape::UrlRootEnd, "/evil.test"), ".//evil.test");
    assert_eq!(text(Escape::UrlRootEnd, ""), "");
    assert_eq!(shown(Escape::UrlRootEnd, |_| Value::Nil), "");
}

#[test]
fn an_address_keeps_its_own_signs() {
    assert_eq!(text(Escape::UrlAddress, "ana+djo@x.test"), "ana+djo@x.test");
    assert_eq!(text(Escape::UrlAddress, "+55 11 99"), "+55%2011%2099");
    assert_eq!(text(Escape::UrlAddress, "a?bcc=b&c\"<"), "a%3Fbcc%3Db%26c%22%3C");
}

#[test]
fn scripts_cannot_be_left() {
    assert_eq!(text(Escape::Script, "</script><!--\u{2028}&"), "\"\\u003c/script\\u003e\\u003c!--\\u2028\\u0026\"");
    assert_eq!(
        text(Escape::ScriptString, "'\"`${x}\\</script>\n"),
        "\\u0027\\u0022\\u0060\\u0024\\u007bx\\u007d\\u005c\\u003c\\u002fscript\\u003e\\u000a"
    );
    assert_eq!(text(Escape::ScriptString, "é—\u{2029}"), "é—\\u2029");
    assert_eq!(shown(Escape::ScriptString, |_| Value::Nil), "");
    assert_eq!(shown(Escape::Script, |heap| heap.raw("</script>")), "\"\\u003c/script\\u003e\"");
}
