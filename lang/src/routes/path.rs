//! Paths of routes: the contract's rules, with hints for what newcomers write.

use djo_contract::route;

/// A path, segment by segment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RoutePath {
    /// As written.
    pub(super) text: String,
    pub(super) segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Segment {
    Literal(String),
    Param(String),
}

pub(super) struct Problem {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

fn problem<T>(message: impl Into<String>, hint: Option<&str>) -> Result<T, Problem> {
    Err(Problem { message: message.into(), hint: hint.map(str::to_owned) })
}

pub(super) fn parse(text: &str) -> Result<RoutePath, Problem> {
    if route::is_reserved(text) {
        return problem(format!("o caminho `{text}` é reservado"), Some("ele pertence aos protocolos de agentes, que todo site atende"));
    }
    if let Some(name) = text.split('/').find_map(|segment| segment.strip_prefix(':')) {
        return problem("um parâmetro do caminho vem entre chaves", Some(&format!("escreva `{{{name}}}`")));
    }
    let segments = route::parse_path(text).map_err(|message| Problem { message, hint: hint(text) })?;
    let segments = segments.into_iter().map(|segment| match segment {
        route::Segment::Literal(text) => Segment::Literal(text.to_owned()),
        route::Segment::Param(name) => Segment::Param(name.to_owned()),
    });
    Ok(RoutePath { text: text.to_owned(), segments: segments.collect() })
}

fn hint(text: &str) -> Option<String> {
    if text.contains('?') {
        return Some("a query não faz parte da rota; leia-a com `Http.query:`".into());
    }
    if text.contains('%') {
        return Some("escreva o próprio caractere: o caminho é comparado já decodificado".into());
    }
    (!text.starts_with('/')).then(|| format!("escreva `/{text}`"))
}

impl RoutePath {
    pub(super) fn params(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Param(name) => Some(name.as_str()),
            Segment::Literal(_) => None,
        })
    }

    /// The path without the names of its parameters: equal for paths that match the same requests.
    pub(super) fn pattern(&self) -> Vec<Option<&str>> {
        self.segments
            .iter()
            .map(|segment| match segment {
                Segment::Literal(text) => Some(text.as_str()),
                Segment::Param(_) => None,
            })
            .collect()
    }
}
