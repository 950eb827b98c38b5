//! Whatever the bytes: the compiler ends, does not panic, and every place it names is in its file.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::sync::OnceLock;

use djo_lang::{Severity, Sources, ast::Span, check, compile, diagnostic};
use proptest::{collection::vec, prelude::*, sample::Index};

/// Checks a site, and all that holds of any site.
fn holds(sources: &Sources) {
    let checked = check(sources);
    let inside = |span: Span| {
        let file = &checked.files[span.file.0 as usize];
        let (start, end) = (span.start as usize, span.end as usize);
        assert!(start <= end && end <= file.text.len(), "{span:?} in {} of {} bytes", file.path, file.text.len());
        assert!(file.text.is_char_boundary(start) && file.text.is_char_boundary(end), "{span:?} in {:?}", file.text);
    };
    for found in &checked.diagnostics {
        inside(found.span);
        found.related.iter().for_each(|(span, _)| inside(*span));
        assert!(diagnostic::codes::ALL.contains(&found.code));
        assert!(!found.message.is_empty());
    }
    let failed = checked.diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert_eq!(checked.program.is_none(), failed);
    diagnostic::render(&checked.files, &checked.diagnostics, true);
    diagnostic::to_json(&checked.files, &checked.diagnostics);
    let again = check(sources);
    assert_eq!(again.diagnostics, checked.diagnostics);
    if !failed {
        let _ = compile(sources);
    }
}

/// A site where each kind of file has this content.
fn everywhere(content: &[u8]) -> Sources {
    Sources::default()
        .with("rotas.djo", "Route.get:\"/\":\"p.djo\"\nRoute.get:\"/h\":\"p.djo.html\"\n")
        .with("core/a.djo", content)
        .with("p.djo", content)
        .with("p.djo.html", content)
}

/// Pieces of the language, in no order.
const PIECES: &[&str] = &[
    "f",
    "action",
    "struct",
    "const",
    "params",
    "nocall",
    "if",
    "elif",
    "else",
    "for",
    "in",
    "while",
    "break",
    "continue",
    "return",
    "try",
    "catch",
    "and",
    "or",
    "not",
    "true",
    "nil",
    "x",
    "y",
    "Post",
    "Arr.len",
    "Http.json",
    "print",
    ":",
    ":",
    ":",
    " ",
    " ",
    "\n",
    "\n",
    "\n    ",
    "\n        ",
    "\n\t",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ".",
    "=",
    "==",
    "<",
    "+",
    "-",
    "*",
    "%",
    "?",
    "1",
    "2.5",
    "\"a\"",
    "\"",
    "\"\"\"",
    "\\",
    "//",
    "{{",
    "}}",
    "{%",
    "%}",
    "{% end %}",
    "{% djo %}",
    "{% if x %}",
    "{% for a in b %}",
    "<p",
    "<a href=\"",
    "<script>",
    "</script>",
    "<style>",
    "'",
    ">",
    "é",
    "\u{1F600}",
    "\r\n",
    "Int",
    "String",
    "Route.get",
    "\"/a\"",
    "conteudo",
    "{% layout \"p.djo.html\" %}",
    "{% include \"p.djo.html\" %}",
    "9223372036854775808",
    "$\"",
    "$\"\"\"",
    "->",
    "(x ->",
    "(x, y -> x)",
    "|",
    "\n| ",
    "??",
    "+=",
    "not in",
    "$\"{x}\"",
];

/// Sources that compile.
fn real() -> &'static [Vec<u8>] {
    static REAL: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    REAL.get_or_init(|| ["tests/sites/blog", "sites/exemplo"].into_iter().flat_map(|site| common::site(site).files.into_values()).collect())
}

#[test]
fn nothing_at_all() {
    holds(&Sources::default());
    holds(&everywhere(b""));
}

fn cases() -> u32 {
    std::env::var("DJO_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(content in vec(any::<u8>(), 0..300)) {
        holds(&everywhere(&content));
    }

    #[test]
    fn any_text(content in "\\PC{0,200}") {
        holds(&everywhere(content.as_bytes()));
    }

    #[test]
    fn any_pieces(pieces in vec(any::<Index>(), 0..120)) {
        let content: String = pieces.iter().map(|index| *index.get(PIECES)).collect();
        holds(&everywhere(content.as_bytes()));
        holds(&Sources::default().with("rotas.djo", content));
    }

    /// A real file with a few places cut out, doubled, or replaced by a piece of another.
    #[test]
    fn any_slip(
        file in any::<Index>(),
        edits in vec((any::<Index>(), any::<Index>(), any::<Index>(), 0..3_u8), 1..4),
    ) {
        let mut content = file.get(real()).clone();
        for (from, to, piece, kind) in edits {
            let (a, b) = (from.index(content.len() + 1), to.index(content.len() + 1));
            // Mostly a small slip, seldom half the file.
            let (start, end) = (a.min(b), a.max(b).min(a.min(b) + 40));
            let replacement: Vec<u8> = match kind {
                0 => Vec::new(),
                1 => [&content[start..end], &content[start..end]].concat(),
                _ => piece.get(PIECES).as_bytes().to_vec(),
            };
            content.splice(start..end, replacement);
        }
        holds(&everywhere(&content));
    }

    /// One file of a real site, changed: the other files' own meaning stays.
    #[test]
    fn any_slip_in_a_site(file in any::<Index>(), at in any::<Index>(), piece in any::<Index>()) {
        let mut sources = common::site("tests/sites/blog");
        let path = file.get(&sources.files.keys().cloned().collect::<Vec<_>>()).clone();
        let content = sources.files.get_mut(&path).unwrap();
        let at = at.index(content.len() + 1);
        content.splice(at..at, piece.get(PIECES).bytes());
        holds(&sources);
    }
}

/// A long file takes no longer than an author is willing to wait, whatever repeats in it (and whatever the build profile).
#[test]
fn nothing_grows_faster_than_the_file() {
    let patterns: &[(&str, &str)] = &[
        ("core/a.djo", "f a{n}\n    x{n} = x{m}\n    return x{n}\n"),
        ("core/a.djo", "struct S{n}\n    a[S{m}?] = {}\n"),
        ("core/a.djo", "struct S{n}\n    a[S{m}]\n"),
        ("core/a.djo", "const A{n} = {\"a\": {n}}\n"),
        ("p.djo", "x{n} = y{n}\n"),
        ("p.djo", "x = [1,\n"),
        ("p.djo", "x = (\n"),
        ("p.djo", "@ "),
        ("p.djo", "if x\n"),
        ("p.djo", "\"\"\"\n"),
        ("p.djo", "$\"{"),
        ("p.djo", "$\"\"\"{\n"),
        ("p.djo", "x = $\"{x{n}}{"),
        ("p.djo", "(a, "),
        ("p.djo", "(a -> "),
        ("p.djo", "x\n// |\n\n"),
        ("p.djo", "x\n| f:"),
        ("p.djo", "\n"),
        ("p.djo", "x ?? "),
        ("core/a.djo", "f a{n}\n    return (x -> (y -> $\"{x}{y}{a{m}}\"))\n"),
        ("p.djo.html", "{% if x %}<p>"),
        ("p.djo.html", "{{ x{n} }}"),
        ("p.djo.html", "{{ ("),
        ("p.djo.html", "{% for a in b %}{{ a }}"),
        ("p.djo.html", "<a b"),
        ("rotas.djo", "Route.get:\"/a{n}\":{\"agent\": \"q.djo\"}\n"),
        ("rotas.djo", "Route.get:\"/{a{n}}\":\"p{n}.djo\"\n"),
    ];
    let mut times = Vec::new();
    let nested = |open: &str, close: &str| format!("f a\n    return {}1{}\n", open.repeat(25), close.repeat(25));
    let structs = "struct P\n    a[P?]\n    b[Int?]\n\n";
    let deep = [
        structs.to_owned() + &nested("P:{\"a\": (", ")}"),
        structs.to_owned() + &nested("P:{\"a\": {\"a\": ", "}}"),
        structs.to_owned() + &nested("(", ")"),
        nested("(x -> Arr.map:[x]:", ")"),
        nested("Arr.map:[1]:(x -> ", ")"),
        nested("$\"{", "}\""),
        (0..60).map(|n| format!("struct S{n}\n    a[S{m}] = {{}}\n    b[S{m}] = {{}}\n", m = n + 1)).collect(),
    ];
    for text in &deep {
        let started = std::time::Instant::now();
        check(&Sources::default().with("core/a.djo", text.as_str()));
        times.push((started.elapsed(), &"core/a.djo", text.get(..60).unwrap_or(text)));
    }
    for (path, pattern) in patterns {
        let mut content = String::new();
        for n in 0.. {
            if content.len() > 60_000 {
                break;
            }
            content.push_str(&pattern.replace("{n}", &n.to_string()).replace("{m}", &(n + 1).to_string()));
        }
        let routes = "Route.get:\"/\":\"p.djo\"\nRoute.get:\"/h\":\"p.djo.html\"\n";
        let sources = Sources::default().with("rotas.djo", routes).with("p.djo", "").with("p.djo.html", "").with(*path, content);
        let started = std::time::Instant::now();
        check(&sources);
        times.push((started.elapsed(), path, *pattern));
    }
    times.sort();
    assert!(times.iter().all(|(took, ..)| took.as_secs_f64() < 5.0), "{times:#?}");
}
