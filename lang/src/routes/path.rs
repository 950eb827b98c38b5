//! Paths of routes: `/posts/{id}`.

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

/// Paths that belong to the protocols every site speaks.
const RESERVED: &[&str] = &["/.well-known/ai-manifest.json", "/.well-known/agent", "/mcp"];

pub(super) fn parse(text: &str) -> Result<RoutePath, Problem> {
    let Some(rest) = text.strip_prefix('/') else {
        return problem("o caminho da rota começa com `/`", Some(&format!("escreva `/{text}`")));
    };
    if RESERVED.contains(&text) || text == "/agent" || text.starts_with("/agent/") {
        return problem(format!("o caminho `{text}` é reservado"), Some("ele pertence aos protocolos de agentes, que todo site atende"));
    }
    if let Some(odd) = text.chars().find(|c| c.is_whitespace() || c.is_control() || "?#%\\".contains(*c)) {
        let hint = match odd {
            '?' => "a query não faz parte da rota; leia-a com `Http.query:`",
            '%' => "escreva o próprio caractere: o caminho é comparado já decodificado",
            _ => "um caminho tem só segmentos e `/`",
        };
        return problem(format!("`{}` não cabe no caminho de uma rota", odd.escape_debug()), Some(hint));
    }
    let mut segments = Vec::new();
    if rest.is_empty() {
        return Ok(RoutePath { text: text.to_owned(), segments });
    }
    for segment in rest.split('/') {
        segments.push(parse_segment(segment, &segments)?);
    }
    Ok(RoutePath { text: text.to_owned(), segments })
}

fn parse_segment(segment: &str, before: &[Segment]) -> Result<Segment, Problem> {
    if segment.is_empty() {
        return problem("o caminho da rota tem um segmento vazio", Some("não termine com `/` nem repita `//`"));
    }
    if segment == "." || segment == ".." {
        return problem(format!("`{segment}` não cabe no caminho de uma rota"), None);
    }
    if !segment.contains(['{', '}']) {
        if let Some(name) = segment.strip_prefix(':') {
            let hint = format!("escreva `{{{name}}}`");
            return problem("um parâmetro do caminho vem entre chaves", Some(&hint));
        }
        return Ok(Segment::Literal(segment.to_owned()));
    }
    let name = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let Some(name) = name.filter(|name| !name.contains(['{', '}'])) else {
        return problem("um parâmetro ocupa o segmento inteiro: `{id}`", None);
    };
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|c| c == '_' || c.is_alphabetic());
    if !starts || !chars.all(|c| c == '_' || c.is_alphanumeric()) {
        return problem(format!("`{{{name}}}` não é um nome"), Some("use letras, dígitos e `_`"));
    }
    if before.iter().any(|other| matches!(other, Segment::Param(other) if other == name)) {
        return problem(format!("o parâmetro `{{{name}}}` aparece duas vezes no caminho"), None);
    }
    Ok(Segment::Param(name.to_owned()))
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
