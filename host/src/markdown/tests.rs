//! Pages and what becomes of them.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(html: &str, markdown: &str) {
    assert_eq!(from_html(html), markdown, "{html}");
}

#[test]
fn a_page() {
    check(
        "<!doctype html><html><head><title>T</title><style>p{}</style></head><body>\n<nav><a href=\"/\">Blog</a></nav>\n\
         <h1>Início</h1><p>Um <b>texto</b>\n com <em>ênfase </em>e <a href=\"/x\">um <i>link</i></a>.<script>var a = \"<p>\";</script></p></body></html>",
        "[Blog](/)\n\n# Início\n\nUm **texto** com *ênfase* e [um *link*](/x).\n",
    );
}

#[test]
fn lists_and_quotes() {
    check("<ul><li>a<li>b<ul><li>c</ul><li>d</ul><p>e", "- a\n- b\n  - c\n- d\n\ne\n");
    check("<ol start=3><li>a</li><li><p>b</p><p>c</p></li></ol>", "3. a\n4. b\n\n   c\n");
    check("<blockquote><p>a</p><ul><li>b</ul></blockquote>", "> a\n>\n> - b\n");
    check("x<ul><li><a href=/p>a</a> — Ana</ul>", "x\n\n- [a](/p) — Ana\n");
}

#[test]
fn code_is_kept_as_it_is() {
    check("<pre><code class=\"x language-rust\">fn a() {\n    *b\n}\n</code></pre>", "```rust\nfn a() {\n    *b\n}\n```\n");
    check("<p>o <code>a`b</code> e <code> </code>c", "o ``a`b`` e c\n");
    check("<pre>```</pre>", "````\n```\n````\n");
}

#[test]
fn tables() {
    check(
        "<table><caption>Notas</caption><tr><th>a<th>b<tr><td>1|2<td><p>x</p><p>y</p></table>z",
        "Notas\n\n| a | b |\n| --- | --- |\n| 1\\|2 | x y |\n\nz\n",
    );
    check("<table></table>", "");
}

#[test]
fn text_stays_text() {
    check("<p>* a_b _c_ [d] &lt;e&gt; &amp;lt; 1 < 2 \\</p>", "\\* a_b \\_c\\_ \\[d\\] \\<e> \\&lt; 1 < 2 \\\\\n");
    check("<p>1. a<p># b<p>- c<p>-5<p>2026<p>&gt; d<p>---", "1\\. a\n\n\\# b\n\n\\- c\n\n-5\n\n2026\n\n\\> d\n\n\\---\n");
}

#[test]
fn marks_hold_their_text_and_nothing_else() {
    check("<p>a<b> b </b>c <b></b><a href=\"/\"> </a>d", "a **b** c d\n");
    check("<b><p>a</p><p>b</p></b>c", "**a**\n\n**b**\n\nc\n");
    check("<b>a<i>b</b>c</i>", "**a*b****c*\n");
    check("<a href=\"javascript:x\">a</a><a>b</a><a href=\"/c (d)\">e</a>", "ab[e](/c%20%28d%29)\n");
    check("<p>a<br>b<br></p><h2>c<br>d</h2>", "a\\\nb\n\n## c d\n");
    check("<img src=/a.png alt=\"Um *a*\"><img src=b.png>", "![Um \\*a\\*](/a.png)\n");
}

#[test]
fn what_is_hidden_is_left_out() {
    check("<div hidden>a<div>b</div>c</div>d<svg><text>e</text></svg><button>f</button><input hidden>g", "dg\n");
}

#[test]
fn hostile_pages_cost_what_they_weigh() {
    let deep = "<div><blockquote><ul><li>".repeat(20_000) + "x";
    assert!(from_html(&deep).len() < 1_000);
    // Each paragraph would be given every element that is open, were this a tree.
    let open: String = (0..10_000).map(|n| format!("<b a={n}>")).collect();
    let page = open + &"<p>x".repeat(100_000);
    assert!(from_html(&page).len() < 20 * 100_000);
    let cells = "<table>".to_owned() + &"<tr><td>a".repeat(50_000) + &"<td>b".repeat(10_000);
    assert!(from_html(&cells).len() < 3 * cells.len());
}

proptest! {
    #[test]
    fn any_text_has_a_form(html in "(<(/?(b|i|a href=x|p|li|ul|ol|td|tr|table|pre|code|h2|blockquote|br|img alt=y src=z|script)|!--)>?|[ a*\n&;é]){0,40}") {
        let markdown = from_html(&html);
        prop_assert!(markdown.is_empty() || markdown.ends_with('\n'));
        prop_assert!(!markdown.starts_with('\n'));
    }
}
