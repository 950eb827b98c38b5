//! The walk over the TOML document. Everything that is wrong is noted, with its place; only a clean document gives settings.

use std::{
    ops::{Range, RangeInclusive},
    path::{Component, Path, PathBuf},
};

use djo_contract::issue::nearest;
use djo_contract::model::Wanted;
use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue},
};

use super::limits::{self, Limit};
use super::{ConfigError, ConfigProblem, Isolation, Origin, SiteConfig, hosts, size, syntax};

/// The tables and their keys. What is in another table than it belongs to is found here, too.
pub(super) const ROOT: [&str; 6] = ["hosts", "component", "isolation", "limits", "outbound", "static"];
const OUTBOUND: [&str; 1] = ["allow"];
const STATIC: [&str; 1] = ["max_age"];
pub(super) const TABLES: [(&str, &[&str]); 3] = [("limits", &limits::KEYS), ("outbound", &OUTBOUND), ("static", &STATIC)];

type Key<'i> = Spanned<DeString<'i>>;
type Value<'i> = Spanned<DeValue<'i>>;

pub(super) fn read(text: &str) -> Result<SiteConfig, ConfigError> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { text, problems: Vec::new() };
    for error in errors {
        let problem = ConfigProblem::new(text, error.span().unwrap_or(0..0), syntax::told(error.message()), None);
        // Of a line that cannot be read the first thing says most.
        if reader.problems.iter().all(|known| known.line != problem.line) {
            reader.problems.push(problem);
        }
    }
    let mut config = SiteConfig::default();
    // What stands in a document that does not parse is not worth a second complaint.
    if reader.problems.is_empty() {
        reader.root(document.get_ref(), &mut config);
    }
    if reader.problems.is_empty() {
        return Ok(config);
    }
    reader.problems.sort_by_key(|problem| problem.span.start);
    Err(ConfigError::Problems(reader.problems))
}

struct Reader<'t> {
    text: &'t str,
    problems: Vec<ConfigProblem>,
}

impl Reader<'_> {
    fn problem(&mut self, span: Range<usize>, message: impl Into<String>, hint: Option<String>) {
        self.problems.push(ConfigProblem::new(self.text, span, message.into(), hint));
    }

    fn root(&mut self, document: &DeTable<'_>, config: &mut SiteConfig) {
        for (key, value) in document {
            match key.get_ref().as_ref() {
                "hosts" => {
                    config.hosts = self.hosts(value);
                    config.given.push("hosts");
                }
                "component" => config.component = self.component(value),
                "isolation" => config.isolation = self.isolation(value),
                "limits" => self.limits(value, config),
                "outbound" => self.outbound(value, config),
                "static" => self.statics(value, config),
                _ => self.unknown(key, None, &ROOT),
            }
        }
    }

    fn limits(&mut self, value: &Value<'_>, config: &mut SiteConfig) {
        for (key, value) in self.table("limits", value) {
            let name = key.get_ref().as_ref();
            match config.limits.limit(name) {
                Some(Limit::Count(number, range)) => self.number(key, value, range, number),
                Some(Limit::Size(bytes, range)) => self.size(key, value, range, bytes),
                None => self.unknown(key, Some("limits"), &limits::KEYS),
            }
            config.given.extend(limits::KEYS.into_iter().find(|known| *known == name));
        }
    }

    fn outbound(&mut self, value: &Value<'_>, config: &mut SiteConfig) {
        for (key, value) in self.table("outbound", value) {
            match key.get_ref().as_ref() {
                "allow" => {
                    for (span, text) in self.strings("allow", value) {
                        match Origin::parse(text) {
                            Ok(origin) => config.outbound.allow.push(origin),
                            Err(_) => {
                                let hint = "escreva `https://` ou `http://`, o host e, se preciso, a porta: `https://api.exemplo.com`";
                                self.problem(span, format!("`{text}` não é uma origem"), Some(hint.into()));
                            }
                        }
                    }
                }
                _ => self.unknown(key, Some("outbound"), &OUTBOUND),
            }
        }
    }

    fn statics(&mut self, value: &Value<'_>, config: &mut SiteConfig) {
        for (key, value) in self.table("static", value) {
            match key.get_ref().as_ref() {
                "max_age" => self.number(key, value, 0..=Wanted::MOST_MAX_AGE, config.r#static.max_age.insert(Wanted::MAX_AGE)),
                _ => self.unknown(key, Some("static"), &STATIC),
            }
        }
    }

    fn hosts(&mut self, value: &Value<'_>) -> Vec<String> {
        let mut found = Vec::new();
        for (span, text) in self.strings("hosts", value) {
            match hosts::host(text) {
                Ok(host) if found.contains(&host) => self.problem(span, format!("o host `{host}` está repetido"), None),
                Ok(host) => found.push(host),
                Err(bad) => self.problem(span, format!("`{text}`: {}", bad.message()), None),
            }
        }
        found
    }

    fn component(&mut self, value: &Value<'_>) -> Option<PathBuf> {
        match value.get_ref().as_str() {
            Some(path) if !is_inside(path) => {
                let hint = "escreva um caminho a partir da pasta do site, sem `..`";
                self.problem(value.span(), format!("`{path}` leva para fora da pasta do site"), Some(hint.into()));
            }
            Some(path) if path.ends_with(".wasm") => return Some(PathBuf::from(path)),
            Some(path) => self.problem(value.span(), format!("`{path}` não é o caminho de um arquivo `.wasm`"), None),
            None => self.wrong_type("component", value, "uma String"),
        }
        None
    }

    fn isolation(&mut self, value: &Value<'_>) -> Option<Isolation> {
        match value.get_ref().as_str() {
            Some("request") => return Some(Isolation::Request),
            Some("reuse") => return Some(Isolation::Reuse),
            _ => self.problem(value.span(), "`isolation` deve ser `\"request\"` ou `\"reuse\"`", None),
        }
        None
    }

    fn number(&mut self, key: &Key<'_>, value: &Value<'_>, range: RangeInclusive<u32>, target: &mut u32) {
        let name = key.get_ref();
        let Some(digits) = value.get_ref().as_integer() else {
            return self.wrong_type(name, value, "um Int");
        };
        match u32::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(number) if range.contains(&number) => *target = number,
            _ => self.problem(value.span(), format!("`{name}` vai de {} a {}, mas veio {digits}", range.start(), range.end()), None),
        }
    }

    fn size(&mut self, key: &Key<'_>, value: &Value<'_>, range: RangeInclusive<u64>, target: &mut u64) {
        let name = key.get_ref();
        let (bytes, text) = match value.get_ref() {
            DeValue::String(text) => (size::parse(text), format!("\"{text}\"")),
            DeValue::Integer(digits) => (u64::from_str_radix(digits.as_str(), digits.radix()).ok(), digits.to_string()),
            _ => return self.wrong_type(name, value, "um tamanho, como \"1MiB\""),
        };
        match bytes {
            Some(bytes) if range.contains(&bytes) => *target = bytes,
            Some(_) => {
                let (least, most) = (size::show(*range.start()), size::show(*range.end()));
                self.problem(value.span(), format!("`{name}` vai de {least} a {most}, mas veio {text}"), None);
            }
            None => {
                let hint = "use um número de bytes, ou B, KiB, MiB, GiB: \"1MiB\"";
                self.problem(value.span(), format!("{text} não é um tamanho"), Some(hint.into()));
            }
        }
    }

    fn strings<'v>(&mut self, name: &str, value: &'v Value<'_>) -> Vec<(Range<usize>, &'v str)> {
        let Some(items) = value.get_ref().as_array() else {
            self.wrong_type(name, value, "uma lista de Strings");
            return Vec::new();
        };
        let mut found = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match item.get_ref().as_str() {
                Some(text) => found.push((item.span(), text)),
                None => self.wrong_type(&format!("{name}[{index}]"), item, "uma String"),
            }
        }
        found
    }

    fn table<'v, 'i>(&mut self, name: &str, value: &'v Value<'i>) -> impl Iterator<Item = (&'v Key<'i>, &'v Value<'i>)> + use<'v, 'i> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong_type(name, value, &format!("uma tabela, `[{name}]`"));
        }
        table.into_iter().flatten()
    }

    fn wrong_type(&mut self, name: &str, value: &Value<'_>, wanted: &str) {
        let found = match value.get_ref() {
            DeValue::String(_) => "uma String",
            DeValue::Integer(_) => "um Int",
            DeValue::Float(_) => "um Float",
            DeValue::Boolean(_) => "um Bool",
            DeValue::Datetime(_) => "uma data",
            DeValue::Array(_) => "uma lista",
            DeValue::Table(_) => "uma tabela",
        };
        self.problem(value.span(), format!("`{name}` deve ser {wanted}, mas veio {found}"), None);
    }

    /// A key that means nothing here: a slip, or at home in another table.
    fn unknown(&mut self, key: &Key<'_>, table: Option<&str>, known: &[&str]) {
        let name = key.get_ref().as_ref();
        let home = TABLES.into_iter().find(|(_, keys)| keys.contains(&name)).map(|(table, _)| format!("`{name}` fica em `[{table}]`"));
        let top = || ROOT.contains(&name).then(|| format!("`{name}` fica no começo do arquivo, fora das tabelas"));
        // `timeout` for `timeout_ms` is the usual slip.
        let unitless = || known.iter().copied().find(|known| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('_')));
        let near = || nearest(name, known.iter().copied()).or_else(unitless).map(|near| format!("você quis dizer `{near}`?"));
        let hint = home.or_else(top).or_else(near).unwrap_or_else(|| format!("conhecidas: `{}`", known.join("`, `")));
        let place = table.map(|table| format!(" em `[{table}]`")).unwrap_or_default();
        self.problem(key.span(), format!("chave desconhecida `{name}`{place}"), Some(hint));
    }
}

/// As far as a path tells: what its links lead to shows when the file is opened.
fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
