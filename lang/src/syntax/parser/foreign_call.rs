//! Calls as other languages write them: `x.push(2)`, `console.log("oi")`, and what djo writes instead.

use djo_vm::builtins::{BUILTINS, Builtin, is_reserved};

use crate::diagnostic::quoted_list;

/// Functions of other languages that djo has by another name, or not at all.
const FUNCTIONS: &[(&str, &str)] = &[
    ("range", "para contar, use `while`; para ter a posição de cada item, `for i, x in xs`"),
    ("len", "o tamanho é `Arr.len:xs`, `String.len:s` ou `Map.len:m`"),
    ("str", "para juntar um texto, `$\"{x}\"`; ou `Int.str:n` e `Float.str:n`"),
    ("int", "um número se lê de um texto com `Int.parse:texto`"),
    ("float", "um número se lê de um texto com `Float.parse:texto`"),
    ("input", "o que foi enviado se lê com `Http.form:\"nome\"` e `Http.query:\"nome\"`"),
    ("sum", "a soma é `Arr.sum:xs`"),
    ("map", "é `Arr.map:xs:(x -> …)`"),
    ("filter", "é `Arr.filter:xs:(x -> …)`"),
    ("sorted", "é `Arr.sort:xs`"),
];

/// Other names of functions that take the same arguments.
const RENAMED: &[(&[&str], &str)] = &[
    (&["console.log", "console.info", "fmt.Println", "fmt.Printf", "println", "puts", "echo"], "print"),
    (&["console.warn"], "Log.warn"),
    (&["console.error"], "Log.error"),
    (&["Math.floor", "math.floor"], "Float.floor"),
    (&["Math.ceil", "math.ceil"], "Float.ceil"),
    (&["Math.round", "round"], "Float.round"),
    (&["JSON.stringify", "json.dumps"], "Json.encode"),
    (&["JSON.parse", "json.loads"], "Json.decode"),
    (&["Date.now", "time.time"], "Time.now"),
    (&["parseInt"], "Int.parse"),
    (&["parseFloat"], "Float.parse"),
    (&["encodeURIComponent"], "Url.encode"),
    (&["decodeURIComponent"], "Url.decode"),
];

/// Other names of what djo has in some module.
const METHODS: &[(&[&str], &str)] = &[
    (&["append", "add"], "push"),
    (&["length", "size", "count"], "len"),
    (&["toUpperCase", "upcase", "toUpper"], "upper"),
    (&["toLowerCase", "downcase", "toLower"], "lower"),
    (&["strip"], "trim"),
    (&["startswith", "startsWith", "start_with"], "starts"),
    (&["endswith", "endsWith", "end_with"], "ends"),
    (&["includes", "include"], "contains"),
    (&["indexOf", "findIndex"], "index"),
    (&["substring", "substr"], "slice"),
    (&["replaceAll"], "replace"),
    (&["toString", "to_s"], "str"),
];

/// Modules whose first argument is the value that other languages write before the dot.
const MODULES: &[&str] = &["Arr", "Map", "String", "Int", "Float"];

/// The builtins that do what a method of this name does elsewhere.
pub(crate) fn methods(name: &str) -> Vec<&'static str> {
    let own = METHODS.iter().find(|(others, _)| others.contains(&name)).map_or(name, |(_, own)| own);
    let of_module = |full: &&str| full.split_once('.').is_some_and(|(module, member)| member == own && MODULES.contains(&module));
    BUILTINS.iter().map(|signature| signature.name).filter(of_module).collect()
}

/// What to write for `base.name` with these arguments after it (`:a:b`), where it is a method elsewhere.
pub(crate) fn method_call(base: &str, name: &str, arguments: &str) -> Option<String> {
    let calls: Vec<String> = methods(name).iter().map(|full| format!("{full}:{base}{arguments}")).collect();
    (!calls.is_empty()).then(|| format!("escreva {}", quoted_list(calls.iter().map(String::as_str))))
}

/// For a call with parentheses of what is named so, with these arguments where they can be told.
pub(super) fn hint(name: &str, arguments: Option<&[String]>) -> String {
    if let Some((_, hint)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
        return (*hint).to_owned();
    }
    let joined = match arguments {
        Some(arguments) => arguments.iter().map(|argument| format!(":{argument}")).collect(),
        None => ":…".to_owned(),
    };
    let own = RENAMED.iter().find(|(others, _)| others.contains(&name)).map_or(name, |(_, own)| own);
    if let Some((base, method)) = own.rsplit_once('.')
        && Builtin::from_name(own).is_none()
        && !(is_reserved(base) || base == "Route")
        && let Some(hint) = method_call(base, method, &joined)
    {
        return hint;
    }
    let most = Builtin::from_name(own).map_or(usize::MAX, |signature| signature.most.into());
    match arguments {
        Some([]) => format!("escreva `{own}:`"),
        Some(arguments) if most == 1 && arguments.len() > 1 => format!("escreva `{own}:{}`", in_one_text(arguments)),
        Some(_) => format!("escreva `{own}{joined}`"),
        None => format!("escreva `{own}:` sem argumentos, ou `{own}:a:b`"),
    }
}

/// Several values as one String.
fn in_one_text(arguments: &[String]) -> String {
    let part = |argument: &String| match argument.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(text) => text.replace('{', "{{").replace('}', "}}"),
        None => format!("{{{}}}", argument.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(argument)),
    };
    format!("$\"{}\"", arguments.iter().map(part).collect::<Vec<_>>().join(" "))
}
