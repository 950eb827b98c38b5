//! `rotas.djo`: what the site offers, and what runs for it.

mod action;
mod conflict;
mod keys;
mod page;
mod path;
mod returns;
mod site;
mod tool;

use djo_contract::{
    model::{Action, Contract, Route, Site},
    types::Types,
};

use self::path::RoutePath;
use crate::{
    ast::{Block, Expr, ExprKind, FileId, Name, Span, Stmt, StmtKind},
    check::{FunctionSignature, symbols::Declarations},
    diagnostic::{Diagnostic, codes, nearest},
    program::Entry,
    source::{CORE, Files, ROUTES, is_source},
};

const METHODS: &[&str] = &["get", "post", "put", "patch", "delete", "action", "site"];

/// What routes refer to.
pub(crate) struct Known<'a> {
    pub(crate) files: &'a Files,
    pub(crate) declarations: &'a Declarations,
    pub(crate) types: &'a Types,
    pub(crate) signatures: &'a [FunctionSignature],
}

/// The table, as the contract and the program have it.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) site: Option<Site>,
    pub(crate) routes: Vec<Route>,
    pub(crate) actions: Vec<Action>,
    pub(crate) entries: Vec<Entry>,
    /// Files that run for some face, each once; entries index it.
    pub(crate) pages: Vec<FileId>,
}

/// A route that has been read, with its place, for what is checked between routes.
struct Placed {
    route: Route,
    path: RoutePath,
    /// The path's literal.
    span: Span,
    /// The name of the tool, and where it comes from.
    tool: Option<(String, Span)>,
    /// `continues`, and where it stands.
    continues: Option<(String, Span)>,
}

/// Reads the table; reports everything that is wrong in it.
pub(crate) fn read(known: &Known<'_>, lines: &Block, diagnostics: &mut Vec<Diagnostic>) -> Table {
    let mut reader = Reader { known, table: Table::default(), placed: Vec::new(), site: None, diagnostics };
    for line in lines {
        reader.line(line);
    }
    let Reader { mut table, placed, .. } = reader;
    conflict::check(&placed, diagnostics);
    let spans: Vec<(Span, Option<Span>)> = placed.iter().map(|one| (one.span, one.continues.as_ref().map(|(_, span)| *span))).collect();
    let clashes = tool::check(&placed, diagnostics);
    table.routes = placed.into_iter().map(|placed| placed.route).collect();
    if !clashes {
        let (types, routes, actions) = (known.types.clone(), table.routes.clone(), table.actions.clone());
        tool::check_rules(&Contract { types, routes, actions, ..Contract::default() }, &spans, diagnostics);
    }
    table
}

struct Reader<'a> {
    known: &'a Known<'a>,
    table: Table,
    placed: Vec<Placed>,
    /// Where `Route.site` stands.
    site: Option<Span>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn line(&mut self, line: &Stmt) {
        let StmtKind::Expr(Expr { kind: ExprKind::Call(callee, arguments), .. }) = &line.kind else {
            // The parser has reported a line that it could not read, and an expression that has no call.
            if !matches!(line.kind, StmtKind::Expr(_) | StmtKind::Unread(..)) {
                self.report(not_a_route(line.span));
            }
            return;
        };
        let ExprKind::Member(base, method) = &callee.kind else {
            self.report(not_a_route(callee.span));
            return;
        };
        if !matches!(&base.kind, ExprKind::Name(name) if name == "Route") {
            let near = matches!(&base.kind, ExprKind::Name(name) if nearest(name, ["Route"]).is_some());
            let diagnostic = not_a_route(callee.span);
            self.report(if near { Diagnostic { hints: vec!["você quis dizer `Route`?".into()], ..diagnostic } } else { diagnostic });
            return;
        }
        match method.text.as_str() {
            "site" => self.site_line(arguments, line.span),
            "action" => self.action_line(arguments, line.span),
            "get" | "post" | "put" | "patch" | "delete" => self.page_line(method, arguments, line.span),
            _ => self.unknown_method(method),
        }
    }

    fn unknown_method(&mut self, method: &Name) {
        let lower = method.text.to_lowercase();
        let hint = match METHODS.iter().find(|known| **known == lower).copied().or_else(|| nearest(&method.text, METHODS.iter().copied())) {
            Some(near) => format!("você quis dizer `Route.{near}`?"),
            None => format!("há {}", crate::diagnostic::quoted_list(METHODS.iter().copied()).replace(" ou ", " e ")),
        };
        let message = format!("`Route.{}` não existe", method.text);
        self.report(Diagnostic::error(codes::UNKNOWN_NAME, method.span, message).hint(hint));
    }

    /// The String that an argument must be.
    fn string<'e>(&mut self, expr: &'e Expr, what: &str) -> Option<&'e str> {
        match &expr.kind {
            ExprKind::Str(text) => Some(text),
            ExprKind::Error => None,
            _ => {
                let message = format!("{what} deve ser uma String entre aspas");
                self.report(Diagnostic::error(codes::BAD_ROUTE, expr.span, message));
                None
            }
        }
    }

    /// The path of a route; reports what is wrong with it.
    fn path(&mut self, expr: &Expr) -> Option<RoutePath> {
        let text = self.string(expr, "o caminho da rota")?;
        match path::parse(text) {
            Ok(path) => Some(path),
            Err(problem) => {
                self.report(Diagnostic::error(codes::BAD_PATH, expr.span, problem.message).maybe_hint(problem.hint));
                None
            }
        }
    }

    /// The page at a path, as an index into the table's pages.
    fn page(&mut self, path: &str, span: Span) -> Option<usize> {
        let files = self.known.files;
        let is_page = |path: &str| is_source(path) && path != ROUTES && !path.starts_with(CORE);
        let Some(file) = files.find(path).filter(|_| is_page(path)) else {
            let pages = files.list.iter().map(|file| file.path.as_str()).filter(|path| is_page(path));
            let hint = match nearest(path, pages.clone()) {
                Some(near) => format!("você quis dizer `{near}`?"),
                None => match pages.filter(|page| page.rsplit('/').next() == path.rsplit('/').next()).min() {
                    Some(same_name) => format!("você quis dizer `{same_name}`?"),
                    None => "o caminho é a partir da raiz do site, e termina em `.djo.html` ou `.djo`".into(),
                },
            };
            let message = if files.find(path).is_none() {
                format!("o arquivo `{path}` não existe")
            } else {
                format!("`{path}` não é uma página")
            };
            self.report(Diagnostic::error(codes::MISSING_FILE, span, message).hint(hint));
            return None;
        };
        let pages = &mut self.table.pages;
        Some(pages.iter().position(|page| *page == file).unwrap_or_else(|| {
            pages.push(file);
            pages.len() - 1
        }))
    }

    fn add(&mut self, placed: Placed, entry: Entry) {
        self.placed.push(placed);
        self.table.entries.push(entry);
    }
}

fn not_a_route(span: Span) -> Diagnostic {
    Diagnostic::error(codes::NOT_A_ROUTE, span, "em `rotas.djo` só cabem linhas `Route.…`")
        .hint("por exemplo `Route.get:\"/posts\":\"paginas/posts.djo.html\"` ou `Route.action:\"/posts\":\"criar_post\"`")
}
