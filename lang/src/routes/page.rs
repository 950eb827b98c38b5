//! `Route.get:"/path":{…}` and the other methods that run pages.

use djo_contract::{
    model::{Method, Route},
    route::path_params,
    types::{Kind, Type},
};

use super::{Placed, Reader, tool};
use crate::{
    ast::{Expr, ExprKind, Name, Span},
    diagnostic::{Diagnostic, Severity, codes},
    program::Entry,
};

const KEYS: &[&str] = &["html", "agent", "about", "returns", "cache", "tool", "query"];
/// What only a GET can have.
const GET_KEYS: &[&str] = &["agent", "returns", "cache", "query", "tool"];
/// Query parameters that agent faces have anyway.
const OWN_QUERY: &[&str] = &["campos", "tabela"];
/// A year.
const MAX_CACHE: i64 = 31_536_000;

impl Reader<'_> {
    pub(super) fn page_line(&mut self, method: &Name, arguments: &[Expr], span: Span) {
        let [path, target] = arguments else {
            let message = format!("`Route.{}` recebe um caminho e um Map (ou o caminho de uma página)", method.text);
            let hint = format!("escreva `Route.{}:\"/caminho\":\"paginas/pagina.djo.html\"`", method.text);
            self.report(Diagnostic::error(codes::BAD_ROUTE, span, message).hint(hint));
            return;
        };
        let at = path.span;
        let path = self.path(path);
        let mut route = Route::new(method_of(&method.text), path.as_ref().map(|path| path.text.clone()).unwrap_or_default());
        let mut entry = Entry::default();
        if let ExprKind::Str(page) = &target.kind {
            entry.screen = self.page(page, target.span);
            route.screen = true;
        } else {
            let what = format!("`Route.{}`", method.text);
            let entries = self.entries(target, KEYS, &what);
            let faces = entries.iter().any(|(key, ..)| matches!(*key, "html" | "agent"));
            for (key, key_span, value) in &entries {
                if route.method != Method::Get && GET_KEYS.contains(key) {
                    let message = format!("`{key}` só vale em `Route.get`");
                    let hint = (*key == "agent").then(|| "para um agente escrever, publique uma action com `Route.action`".to_owned());
                    self.report(Diagnostic::error(codes::BAD_ROUTE, *key_span, message).maybe_hint(hint));
                    continue;
                }
                self.page_key(key, value, &mut route, &mut entry);
            }
            if !faces && matches!(target.kind, ExprKind::Map(_)) {
                let diagnostic = Diagnostic::error(codes::BAD_ROUTE, target.span, "a rota não tem `html` nem `agent`");
                self.report(diagnostic.hint("`html` é a página para pessoas; `agent`, a face para programas"));
            }
            for (key, key_span, _) in &entries {
                if faces && !route.agent && route.method == Method::Get && matches!(*key, "returns" | "tool" | "query") {
                    let message = format!("`{key}` só tem efeito em rotas com `agent`");
                    let warning = Diagnostic::error(codes::NO_EFFECT, *key_span, message);
                    self.report(Diagnostic { severity: Severity::Warning, ..warning });
                }
            }
        }
        let Some(path) = path else { return };
        let tool_at = at;
        let name = route.agent.then(|| route.tool.clone().unwrap_or_else(|| tool::derived(&path)));
        self.add(Placed { route, path, span: at, tool: name.map(|name| (name, tool_at)), continues: None }, entry);
    }

    fn page_key(&mut self, key: &str, value: &Expr, route: &mut Route, entry: &mut Entry) {
        match key {
            "html" => {
                route.screen = true;
                entry.screen = self.string(value, "`html`").and_then(|page| self.page(page, value.span));
            }
            "agent" => {
                route.agent = true;
                entry.agent = self.string(value, "`agent`").and_then(|page| self.agent_page(page, value.span));
            }
            "about" => route.about = self.string(value, "`about`").map(str::to_owned),
            "returns" => route.returns = self.returns(value),
            "cache" => route.cache = self.bounded_int(value, "cache", 1, MAX_CACHE),
            "tool" => route.tool = self.tool_name(value),
            "query" => route.query = self.query(value, &route.path),
            _ => {}
        }
    }

    /// The file of an agent face. A template writes HTML, which is for people.
    fn agent_page(&mut self, path: &str, span: Span) -> Option<usize> {
        let page = self.page(path, span)?;
        if !path.ends_with(".djo.html") {
            return Some(page);
        }
        let message = format!("`{path}` é uma página em HTML, e `agent` é a face para programas");
        let hint = "uma face de agente é um arquivo `.djo`, que responde com `Http.json:…`; a página vai em `html`";
        self.report(Diagnostic::error(codes::BAD_ROUTE, span, message).hint(hint));
        None
    }

    /// `{"q": "String", "pagina": "Int"}`
    fn query(&mut self, expr: &Expr, path: &str) -> Vec<(String, Type)> {
        let entries = self.entries(expr, &[], "`query`");
        let mut declared = Vec::new();
        for (name, span, value) in entries {
            if OWN_QUERY.contains(&name) {
                let message = format!("`{name}` já tem um sentido em toda rota de agente");
                self.report(Diagnostic::error(codes::BAD_ROUTE, span, message).hint("escolha outro nome"));
                continue;
            }
            if path_params(path).any(|param| param == name) {
                let message = format!("`{name}` já vem do caminho da rota, e não cabe também em `query`");
                let diagnostic = Diagnostic::error(codes::BAD_ROUTE, span, message);
                self.report(
                    diagnostic.hint(format!("o do caminho se lê com `Http.param:\"{name}\"`; para o da query, escolha outro nome")),
                );
                continue;
            }
            let Some(ty) = self.string(value, &format!("o tipo de `{name}`")) else { continue };
            let kind = match ty {
                "String" => Kind::String,
                "Int" => Kind::Int,
                "Float" => Kind::Float,
                "Bool" => Kind::Bool,
                _ => {
                    let message = format!("`{ty}` não serve de tipo na query");
                    let diagnostic = Diagnostic::error(codes::UNKNOWN_TYPE, value.span, message);
                    self.report(diagnostic.hint("use `String`, `Int`, `Float` ou `Bool`"));
                    continue;
                }
            };
            declared.push((name.to_owned(), Type::new(kind)));
        }
        declared
    }
}

fn method_of(name: &str) -> Method {
    match name {
        "post" => Method::Post,
        "put" => Method::Put,
        "patch" => Method::Patch,
        "delete" => Method::Delete,
        _ => Method::Get,
    }
}
