//! The grammar, as compact S-expressions.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use super::{parse_items, parse_statements};
use crate::ast::{BinaryOp, Block, Expr, ExprKind, FieldDecl, FileId, Item, Stmt, StmtKind, TypeExpr, TypeKind};

fn code(text: &str) -> String {
    let mut diagnostics = Vec::new();
    let block = parse_statements(FileId(0), text, &mut diagnostics);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    show_block(&block)
}

fn items(text: &str) -> String {
    let mut diagnostics = Vec::new();
    let read = parse_items(FileId(0), text, &mut diagnostics);
    assert!(diagnostics.is_empty() && read.broken.is_empty() && read.orphans.is_empty(), "{text}: {diagnostics:?}");
    read.items.iter().map(show_item).collect::<Vec<_>>().join(" ")
}

/// Messages of a text that has errors, and what was read in spite of them.
fn recovered(text: &str) -> (Vec<String>, String) {
    let mut diagnostics = Vec::new();
    let block = parse_statements(FileId(0), text, &mut diagnostics);
    (diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect(), show_block(&block))
}

fn show_block(block: &Block) -> String {
    block.iter().map(show_stmt).collect::<Vec<_>>().join(" ")
}

fn show_stmt(stmt: &Stmt) -> String {
    match &stmt.kind {
        StmtKind::Assign(name, value) => format!("(= {} {})", name.text, show(value)),
        StmtKind::AssignField(base, name, value) => format!("(= (. {} {}) {})", show(base), name.text, show(value)),
        StmtKind::AssignIndex(base, index, value) => format!("(= ([] {} {}) {})", show(base), show(index), show(value)),
        StmtKind::Update(target, op, value) => format!("({}= {} {})", symbol(*op), show(target), show(value)),
        StmtKind::If(branches, otherwise) => {
            let mut out = String::from("(if");
            for (condition, block) in branches {
                let _ = write!(out, " {} ({})", show(condition), show_block(block));
            }
            if let Some(block) = otherwise {
                let _ = write!(out, " else ({})", show_block(block));
            }
            out + ")"
        }
        StmtKind::For(first, second, items, block) => {
            let second = second.as_ref().map(|name| format!(" {}", name.text)).unwrap_or_default();
            format!("(for {}{second} {} ({}))", first.text, show(items), show_block(block))
        }
        StmtKind::While(condition, block) => format!("(while {} ({}))", show(condition), show_block(block)),
        StmtKind::Break => "break".into(),
        StmtKind::Continue => "continue".into(),
        StmtKind::Return(None) => "(return)".into(),
        StmtKind::Return(Some(value)) => format!("(return {})", show(value)),
        StmtKind::Try(body, name, handler) => format!("(try ({}) {} ({}))", show_block(body), name.text, show_block(handler)),
        StmtKind::Expr(expr) => show(expr),
        StmtKind::Text(text) => format!("{text:?}"),
        StmtKind::Output(expr, escape) => format!("(out {escape:?} {})", show(expr)),
        StmtKind::Unread(unread, block) if block.is_empty() => format!("(unread {})", unread.words.join(" ")),
        StmtKind::Unread(unread, block) => format!("(unread {} ({}))", unread.words.join(" "), show_block(block)),
        StmtKind::Capture(name, block) => format!("(capture {} ({}))", name.text, show_block(block)),
    }
}

fn show(expr: &Expr) -> String {
    let list = |head: &str, parts: Vec<String>| format!("({head}{}{})", if parts.is_empty() { "" } else { " " }, parts.join(" "));
    match &expr.kind {
        ExprKind::Nil => "nil".into(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Float(value) => format!("{value:?}"),
        ExprKind::Str(value) => format!("{value:?}"),
        ExprKind::Arr(items) => list("arr", items.iter().map(show).collect()),
        ExprKind::Map(entries) => list("map", entries.iter().map(|(key, value)| format!("{}:{}", show(key), show(value))).collect()),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Member(base, name) => format!("(. {} {})", show(base), name.text),
        ExprKind::Index(base, index) => format!("([] {} {})", show(base), show(index)),
        ExprKind::Call(callee, arguments) => list("call", std::iter::once(show(callee)).chain(arguments.iter().map(show)).collect()),
        ExprKind::Not(a) => format!("(not {})", show(a)),
        ExprKind::Negate(a) => format!("(neg {})", show(a)),
        ExprKind::And(a, b) => format!("(and {} {})", show(a), show(b)),
        ExprKind::Or(a, b) => format!("(or {} {})", show(a), show(b)),
        ExprKind::Coalesce(a, b) => format!("(?? {} {})", show(a), show(b)),
        ExprKind::Text(parts) => list("text", parts.iter().map(show).collect()),
        ExprKind::Lambda(params, body) => {
            let params: Vec<&str> = params.iter().map(|param| param.text.as_str()).collect();
            format!("(-> [{}] {})", params.join(" "), show(body))
        }
        ExprKind::Binary(op, a, b) => format!("({} {} {})", symbol(*op), show(a), show(b)),
        ExprKind::Error => "ERROR".into(),
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::In => "in",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
    }
}

fn show_type(ty: &TypeExpr) -> String {
    let name = match &ty.kind {
        TypeKind::Named(name) => name.text.clone(),
        TypeKind::Arr(item) => format!("Arr[{}]", show_type(item)),
        TypeKind::Map(item) => format!("Map[{}]", show_type(item)),
        TypeKind::Unread => "UNREAD".into(),
    };
    if ty.optional { name + "?" } else { name }
}

fn show_field(field: &FieldDecl) -> String {
    let mut out = format!("({}{}", if field.hidden { "nocall " } else { "" }, field.name.text);
    if let Some(ty) = &field.ty {
        let _ = write!(out, " {}", show_type(ty));
    }
    for (name, value) in &field.constraints {
        let _ = write!(out, " {}={}", name.text, show(value));
    }
    if let Some(value) = &field.default {
        let _ = write!(out, " = {}", show(value));
    }
    if let Some(text) = &field.description {
        let _ = write!(out, " {text:?}");
    }
    out + ")"
}

fn show_item(item: &Item) -> String {
    let fields = |fields: &[FieldDecl]| fields.iter().map(show_field).collect::<Vec<_>>().join(" ");
    let about = |text: &Option<String>| text.as_ref().map(|text| format!(" {text:?}")).unwrap_or_default();
    match item {
        Item::Const(decl) => format!("(const {} {})", decl.name.text, show(&decl.value)),
        Item::Struct(decl) => format!("(struct {}{} {})", decl.name.text, about(&decl.description), fields(&decl.fields)),
        Item::Function(decl) => {
            let word = if decl.action { "action" } else { "f" };
            format!("({word} {}{} [{}] {})", decl.name.text, about(&decl.description), fields(&decl.params), show_block(&decl.body))
        }
    }
}

#[track_caller]
fn reads(text: &str, expected: &str) {
    assert_eq!(code(text), expected, "{text}");
}

#[test]
fn calls() {
    reads("agora:", "(call agora)");
    reads("x = f:a:b", "(= x (call f a b))");
    reads("x = f:a + 1", "(= x (+ (call f a) 1))");
    reads("x = a + f:b", "(= x (+ a (call f b)))");
    reads("f:a.b", "(call f (. a b))");
    reads("f:a[0].b:c", "(call f (. ([] a 0) b) c)");
    reads("f:-1", "(call f -1)");
    reads("f:-1.5:-2", "(call f -1.5 -2)");
    reads("x = f: -1", "(= x (- (call f) 1))");
    reads("x = f:-a", "(= x (- (call f) a))");
    reads("x = f:- 1", "(= x (- (call f) 1))");
    reads("soma:(a + 1):(dobro:b)", "(call soma (+ a 1) (call dobro b))");
    reads("x = [a:, b:]", "(= x (arr (call a) (call b)))");
    reads("x = (a:)", "(= x (call a))");
    reads("x = a: == nil", "(= x (== (call a) nil))");
    reads("Http.json:{\"a\": b:c}", "(call (. Http json) (map \"a\":(call b c)))");
    reads("a.b.c:1", "(call (. (. a b) c) 1)");
    reads("f:\"a\":nil:true:[1]:{}", "(call f \"a\" nil true (arr 1) (map))");
    reads("x = -f:a", "(= x (neg (call f a)))");
    reads("x = not f:a", "(= x (not (call f a)))");
    reads("x = a.if.nil", "(= x (. (. a if) nil))");
}

#[test]
fn precedence() {
    reads("x = a or b and not c == d + e * -f.g", "(= x (or a (and b (not (== c (+ d (* e (neg (. f g)))))))))");
    reads("x = a - b - c", "(= x (- (- a b) c))");
    reads("x = a / b % c * d", "(= x (* (% (/ a b) c) d))");
    reads("x = not a or b", "(= x (or (not a) b))");
    reads("x = not not a", "(= x (not (not a)))");
    reads("x = a in b and c", "(= x (and (in a b) c))");
    reads("x = (a + b) * c", "(= x (* (+ a b) c))");
    reads("x = - -a", "(= x (neg (neg a)))");
}

#[test]
fn strings_with_values() {
    reads(r#"x = $"a={a}, b={b + 1}""#, r#"(= x (text "a=" a ", b=" (+ b 1)))"#);
    reads(r#"x = $"{a}{b}""#, "(= x (text a b))");
    reads(r#"x = $"{{{a}}} }} \n""#, r#"(= x (text "{" a "} } \n"))"#);
    reads(r#"x = "{a}""#, r#"(= x "{a}")"#);
    reads(r#"x = $"oi""#, r#"(= x "oi")"#);
    reads(r#"x = $"""#, r#"(= x "")"#);
    reads(r#"x = $"{ {"a": [1]}["a"][0] }""#, r#"(= x (text ([] ([] (map "a":(arr 1)) "a") 0)))"#);
    reads(r#"x = $"a{f:"b":$"c{d}"}e""#, r#"(= x (text "a" (call f "b" (text "c" d)) "e"))"#);
    reads(r#"f:$"{a}":b"#, "(call f (text a) b)");
    reads(r#"x = $"{a | f:}" + b"#, "(= x (+ (text (call f a)) b))");
    reads("x = $\"\"\"\na \"{b +\n  c}\"\n\"\"\"\ny = 1", r#"(= x (text "a \"" (+ b c) "\"\n")) (= y 1)"#);
    reads("x = [$\"{a}\",\n  $\"{b}\"]", "(= x (arr (text a) (text b)))");
}

#[test]
fn functions_of_one_expression() {
    reads("x = (y -> y > 2)", "(= x (-> [y] (> y 2)))");
    reads("x = (a, b -> a + b)", "(= x (-> [a b] (+ a b)))");
    reads("x = ( -> 1)", "(= x (-> [] 1))");
    reads("x = (->a)", "(= x (-> [] a))");
    reads("Arr.map:xs:(y -> f:y)", "(call (. Arr map) xs (-> [y] (call f y)))");
    reads("x = (a -> (b -> a - b))", "(= x (-> [a] (-> [b] (- a b))))");
    reads("x = (a -> a | f:)", "(= x (-> [a] (call f a)))");
    reads("x = [(\n  a,\n  b\n  -> a)]", "(= x (arr (-> [a b] a)))");
    reads("x = (a - b)", "(= x (- a b))");
}

#[test]
fn pipes() {
    reads("x = t | String.split:\",\" | Arr.len:", "(= x (call (. Arr len) (call (. String split) t \",\")))");
    reads("a | f:b:c", "(call f a b c)");
    reads("x = a or b | f:", "(= x (call f (or a b)))");
    reads("x = (a | f:) + 1", "(= x (+ (call f a) 1))");
    reads("x = a + 1 | f:-1", "(= x (call f (+ a 1) -1))");
    reads("f:a | g:", "(call g (call f a))");
    reads("x = a\n    | f:b\n    // comentário\n\n  | g:\ny = 1", "(= x (call g (call f a b))) (= y 1)");
    reads("if a\n    b:\n    | f:\nc:", "(if a ((call f (call b)))) (call c)");
    reads("x = [a | f:, (b\n| g:)]", "(= x (arr (call f a) (call g b)))");
}

#[test]
fn the_other_of_two() {
    reads("x = a ?? b ?? c", "(= x (?? a (?? b c)))");
    reads("x = a ?? b + 1 == c", "(= x (== (?? a (+ b 1)) c))");
    reads("x = not a ?? b and c", "(= x (and (not (?? a b)) c))");
    reads("x = a.b[0] ?? f:c", "(= x (?? ([] (. a b) 0) (call f c)))");
    reads("x = a not in b and not c in d", "(= x (and (not (in a b)) (not (in c d))))");
    reads("x = a + 1 not in b", "(= x (not (in (+ a 1) b)))");
}

#[test]
fn updates() {
    reads("a += 1\nb -= c * 2", "(= a (+ a 1)) (= b (- b (* c 2)))");
    reads("a.b += f:c\na[i + 1] -= 1", "(+= (. a b) (call f c)) (-= ([] a (+ i 1)) 1)");
    reads("a+=1", "(= a (+ a 1))");
    reads("a -=-1", "(= a (- a -1))");
}

#[test]
#[should_panic = "comparações não se encadeiam"]
fn comparisons_do_not_chain() {
    code("x = a < b == c");
}

#[test]
fn literals() {
    reads("x = -9223372036854775808", "(= x -9223372036854775808)");
    reads("x = 9223372036854775807", "(= x 9223372036854775807)");
    reads("x = [1, 4.5, 1e3, 2.5e-1, -0.5]", "(= x (arr 1 4.5 1000.0 0.25 -0.5))");
    reads("x = \"\\n\\t\\u{1F600}\\\"\"", "(= x \"\\n\\t😀\\\"\")");
    reads("x = \"\"\"\na\n  \"b\"\n\"\"\"", "(= x \"a\\n  \\\"b\\\"\\n\")");
    reads("x = {\"a\": 1, (b): 2,}", "(= x (map \"a\":1 b:2))");
    reads("x = [\n  1,\n\n  // dois\n      2,\n]", "(= x (arr 1 2))");
    reads("x = []", "(= x (arr))");
    reads("ação_2 = maçã", "(= ação_2 maçã)");
}

#[test]
fn statements() {
    reads("if a\n    b:\nelif c\n    d:\nelse\n    e:", "(if a ((call b)) c ((call d)) else ((call e)))");
    reads("for i, x in xs\n    while true\n        break\n    continue", "(for i x xs ((while true (break)) continue))");
    reads("try\n    a:\ncatch e\n    return e.mensagem\nreturn", "(try ((call a)) e ((return (. e mensagem)))) (return)");
    reads("a.b.c = 1\na[0].b = 2\na[b][1] = 3", "(= (. (. a b) c) 1) (= (. ([] a 0) b) 2) (= ([] ([] a b) 1) 3)");
    reads("f = 1\nstruct = f\nparams = 2\naction:f", "(= f 1) (= struct f) (= params 2) (call action f)");
    reads("\u{3b1} = 1 // resto\n\n\n// só comentário\nb = 2", "(= α 1) (= b 2)");
}

#[test]
fn lines_and_blanks() {
    reads("a:\r\nif b\r\n    c:\r\n\r\nd:\r\n", "(call a) (if b ((call c))) (call d)");
    reads("if a\n\tb:\n\tif c\n\t\td:", "(if a ((call b) (if c ((call d)))))");
    reads("if a\n    b:\n        // recuado demais, mas comentário\n    c:", "(if a ((call b) (call c)))");
    reads("", "");
    reads("// só isto", "");
    reads("x = f:(1 +\n2):[\n3]", "(= x (call f (+ 1 2) (arr 3)))");
}

#[test]
fn declarations() {
    assert_eq!(items("const A = [1, {\"b\": -2}]"), "(const A (arr 1 (map \"b\":-2)))");
    assert_eq!(
        items(
            "struct Post\n    \"Um texto\"\n    id[Int]\n    nota[Float, min: 0, max: 10] = 0.0 \"De zero\"\n    tags[Arr[String?]?, max: 20]\n    nocall senha[String] = \"\"\n    nocall[Int]\n    if[Map[Post]]"
        ),
        "(struct Post \"Um texto\" (id Int) (nota Float min=0 max=10 = 0.0 \"De zero\") (tags Arr[String?]? max=20) (nocall senha String = \"\") (nocall Int) (if Map[Post]))"
    );
    assert_eq!(
        items(
            "f media\n    params[xs[Arr[Float]], n, m = 1]\n    return n\n\naction nada\n    \"Não devolve nada\"\n    params[]\n    print:1"
        ),
        "(f media [(xs Arr[Float]) (n) (m = 1)] (return n)) (action nada \"Não devolve nada\" [] (call print 1))"
    );
    assert_eq!(items("f a\n    params[\n  x,\n        y\n]\n    return x"), "(f a [(x) (y)] (return x))");
    // A String below the name that is used as a value is code, not a description.
    assert_eq!(items("f a\n    \"descrição\"\n    return 1"), "(f a \"descrição\" [] (return 1))");
}

#[test]
fn one_report_a_slip_and_on_with_the_rest() {
    assert_eq!(recovered("x = (1 +\ny = 2"), (vec!["`(` não foi fechado".into()], "(unread x) (= y 2)".into()));
    assert_eq!(recovered("x = 1 2 3\ny = 4"), (vec!["esperava o fim da linha, mas veio `2`".into()], "(unread x) (= y 4)".into()));
    let (messages, read) = recovered("if a b\n    c = )\nelse\n    d:\ne:");
    assert_eq!(messages, ["`)` sem um `(` antes", "esperava o fim da linha, mas veio `b`"]);
    assert_eq!(read, "(if ERROR ((unread a b ((unread c)))) else ((call d))) (call e)");
}

#[test]
fn depth_is_limited() {
    let deep = format!("x = {}1{}", "(".repeat(5_000), ")".repeat(5_000));
    assert_eq!(recovered(&deep).0, ["aninhamento maior que 64 níveis"]);
    let long = format!("x = 1{}", " + 1".repeat(5_000));
    assert_eq!(recovered(&long).0, ["expressão com mais de 160 níveis"]);
    let members = format!("x = a{}", ".b".repeat(5_000));
    assert_eq!(recovered(&members).0, ["expressão com mais de 160 níveis"]);
    let minus = format!("x = {}a", "- ".repeat(5_000));
    assert_eq!(recovered(&minus).0, ["aninhamento maior que 64 níveis"]);
    let not = format!("x = {}a", "not ".repeat(5_000));
    assert_eq!(recovered(&not).0, ["aninhamento maior que 64 níveis"]);
    let lambdas = format!("x = {}1{}", "(a -> ".repeat(5_000), ")".repeat(5_000));
    assert_eq!(recovered(&lambdas).0, ["aninhamento maior que 64 níveis"]);
    let texts = format!("x = {}1{}", "$\"{".repeat(5_000), "}\"".repeat(5_000));
    assert_eq!(recovered(&texts).0, ["aninhamento maior que 64 níveis"]);
    let others = format!("x = a{}", " ?? a".repeat(5_000));
    assert_eq!(recovered(&others).0, ["aninhamento maior que 64 níveis"]);
    let pipes = format!("x = a{}", " | f:".repeat(5_000));
    assert_eq!(recovered(&pipes).0, ["expressão com mais de 160 níveis"]);
    let blocks: String = (0..200).map(|level| format!("{}if a\n", "    ".repeat(level))).collect();
    assert!(recovered(&blocks).0.contains(&"aninhamento maior que 64 níveis".to_owned()));
    let fits = format!("x = 1{}", " + 1".repeat(150));
    assert!(recovered(&fits).0.is_empty());
}
