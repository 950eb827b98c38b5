//! A template and what it includes, to the statements of one page.

use std::collections::{BTreeMap, BTreeSet};

use djo_contract::link;

use super::{
    Node, Template,
    context::{Context, Refusal},
    join::join,
};
use crate::{
    ast::{Block, Escape, Expr, ExprKind, FileId, Name, Span, Stmt, StmtKind},
    diagnostic::{Diagnostic, Severity, codes, nearest},
    source::Files,
    syntax::MAX_NESTING,
    walk,
};

/// The local that a layout writes where the page goes.
const CONTENT: &str = "conteudo";

/// What must agree of a loop.
const LOOP: &str = "o começo e o fim deste `for`";

/// Deepest chain of layouts and includes.
const MAX_CHAIN: usize = 32;

/// Most pieces and bytes of text in all pages together, everything they include counted each time.
const MAX_PIECES: u32 = 200_000;
const MAX_BYTES: usize = 16 << 20;

/// Builds pages out of the site's templates.
pub(crate) struct Expander<'a> {
    pub(crate) files: &'a Files,
    pub(crate) templates: &'a BTreeMap<FileId, Template>,
    /// Files with errors of syntax: where a page is in them cannot be told.
    pub(crate) broken: &'a BTreeSet<FileId>,
    pub(crate) diagnostics: &'a mut Vec<Diagnostic>,
    chain: Vec<FileId>,
    /// Where in the chain the page or layout stands that is being read.
    base: usize,
    depth: u32,
    pieces: u32,
    bytes: usize,
    too_large: bool,
}

impl<'a> Expander<'a> {
    pub(crate) fn new(
        files: &'a Files,
        templates: &'a BTreeMap<FileId, Template>,
        broken: &'a BTreeSet<FileId>,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self { files, templates, broken, diagnostics, chain: Vec::new(), base: 0, depth: 0, pieces: 0, bytes: 0, too_large: false }
    }

    /// The statements of a page: its code, then its text, inside its layout when it has one.
    pub(crate) fn page(&mut self, file: FileId) -> Block {
        let mut block = Block::new();
        self.whole(file, None, &mut block);
        block
    }

    /// A page, or a layout with the place that asks for it, and the layouts around it.
    fn whole(&mut self, file: FileId, asked: Option<Span>, out: &mut Block) {
        let Some(template) = self.templates.get(&file) else { return };
        let base = std::mem::replace(&mut self.base, self.chain.len());
        self.chain.push(file);
        out.extend(template.code.iter().cloned());
        let mut body = Block::new();
        let end = self.nodes(&template.nodes, Context::Text, asked.is_some(), &mut body);
        if let Some(at) = asked
            && !self.broken.contains(&file)
            && !shows_content(&template.code)
            && !shows_content(&body)
        {
            let message = format!("`{}` não mostra a página: falta `{{{{ {CONTENT} }}}}`", self.files.path(file));
            let warning = Diagnostic::error(codes::NO_EFFECT, at, message).hint("o layout a põe no lugar dela com `{{ conteudo }}`");
            self.report(Diagnostic { severity: Severity::Warning, ..warning });
        }
        if let Some(end) = end
            && !matches!(end, Context::Text | Context::Any(_))
            && !self.broken.contains(&file)
        {
            let length = self.files.text(file).len() as u32;
            let at = Span { file, start: length, end: length };
            let message = format!("a página termina {}", end.describe());
            self.report(Diagnostic::error(codes::TEMPLATE_CONTEXT, at, message));
        }
        match &template.layout {
            None => out.append(&mut body),
            Some((path, at)) => {
                let name = Name { text: CONTENT.into(), span: *at };
                out.push(Stmt { kind: StmtKind::Capture(name, body), span: *at });
                if let Some(layout) = self.resolve(path, *at) {
                    self.whole(layout, Some(*at), out);
                }
            }
        }
        self.chain.pop();
        self.base = base;
    }

    /// The template at a path that another names; reports when it cannot be used.
    fn resolve(&mut self, path: &str, at: Span) -> Option<FileId> {
        let found = self.files.find(path).filter(|file| self.templates.contains_key(file));
        let Some(file) = found else {
            // Not what is being read: it cannot include itself.
            let others = self.templates.keys().filter(|file| !self.chain.contains(file));
            let paths = others.map(|file| self.files.path(*file));
            let hint = match nearest(path, paths) {
                Some(near) => Some(format!("você quis dizer `{near}`?")),
                None if !path.ends_with(".djo.html") => Some("um arquivo incluído termina em `.djo.html`".into()),
                None => Some("o caminho é a partir da raiz do site".into()),
            };
            let message = format!("o arquivo `{path}` não existe");
            self.report(Diagnostic::error(codes::MISSING_FILE, at, message).maybe_hint(hint));
            return None;
        };
        if self.chain.contains(&file) {
            let names = self.chain.iter().chain(std::iter::once(&file)).map(|file| format!("`{}`", self.files.path(*file)));
            let message = format!("inclusão sem fim: {}", names.collect::<Vec<_>>().join(" → "));
            self.report(Diagnostic::error(codes::INCLUDE_CYCLE, at, message));
            return None;
        }
        if self.chain.len() >= MAX_CHAIN {
            let message = format!("mais de {MAX_CHAIN} arquivos incluídos um dentro do outro");
            self.report(Diagnostic::error(codes::TOO_DEEP, at, message));
            return None;
        }
        Some(file)
    }

    /// Expands nodes that start at a place; answers the place after them, or `None` where a limit was passed.
    fn nodes(&mut self, nodes: &'a [Node], start: Context, in_layout: bool, out: &mut Block) -> Option<Context> {
        self.branch(nodes, Some(start), in_layout, out)
    }

    /// The same where the place may no longer be known: the statements still count.
    fn branch(&mut self, nodes: &'a [Node], start: Option<Context>, in_layout: bool, out: &mut Block) -> Option<Context> {
        let mut context = start;
        for (index, node) in nodes.iter().enumerate() {
            self.pieces = self.pieces.saturating_add(1);
            if self.pieces > MAX_PIECES || self.bytes > MAX_BYTES {
                if !self.too_large {
                    self.too_large = true;
                    let message = "as páginas, com tudo o que incluem, são grandes demais";
                    self.report(Diagnostic::error(codes::TOO_DEEP, node_span(node), message));
                }
                return None;
            }
            if self.depth >= MAX_NESTING {
                let message = format!("aninhamento maior que {MAX_NESTING} níveis, com os arquivos incluídos");
                self.report(Diagnostic::error(codes::TOO_DEEP, node_span(node), message));
                return None;
            }
            self.depth += 1;
            context = self.node(node, nodes.get(index + 1), context, in_layout, out);
            self.depth -= 1;
        }
        context
    }

    fn node(&mut self, node: &'a Node, next: Option<&Node>, context: Option<Context>, in_layout: bool, out: &mut Block) -> Option<Context> {
        match node {
            Node::Text(text, span) => {
                self.bytes += text.len();
                out.push(Stmt { kind: StmtKind::Text(text.clone()), span: *span });
                let after = context?.advance(text, &mut |offset, refusal| {
                    let at = span.start + offset as u32;
                    self.refused(Span { start: at, end: at, ..*span }, refusal);
                });
                Some(after)
            }
            Node::Output(expr, span) => {
                let (mut escape, after) = self.escape(expr, *span, context, in_layout);
                if escape == Escape::UrlRoot && next.is_some_and(starts_no_host) {
                    escape = Escape::UrlRootEnd;
                }
                out.push(Stmt { kind: StmtKind::Output(expr.clone(), escape), span: *span });
                after
            }
            Node::Statement(stmt) => {
                out.push(stmt.clone());
                context
            }
            Node::If(branches, otherwise, span) => {
                let mut ends = Vec::new();
                let mut blocks = Vec::new();
                for (condition, nodes) in branches {
                    let mut block = Block::new();
                    ends.push(self.branch(nodes, context.clone(), in_layout, &mut block));
                    blocks.push((condition.clone(), block));
                }
                let otherwise = match otherwise {
                    Some(nodes) => {
                        let mut block = Block::new();
                        ends.push(self.branch(nodes, context, in_layout, &mut block));
                        Some(block)
                    }
                    None => {
                        ends.push(context);
                        None
                    }
                };
                out.push(Stmt { kind: StmtKind::If(blocks, otherwise), span: *span });
                let mut ends = ends.into_iter();
                let mut joined = ends.next()??;
                for end in ends {
                    let end = end?;
                    match join(&joined, &end) {
                        Some(context) => joined = context,
                        None => joined = self.disagree(*span, "os ramos deste `if`", joined, end),
                    }
                }
                Some(joined)
            }
            Node::For(first, second, items, nodes, span) => {
                let (block, after) = self.repeat(nodes, context, in_layout, *span);
                let kind = StmtKind::For(first.clone(), second.clone(), items.clone(), block);
                out.push(Stmt { kind, span: *span });
                after
            }
            Node::Include(path, at) => {
                let Some(file) = self.resolve(path, *at) else { return context };
                let template = self.templates.get(&file)?;
                if let Some((_, layout)) = &template.layout {
                    let diagnostic = Diagnostic::error(codes::MISPLACED_TAG, *layout, "um arquivo incluído não pode ter `{% layout %}`");
                    self.report(diagnostic.related(*at, "incluído aqui"));
                }
                self.chain.push(file);
                out.extend(template.code.iter().cloned());
                let after = self.branch(&template.nodes, context.clone(), in_layout, out);
                self.chain.pop();
                // What a part that could not be read leaves open is a guess.
                if self.broken.contains(&file) { Some(Context::any([context?, after?])) } else { after }
            }
        }
    }

    /// The body of a loop: it must end where it starts, since it also starts where it ends.
    fn repeat(&mut self, nodes: &'a [Node], start: Option<Context>, in_layout: bool, span: Span) -> (Block, Option<Context>) {
        let mut block = Block::new();
        let Some(start) = start else {
            self.branch(nodes, None, in_layout, &mut block);
            return (block, None);
        };
        let before = self.diagnostics.len();
        let Some(end) = self.nodes(nodes, start.clone(), in_layout, &mut block) else { return (block, None) };
        let joined = match join(&start, &end) {
            Some(joined) => joined,
            None => self.disagree(span, LOOP, start.clone(), end),
        };
        // With an error in it nothing is escaped, and what it said the first time it would say again.
        if joined == start || self.failed_since(before) {
            return (block, Some(joined));
        }
        // From the second time on it starts from there: that is what its values are escaped for.
        let mut again = Block::new();
        let Some(end) = self.nodes(nodes, joined.clone(), in_layout, &mut again) else { return (again, None) };
        let after = match join(&joined, &end) {
            Some(after) if after == joined || self.failed_since(before) => after,
            _ => self.disagree(span, LOOP, joined, end),
        };
        (again, Some(after))
    }

    /// Whether there are more errors than so many diagnostics had.
    fn failed_since(&self, before: usize) -> bool {
        self.diagnostics.iter().skip(before).any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    fn escape(&mut self, expr: &Expr, span: Span, context: Option<Context>, in_layout: bool) -> (Escape, Option<Context>) {
        let Some(context) = context else { return (Escape::Text, None) };
        if in_layout && matches!(&expr.kind, ExprKind::Name(name) if name == CONTENT) {
            if context != Context::Text {
                let message = format!("`{{{{ {CONTENT} }}}}` não cabe {}", context.describe());
                self.report(Diagnostic::error(codes::TEMPLATE_CONTEXT, span, message));
            }
            return (Escape::Raw, Some(context));
        }
        match context.output() {
            Ok((escape, after)) => (escape, Some(after)),
            Err(error) => {
                self.refused(span, error.refusal);
                (Escape::Text, Some(error.after))
            }
        }
    }

    /// Whether all that leads to this place could be read.
    fn is_told(&self) -> bool {
        !self.chain.iter().skip(self.base).any(|file| self.broken.contains(file))
    }

    fn refused(&mut self, at: Span, refusal: Refusal) {
        if self.is_told() {
            self.report(Diagnostic::error(codes::TEMPLATE_CONTEXT, at, refusal.message).hint(refusal.hint));
        }
    }

    /// Reports that two ways lead to different places; answers that it may be either.
    fn disagree(&mut self, at: Span, what: &str, one: Context, other: Context) -> Context {
        if self.is_told() {
            // The tag alone, not all that it encloses.
            let text = self.files.slice(at);
            let end = text.find("%}").map_or(at.end, |end| at.start + end as u32 + 2);
            let (mut first, mut second) = (one.describe(), other.describe());
            if first == second {
                first.push_str(" (de um jeito)");
                second.push_str(" (de outro)");
            }
            let message = format!("{what} terminam em lugares diferentes da página: {first} e {second}");
            let diagnostic = Diagnostic::error(codes::TEMPLATE_CONTEXT, Span { end, ..at }, message);
            self.report(diagnostic.hint("abra e feche cada tag e cada aspas no mesmo ramo"));
        }
        Context::any([one, other])
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

/// Whether a layout's statements make any use of the page in it.
fn shows_content(block: &Block) -> bool {
    let mut shows = false;
    walk::block(block, &mut |node| {
        shows |= matches!(node, walk::Node::Expr(Expr { kind: ExprKind::Name(name), .. }) if name == CONTENT);
    });
    shows
}

/// Text that makes no `//host` of a `/` before it.
fn starts_no_host(node: &Node) -> bool {
    matches!(node, Node::Text(text, _) if link::starts_no_host(text))
}

fn node_span(node: &Node) -> Span {
    match node {
        Node::Text(_, span) | Node::Output(_, span) | Node::If(_, _, span) | Node::For(_, _, _, _, span) | Node::Include(_, span) => *span,
        Node::Statement(stmt) => stmt.span,
    }
}
