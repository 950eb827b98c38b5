//! `Route.action:"/path":"nome"[:returns][:{opts}]`

use djo_contract::{
    decode,
    model::{Action, ActionOptions, Method, Route},
    types::{Field, Kind, Source, Struct},
};

use super::{Placed, Reader, path::RoutePath};
use crate::{
    ast::{Expr, ExprKind, FunctionDecl, Span},
    check::{literal::literal_value, symbols::Symbol, types::type_name},
    diagnostic::{Diagnostic, codes, nearest, quoted_list},
    program::Entry,
};

const KEYS: &[&str] = &["tool", "effect", "idempotent", "confirmation", "timeout_ms", "continues", "example"];
const EFFECTS: &[&str] = &["none", "read", "write", "external_write", "destructive"];
/// An hour; the site's own time-out is far below.
const MAX_TIMEOUT_MS: i64 = 3_600_000;

impl Reader<'_> {
    pub(super) fn action_line(&mut self, arguments: &[Expr], span: Span) {
        let ([path, name] | [path, name, _] | [path, name, _, _]) = arguments else {
            let diagnostic = Diagnostic::error(
                codes::BAD_ROUTE,
                span,
                "`Route.action` recebe um caminho, o nome da action, o tipo da resposta e as opções",
            );
            self.report(diagnostic.hint("escreva `Route.action:\"/posts\":\"criar_post\"`; o tipo e as opções podem faltar"));
            return;
        };
        let (at, name_span) = (path.span, name.span);
        let path = self.path(path);
        let function = self.action_named(name);
        let (mut returns, mut options, mut tool, mut continues) = (None, ActionOptions::default(), None, None);
        let mut example = None;
        let rest = &arguments[2..];
        for (index, argument) in rest.iter().enumerate() {
            if index + 1 == rest.len() && matches!(argument.kind, ExprKind::Map(_)) {
                for (key, _, value) in self.entries(argument, KEYS, "`Route.action`") {
                    match key {
                        "tool" => tool = self.tool_name(value),
                        "effect" => options.effect = self.choice(value, "effect", EFFECTS),
                        "idempotent" => options.idempotent = self.boolean(value, "idempotent"),
                        "confirmation" => options.confirmation = self.choice(value, "confirmation", &["required", "none"]),
                        "timeout_ms" => options.timeout_ms = self.bounded_int(value, "timeout_ms", 1, MAX_TIMEOUT_MS),
                        "continues" => {
                            options.continues = self.string(value, "`continues`").map(str::to_owned);
                            continues = options.continues.clone().map(|name| (name, value.span));
                        }
                        "example" => example = Some(value),
                        _ => {}
                    }
                }
            } else if index == 0 {
                returns = self.returns(argument);
            } else {
                let diagnostic = Diagnostic::error(codes::BAD_ROUTE, argument.span, "as opções de `Route.action` vêm num Map, por último");
                self.report(diagnostic);
            }
        }
        let (Some(path), Some(index)) = (path, function) else { return };
        let known = self.known;
        let Some(decl) = known.declarations.functions.get(index) else { return };
        let Some(input) = self.input(index, &path, at) else { return };
        let action = Action { name: decl.name.text.clone(), description: decl.description.clone(), input };
        if let Some(example) = example {
            options.example = self.example(example, &action);
        }
        let name = tool.clone().unwrap_or_else(|| action.name.clone());
        let actions = &mut self.table.actions;
        let published = actions.iter().position(|known| *known == action).unwrap_or_else(|| {
            actions.push(action);
            actions.len() - 1
        });
        let route = Route {
            method: Method::Post,
            path: path.text.clone(),
            about: decl.description.clone(),
            screen: false,
            agent: false,
            action: Some(published),
            returns,
            cache: None,
            tool,
            query: Vec::new(),
            options,
        };
        let entry = Entry { action: Some(index), ..Entry::default() };
        self.add(Placed { route, path, span: at, tool: Some((name, name_span)), continues }, entry);
    }

    /// The action of that name, as an index among functions.
    fn action_named(&mut self, expr: &Expr) -> Option<usize> {
        let name = self.string(expr, "o nome da action")?;
        let declarations = self.known.declarations;
        match declarations.find(name) {
            Some(Symbol::Function(index)) if declarations.functions[index].action => return Some(index),
            Some(Symbol::Function(_)) => {
                let mut diagnostic = Diagnostic::error(codes::UNKNOWN_ACTION, expr.span, format!("`{name}` é uma `f`, não uma action"));
                if let Some(span) = declarations.span(name) {
                    diagnostic = diagnostic.related(span, "declarada aqui");
                }
                self.report(diagnostic.hint("declare-a com `action` para publicá-la"));
            }
            _ if declarations.is_broken(name) => {}
            _ => {
                let hint = match nearest(name, declarations.action_names()) {
                    Some(near) => format!("você quis dizer `{near}`?"),
                    None => match quoted_list(declarations.action_names()) {
                        list if list.is_empty() => "declare-a em `core/`, com `action`".into(),
                        list => format!("as actions são {}", list.replace(" ou ", " e ")),
                    },
                };
                self.report(Diagnostic::error(codes::UNKNOWN_ACTION, expr.span, format!("a action `{name}` não existe")).hint(hint));
            }
        }
        None
    }

    /// The input of an action on a path: which parameters the path gives.
    fn input(&mut self, index: usize, path: &RoutePath, at: Span) -> Option<Struct> {
        let known = self.known;
        let decl: &FunctionDecl = known.declarations.functions.get(index)?;
        let mut fields: Vec<Field> = known.signatures.get(index)?.params.clone();
        let mut fits = true;
        for name in path.params() {
            let problem = match fields.iter_mut().find(|field| field.name == name) {
                None => {
                    let names: Vec<&str> = decl.params.iter().map(|param| param.name.text.as_str()).collect();
                    let hint = match nearest(name, names.iter().copied()) {
                        Some(near) => format!("você quis dizer `{{{near}}}`?"),
                        None => format!("acrescente `{name}[String]` aos `params` de `{}`", decl.name.text),
                    };
                    Some((format!("a action `{}` não tem o parâmetro `{name}` do caminho", decl.name.text), Some(hint)))
                }
                Some(field) if field.hidden || matches!(field.source, Source::Inject(_)) => {
                    Some((format!("o parâmetro `{name}` de `{}` não vem de fora, e não pode vir do caminho", decl.name.text), None))
                }
                Some(field) if !matches!(field.ty.kind, Kind::Int | Kind::Float | Kind::String | Kind::Bool) => {
                    let ty = type_name(&field.ty, known.types);
                    let hint = "do caminho só vêm Int, Float, String e Bool".to_owned();
                    Some((format!("o parâmetro `{name}` de `{}` é {ty}, e não pode vir do caminho", decl.name.text), Some(hint)))
                }
                Some(field) => {
                    field.source = Source::Path;
                    None
                }
            };
            // A parameter whose type could not be read has been reported where it is declared.
            let unread = decl.params.iter().any(|param| param.name.text == name) && known.declarations.is_broken(&decl.name.text);
            if let Some((message, hint)) = problem
                && !unread
            {
                fits = false;
                let mut diagnostic = Diagnostic::error(codes::PATH_PARAMETER, at, message).maybe_hint(hint);
                if let Some(span) = known.declarations.span(&decl.name.text) {
                    diagnostic = diagnostic.related(span, "declarada aqui");
                }
                self.report(diagnostic);
            }
        }
        fits.then(|| Struct { name: String::new(), description: None, fields })
    }

    /// An example input, which must be one.
    fn example(&mut self, expr: &Expr, action: &Action) -> Option<djo_contract::value::Value> {
        let value = literal_value(expr, self.diagnostics)?;
        if let Err(issues) = decode::decode_arguments(self.known.types, action, None, value.clone()) {
            let list: Vec<String> = issues
                .list
                .iter()
                .take(5)
                .map(|issue| if issue.path.is_empty() { issue.message.clone() } else { format!("`{}` {}", issue.path, issue.message) })
                .collect();
            let message = format!("`example` não serve de entrada para `{}`: {}", action.name, list.join("; "));
            self.report(Diagnostic::error(codes::BAD_DEFAULT, expr.span, message));
            return None;
        }
        Some(value)
    }
}
