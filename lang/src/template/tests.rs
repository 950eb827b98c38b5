//! How values are escaped, by where they stand.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use super::{Expander, parse_template};
use crate::{
    ast::{Block, Escape, Stmt, StmtKind},
    source::{Files, Sources},
};

/// A page's statements and messages. Files other than the page: `(path, text)`.
fn page(text: &str, others: &[(&str, &str)]) -> (Block, Vec<String>) {
    let mut diagnostics = Vec::new();
    let sources = others
        .iter()
        .fold(Sources::default().with("rotas.djo", "").with("pagina.djo.html", text), |sources, (path, text)| sources.with(*path, *text));
    let files = Files::decode(&sources, &mut diagnostics);
    let templates: BTreeMap<_, _> = files.ids().map(|file| (file, parse_template(file, files.text(file), &mut diagnostics))).collect();
    let broken = BTreeSet::new();
    let block = Expander::new(&files, &templates, &broken, &mut diagnostics).page(files.find("pagina.djo.html").unwrap());
    (block, diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect())
}

fn collect(block: &[Stmt], out: &mut Vec<Escape>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Output(_, escape) => out.push(*escape),
            StmtKind::If(branches, otherwise) => {
                branches.iter().for_each(|(_, block)| collect(block, out));
                otherwise.iter().for_each(|block| collect(block, out));
            }
            StmtKind::For(_, _, _, block) | StmtKind::Capture(_, block) => collect(block, out),
            _ => {}
        }
    }
}

#[track_caller]
fn escapes(text: &str, expected: &[Escape]) {
    let (block, messages) = page(text, &[]);
    assert!(messages.is_empty(), "{text}: {messages:?}");
    let mut found = Vec::new();
    collect(&block, &mut found);
    assert_eq!(found, expected, "{text}");
}

#[track_caller]
fn refused(text: &str, start: &str) {
    let (_, messages) = page(text, &[]);
    assert!(messages.len() == 1 && messages[0].starts_with(start), "{text}: {messages:?}");
}

use Escape::{Attribute, Raw, Script, ScriptString, Text, Url, UrlAddress, UrlPath, UrlQuery, UrlRoot, UrlRootEnd};

#[test]
fn text() {
    escapes("a {{ x }} < {{ x }} <b>{{ x }}</b> a<b {{ x }}".split(" a<b").next().unwrap(), &[Text, Text, Text]);
    escapes("<title>{{ x }}</title><textarea><b {{ x }}</textarea>{{ x }}", &[Text, Text, Text]);
    escapes("<!-- {{ x }} --> {{ x }} <!-- > -- {{ x }} --!> {{ x }} <!--> {{ x }} <!---> {{ x }}", &[Text; 6]);
    escapes("<?xml a?>{{ x }}</ a>{{ x }}</>{{ x }}<!doctype html>{{ x }}", &[Text; 4]);
    escapes("<TITLE>{{ x }}</title ><p>{{ x }}", &[Text, Text]);
}

#[test]
fn attributes() {
    escapes("<p title=\"{{ x }}\" class='{{ x }} b {{ x }}'\n data-x = \"{{ x }}\">", &[Attribute; 4]);
    escapes("<p title=\"a > b\" {% if x %}hidden{% end %} id=\"{{ x }}\"/>{{ x }}", &[Attribute, Text]);
    escapes("<p{% if x %} class=\"a\"{% end %}>{{ x }}", &[Text]);
    escapes("<p {% if x %}a=\"1\"{% else %}b{% end %}>{{ x }}", &[Text]);
    escapes("<p value=\"{% for i in x %}{{ i }}, {% end %}\">{{ x }}", &[Attribute, Text]);
    escapes("<a once-b=c>{{ x }}</a>", &[Text]);
    refused("<p {{ x }}>", "um valor não pode dar o nome de um atributo");
    refused("<p a{{ x }}=\"1\">", "um valor não pode dar o nome de um atributo");
    refused("<p a={{ x }}>", "o valor deste atributo precisa de aspas");
    refused("<p a = b{{ x }}>", "o valor deste atributo precisa de aspas");
    refused("<{{ x }}>", "um valor não pode dar o nome de uma tag");
    refused("</{{ x }}>", "um valor não pode dar o nome de uma tag");
    refused("<b{{ x }}>", "um valor não pode dar o nome de uma tag");
    refused("<p {% if x %}a{% end %}b>", "o que vem aqui pode continuar um nome");
    for event in ["onclick", "ONload", "onx", "@click", "x-on:click", "hx-on::before"] {
        refused(&format!("<p {event}=\"{{{{ x }}}}\">"), &format!("`{}` não aceita valores", event.to_lowercase()));
    }
    refused("<p STYLE='{{ x }}'>", "`style` não aceita valores");
    refused("<iframe srcdoc='{{ x }}'></iframe>", "`srcdoc` não aceita valores");
    refused("<style>a{{ x }}</style>", "`<style>` não aceita valores");
}

#[test]
fn urls() {
    escapes("<a href=\"{{ x }}\">", &[Url]);
    escapes("<a href=' {{ x }}'>", &[Url]);
    escapes("<a href=\"/{{ x }}/{{ x }}?a={{ x }}&b={{ x }}#{{ x }}\">", &[UrlRoot, UrlPath, UrlQuery, UrlQuery, UrlQuery]);
    escapes("<a href=\"{{ x }}?a={{ x }}\"><a href=\"{{ x }}{{ x }}\">", &[Url, UrlQuery, Url, UrlPath]);
    escapes("<a href=\"#{{ x }}\"><a href=\"?a={{ x }}\"><a href=\"mailto:{{ x }}\">", &[UrlQuery, UrlQuery, UrlAddress]);
    escapes(
        "<a href=\"TEL:{{ x }}{{ x }}\"><a href=\"mailto:a@{{ x }}?subject={{ x }}\">",
        &[UrlAddress, UrlAddress, UrlAddress, UrlQuery],
    );
    escapes("<a href=\"{% if x %}mailto:{% else %}https://a/{% end %}{{ x }}\">", &[UrlPath]);
    escapes("<a href=\"https://{{ x }}/\"><a href=\"jav{{ x }}\">", &[UrlPath, UrlPath]);
    escapes("<form action=\"{{ x }}\"><button formaction=\"{{ x }}\"><use xlink:href=\"{{ x }}\"><video poster=\"{{ x }}\">", &[Url; 4]);
    escapes("<img srcset=\"{{ x }} 1x, {{ x }} {{ x }}w, /a/{{ x }}.png?b={{ x }} 2x\">", &[Url, Url, UrlPath, UrlPath, UrlQuery]);
    escapes("<a href=\"/{% if x %}a?b=1{% else %}c?{% end %}{{ x }}\">", &[UrlQuery]);
    escapes("<a href=\"{% if x %}{{ x }}{% else %}/b{% end %}?c={{ x }}\">", &[Url, UrlQuery]);
    escapes("<a href=\"/a{% for i in x %}/{{ i }}{% end %}\">", &[UrlPath]);
    refused("<a href=\"{% for i in x %}/{{ i }}{% end %}\">", "não dá para saber em que parte da URL");
    refused("<a href=\"JavaScript:{{ x }}\">", "um valor não pode fazer parte de uma URL que é código");
    refused("<a href=\"java\nscript:f({{ x }})\">", "um valor não pode fazer parte de uma URL que é código");
    refused("<a href=\"vbscript:{{ x }}\">", "um valor não pode fazer parte de uma URL que é código");
    refused("<a href=\"{{ x }}:{{ x }}\">", "um valor não pode fazer parte de uma URL que é código");
}

#[test]
fn urls_that_a_value_could_lead_elsewhere() {
    escapes("<script src=\"/{{ x }}.js\"></script><a href=' \t/\n{{ x }}'><a href='\\{{ x }}'>", &[UrlRootEnd; 3]);
    escapes("<a href='{{ x }}/{{ x }}/{{ x }}'>", &[Url, UrlRoot, UrlPath]);
    escapes(
        "<a href='/{{ x }}?a=1'><a href='/{{ x }}&sol;a'><a href='/{{ x }}\\a'><a href='/{{ x }}\n/a'>",
        &[UrlRootEnd, UrlRoot, UrlRoot, UrlRoot],
    );
    escapes("<a href='/{{ x }}{{ x }}'><a href='/{% if x %}{{ x }}{% end %}'>", &[UrlRoot, UrlPath, UrlRoot]);
    escapes("<a href='/{% for i in x %}{{ i }}/{% end %}{{ x }}'>", &[UrlRoot, UrlRootEnd]);
    escapes("<a href='/{% if x %}pt/{% end %}{{ x }}'><a href='/a{% if x %}/{% end %}{{ x }}'>", &[UrlRootEnd, UrlPath]);
    refused("<a href='/{% if x %}pt{% end %}{{ x }}'>", "não dá para saber em que parte da URL");
    escapes("<a href='/a?b=1&amp;c={{ x }}'>", &[UrlQuery]);
    for coded in
        ["java&#115;cript:{{ x }}", "javascript&colon;{{ x }}", "&#106;avascript:{{ x }}", "java&Tab;script:{{ x }}", "&sol;{{ x }}"]
    {
        refused(&format!("<a href=\"{coded}\">"), "um valor não pode vir depois de um `&`");
        refused(&format!("<img srcset=\"{coded} 1x\">"), "um valor não pode vir depois de um `&`");
    }
    for active in ["data:text/html,{{ x }}", "DATA:,{{ x }}", "\u{1}javascript:{{ x }}"] {
        refused(&format!("<iframe src=\"{active}\"></iframe>"), "um valor não pode fazer parte de uma URL que é código");
    }
    for tag in ["animate attributeName=href", "set", "animateTransform"] {
        for name in ["to", "from", "by", "VALUES"] {
            refused(&format!("<svg><{tag} {name}=\"a{{{{ x }}}}\">"), &format!("`{}` de uma animação", name.to_lowercase()));
        }
    }
    escapes("<animate id=\"{{ x }}\"><output to='{{ x }}'>", &[Attribute, Attribute]);
    let refresh = "`<meta http-equiv=\"refresh\">` não aceita valores";
    refused("<meta http-equiv=refresh content=\"0; url={{ x }}\">", refresh);
    refused("<meta content=\"0; url={{ x }}\" http-equiv=' Refresh'>", refresh);
    refused("<meta {% if x %}content=\"{{ x }}\"{% end %} http-equiv='refresh'>", refresh);
    refused("<meta http-equiv='&#114;efresh' content='{{ x }}'>", refresh);
    refused("<meta http-equiv='{{ x }}' content='a'>", "o `http-equiv` de um `<meta>`");
    escapes("<meta name='description' content='{{ x }}'><meta content='{% if x %}{{ x }}{% end %}' name=a>", &[Attribute; 2]);
    escapes("<script type=module type='text/x'>{{ x }}</script>", &[Script]);
}

#[test]
fn scripts() {
    escapes(
        "<script>a({{ x }}, \"{{ x }}\", '{{ x }}', `{{ x }}`);</script>{{ x }}",
        &[Script, ScriptString, ScriptString, ScriptString, Text],
    );
    escapes("<script>a = `${ {{ x }} + { b: `{{ x }}` }.b }{{ x }}$`; {{ x }}</script>", &[Script, ScriptString, ScriptString, Script]);
    escapes("<script>a = b / c; \"{{ x }}\" // \"\n'{{ x }}' /* ' */ + {{ x }}</script>", &[ScriptString, ScriptString, Script]);
    escapes("<script>a = /[/\"']/; b = \"{{ x }}\"; c = d++ / 2;\n\"{{ x }}\"</script>", &[ScriptString, ScriptString]);
    escapes("<script>return /'/.test({{ x }})</script>", &[Script]);
    escapes("<script>x = {{ x }} / 2 + '{{ x }}'</script>", &[Script, ScriptString]);
    escapes("<script>\"\\\"{{ x }}\"</script >{{ x }}", &[ScriptString, Text]);
    escapes("<script>\"</scripty {{ x }}\"</script>", &[ScriptString]);
    escapes("<script>a = \"</script>{{ x }}", &[Text]);
    escapes("<script type=\"module\">{{ x }}</script><script type='text/javascript'>{{ x }}</script>", &[Script, Script]);
    escapes("<script type=\"application/ld+json\">{\"a\": {{ x }}, \"b\": \"//{{ x }}'\"}</script>", &[Script, ScriptString]);
    escapes("<script type=\"text/x-template\"><p title=\"{{ x }}\"></script>{{ x }}", &[Text, Text]);
    escapes("<script>{% if x %}a = 1;{% else %}b = [2];{% end %} c = {{ x }}</script>", &[Script]);
    escapes("<script src=\"{{ x }}\"></script>{{ x }}", &[Url, Text]);
    refused("<script>// {{ x }}\n</script>", "um valor não pode ficar num comentário");
    refused("<script>/* {{ x }} */</script>", "um valor não pode ficar num comentário");
    refused("<script>a = /{{ x }}/</script>", "um valor não pode fazer parte de uma expressão regular");
    refused("<script>a = \"\\{{ x }}\"</script>", "um valor não pode vir depois de `\\`");
    refused("<script type=\"{{ x }}\"></script>", "o `type` de um `<script>`");
    refused("<script>{% if x %}\"{% end %}</script>", "os ramos deste `if` terminam em lugares diferentes");
}

#[test]
fn what_a_slash_is_must_be_plain_where_a_value_follows() {
    let unsure = "não dá para saber se este valor fica em código";
    for script in [
        "if (a) /\"/.test(\"{{ x }}\")",
        "x = {} /\"/ {{ x }} //\"",
        "if (a) {}\n/\"/.test(\"{{ x }}\")",
        "of /\"/ {{ x }} //\"",
        "[...await /\"/.exec({{ x }})]",
        "++/\"/.lastIndex; {{ x }} //\"",
        "else {{ x }} /\"/ {{ x }} //\"",
        "a => {{ x }} /\"/ {{ x }} //\"",
        "{{ x }} /\"/ {{ x }} //\"",
        "a\n-->\" {{ x }} //\"",
        "if (a) /=\"/.test({{ x }})",
        "if (a) /[/\"]/.test({{ x }})",
        "if (a) /{{ x }}/",
        "{% if x %}a = (b) /\"/{% end %} + {{ x }}",
    ] {
        refused(&format!("<script>{script}</script>"), if script.contains("/{{ x }}/") { "um valor não pode fazer parte" } else { unsure });
    }
    escapes("<script>a = (b + c) / 2;\nd = {} /\n3; e = \"{{ x }}\"; {{ x }}</script>", &[ScriptString, Script]);
    escapes("<script>if (a) { b } // \"\n c = {{ x }}; (d) /* \" */ + {{ x }}</script>", &[Script, Script]);
    escapes("<script>{% if x %}a = (b) / 2\n{% end %}{{ x }}</script>", &[Script]);
    escapes("<script>x = (a) /\"/; if (b) /'/.test(c)</script>{{ x }}", &[Text]);
    escapes("<script>a = x/**/in /\"/; {{ x }}</script>", &[Script]);
    escapes("<script>a = this.#in / 2 + '{{ x }}'; a\u{301} / '{{ x }}'; a\u{feff}/ '{{ x }}'</script>", &[ScriptString; 3]);
    escapes("<script>a = \"b\\\r\n{{ x }}\"</script>", &[ScriptString]);
    escapes("<script type='text&#47;javascript'>{{ x }}</script>", &[Script]);
    refused("<script><!--\na = {{ x }}\n//--></script>", "`<!--` não pode ficar num `<script>`");
    refused("<script>a = \"<!--<script>\"</script>{{ x }}", "`<!--` não pode ficar num `<script>`");
}

#[track_caller]
fn refusals(text: &str, expected: &[&str]) {
    let (_, messages) = page(text, &[]);
    let told = messages.len() == expected.len() && messages.iter().zip(expected).all(|(message, start)| message.starts_with(start));
    assert!(told, "{text}: {messages:?}");
}

#[test]
fn an_error_of_place_hides_no_other_and_makes_none() {
    let (quotes, tag, attribute) = (
        "o valor deste atributo precisa de aspas",
        "um valor não pode dar o nome de uma tag",
        "um valor não pode dar o nome de um atributo",
    );
    refusals("<p a={{ x }} b={{ x }}>{{ x }}</p>", &[quotes; 2]);
    // One slip, however many values it has.
    refusals("<p a=/{{ x }}/{{ x }}>", &[quotes]);
    refusals("<a href=\"{% if x %}a{% else %}?{% end %}{{ x }}{{ x }}\">", &["não dá para saber em que parte da URL"]);
    refusals("<p style=\"{{ x }}\" onclick=\"{{ x }}({{ x }})\">", &["`style`", "`onclick`", "`onclick`"]);
    refusals("<{{ x }} a=\"{{ x }}\">{{ x }}</{{ x }}>", &[tag; 2]);
    // It may have been no tag.
    refusals("a <{{ x }} e {{ x }} <b c={{ x }}>", &[tag, quotes]);
    refusals("<p {{ x }}=\"{{ x }}\" {{ x }}>", &[attribute; 2]);
    refusals("<meta http-equiv='{{ x }}' content='{{ x }}'><p a={{ x }}>", &["o `http-equiv`", quotes]);
    refusals("<script type='{{ x }}'>/{{ x }}/ <!-- {{ x }}</script><p a={{ x }}>", &["o `type`", quotes]);
    refusals("<script><!--\nx = {{ x }} // {{ x }}\n--></script><p a={{ x }}>", &["`<!--`", quotes]);
    refusals(
        "<script>a = \"\\{{ x }}{{ x }}\"; // {{ x }}\nb = {{ x }}</script>",
        &["um valor não pode vir depois", "um valor não pode ficar num comentário"],
    );
    refusals("{% if x %}<p {% end %}a=\"{{ x }}\">{{ x }}<p a={{ x }}>", &["os ramos deste `if`", quotes]);
    refusals("{% for i in x %}<p a=\"{% end %}{{ x }}\">{{ x }}<p a={{ x }}>", &["o começo e o fim deste `for`", quotes]);
    refusals("{% for i in x %}<p a={{ i }}>{% if i %}<b {{ i }}>{% end %}{% end %}<p a={{ x }}>", &[quotes, attribute, quotes]);
}

#[test]
fn layouts_and_includes() {
    let layout = ("l.djo.html", "<h1>{{ t }}</h1>{{ conteudo }}{% include \"p.djo.html\" %}");
    let part = ("p.djo.html", "<a href=\"/{{ t }}\">");
    let (block, messages) = page("{% djo %}\nt = 1\n{% end %}\n{% layout \"l.djo.html\" %}\n<p>{{ t }}</p>", &[layout, part]);
    assert!(messages.is_empty(), "{messages:?}");
    let shape: Vec<&str> = block
        .iter()
        .map(|stmt| match &stmt.kind {
            StmtKind::Assign(..) => "assign",
            StmtKind::Capture(name, _) => name.text.as_str(),
            StmtKind::Text(text) => text.as_str(),
            StmtKind::Output(_, Raw) => "raw",
            StmtKind::Output(..) => "out",
            _ => "?",
        })
        .collect();
    assert_eq!(shape, ["assign", "conteudo", "<h1>", "out", "</h1>", "raw", "<a href=\"/", "out", "\">"]);
    let mut found = Vec::new();
    collect(&block, &mut found);
    assert_eq!(found, [Text, Text, Raw, UrlRootEnd]);
    // An include takes the context of its place, and hands it back.
    let (block, _) = page("<p title=\"{% include \"p.djo.html\" %}\">{{ x }}", &[("p.djo.html", "a {{ x }}")]);
    let mut found = Vec::new();
    collect(&block, &mut found);
    assert_eq!(found, [Attribute, Text]);
    // Statements of an included file point into it.
    let (block, _) = page("{% include \"p.djo.html\" %}", &[("p.djo.html", "{{ x }}")]);
    assert_eq!(block[0].span.file, crate::ast::FileId(0));
}

#[test]
fn text_around_the_head_is_dropped_and_the_rest_kept_to_the_byte() {
    let texts = |text: &str| {
        let (block, _) = page(text, &[("l.djo.html", "")]);
        let mut out = String::new();
        for stmt in &block {
            match &stmt.kind {
                StmtKind::Text(text) => out.push_str(text),
                StmtKind::Capture(_, body) => {
                    body.iter().for_each(|stmt| {
                        if let StmtKind::Text(text) = &stmt.kind {
                            out.push_str(text);
                        }
                    });
                }
                _ => out.push('|'),
            }
        }
        out
    };
    assert_eq!(texts("\n  a\r\n{{ x }}\n"), "\n  a\r\n|\n");
    assert_eq!(texts("\n{% layout \"l.djo.html\" %}\n\n{% djo %}\n{% end %}\n<p>\n"), "<p>\n");
    assert_eq!(texts("{% djo %}{% end %}\r\n\r\n<p>"), "\r\n<p>");
    assert_eq!(texts("{ {{ x }} } {a} %} }}"), "{ | } {a} %} }}");
}

#[test]
fn what_includes_can_grow_to_is_limited() {
    let parts: Vec<(String, String)> = (0..30)
        .map(|level| {
            let next = format!("{{% include \"p{}.djo.html\" %}}", level + 1);
            (format!("p{level}.djo.html"), if level == 29 { "x".into() } else { next.repeat(2) })
        })
        .collect();
    let others: Vec<(&str, &str)> = parts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (_, messages) = page("{% include \"p0.djo.html\" %}", &others);
    assert_eq!(messages, ["as páginas, com tudo o que incluem, são grandes demais"]);
    let deep = format!("{}x{}", "{% for a in b %}{% if a %}".repeat(60), "{% end %}{% end %}".repeat(60));
    assert!(page(&deep, &[]).1.iter().all(|message| message.starts_with("aninhamento maior")));
    let loops = format!("<a href=\"{}x{}\">", "{% for a in b %}{{ x }}/".repeat(40), "{% end %}".repeat(40));
    let (_, messages) = page(&loops, &[]);
    assert!(messages.len() <= 1, "{messages:?}");
}
