//! One function or page: which names are locals, what is known of them, and a walk over its statements.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use djo_contract::{
    types::{Field, Types},
    value::Value,
};

use super::{
    assignments::{Source, assigned_names, each_assignment},
    settled::is_settled,
    shape::{Given, Shape},
    symbols::{Declarations, Symbol, is_language_name},
};
use crate::{
    ast::{Block, Expr, ExprKind, Name, Span, Stmt, StmtKind},
    diagnostic::{Diagnostic, codes},
    source::Files,
    syntax::parser::LINE_COLON_HINT,
    walk,
};

/// A function as callers see it.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) params: Vec<Field>,
    /// Indices of the parameters that a call gives: all but injected and hidden ones.
    pub(crate) given: Vec<usize>,
    /// Least number of arguments: trailing defaults may be left out.
    pub(crate) least: usize,
}

/// What every unit of the site is checked against.
pub(crate) struct World<'a> {
    pub(crate) files: &'a Files,
    pub(crate) declarations: &'a Declarations,
    pub(crate) types: &'a Types,
    pub(crate) signatures: &'a [Signature],
    pub(crate) consts: &'a [(String, Value)],
    /// Functions that code calls or hands over, by index.
    pub(crate) used: RefCell<BTreeSet<usize>>,
}

/// Checks the body of a function or page.
pub(crate) fn check_unit(world: &World<'_>, params: &[(Name, Shape)], body: &Block, diagnostics: &mut Vec<Diagnostic>) {
    let mut unit = Unit {
        world,
        locals: BTreeMap::new(),
        assigned: BTreeSet::new(),
        arities: BTreeMap::new(),
        shapes: HashMap::new(),
        settled: is_settled(world.declarations, body),
        line_colon: None,
        called: None,
        includes_unread: false,
        loops: 0,
        silent: false,
        diagnostics,
    };
    for (name, shape) in params {
        unit.declare(name);
        unit.locals.insert(name.text.clone(), shape.clone());
        unit.assigned.insert(name.text.clone());
    }
    let names = assigned_names(body);
    for name in &names {
        unit.locals.entry(name.text.clone()).or_insert(Shape::Unknown);
    }
    // The first place that takes a name says so; the others would repeat it.
    let mut seen: BTreeSet<String> = params.iter().map(|(name, _)| name.text.clone()).collect();
    for name in names {
        if seen.insert(name.text.clone()) {
            unit.declare(name);
        }
    }
    unit.infer(params, body);
    unit.forgive(body);
    unit.block(body);
}

pub(super) struct Unit<'a, 'w> {
    pub(super) world: &'w World<'w>,
    /// Every name that the unit gives a value to somewhere.
    pub(super) locals: BTreeMap<String, Shape>,
    /// Those that may have one here.
    pub(super) assigned: BTreeSet<String>,
    /// Of locals that are only ever given functions that all take as many arguments: the least and the most.
    pub(super) arities: BTreeMap<String, (usize, usize)>,
    /// What has been found out about the values of literal Maps, which structs look at again.
    pub(super) shapes: HashMap<Span, Shape>,
    /// No Arr changes while this runs: a local's items are those that it was given.
    pub(super) settled: bool,
    /// The call that is only a line's stray `:`.
    pub(super) line_colon: Option<Span>,
    /// What is being called, and the whole call.
    pub(super) called: Option<(Span, Span)>,
    /// A file may be missing here, with any name.
    pub(super) includes_unread: bool,
    loops: u32,
    /// Only shapes are wanted: nothing is reported, nor looked for to report.
    pub(super) silent: bool,
    pub(super) diagnostics: &'a mut Vec<Diagnostic>,
}

impl Unit<'_, '_> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.silent {
            self.diagnostics.push(diagnostic);
        }
    }

    /// A local may not take a name that already means something.
    pub(super) fn declare(&mut self, name: &Name) {
        if name.text.is_empty() {
            return;
        }
        if is_language_name(&name.text) {
            let message = format!("`{}` é um nome da linguagem e não pode ser variável", name.text);
            self.report(Diagnostic::error(codes::RESERVED_NAME, name.span, message).hint("escolha outro nome"));
            return;
        }
        let what = match self.world.declarations.find(&name.text) {
            None => return,
            Some(Symbol::Function(_)) => "uma função",
            Some(Symbol::Struct(_)) => "uma struct",
            Some(Symbol::Const(_)) => "uma constante, que não muda",
        };
        let message = format!("`{}` já é {what}", name.text);
        let mut diagnostic = Diagnostic::error(codes::RESERVED_NAME, name.span, message).hint("dê outro nome à variável");
        if let Some(span) = self.world.declarations.span(&name.text) {
            diagnostic = diagnostic.related(span, "declarado aqui");
        }
        self.report(diagnostic);
    }

    /// Learns the shape of locals that every assignment gives the same shape.
    fn infer(&mut self, params: &[(Name, Shape)], body: &Block) {
        let mut shapes: BTreeMap<String, Shape> = params.iter().map(|(name, shape)| (name.text.clone(), shape.clone())).collect();
        // Shapes of right-hand sides are taken with nothing known of locals but parameters that are never assigned.
        let mut found = Vec::new();
        each_assignment(body, &mut |name, source| found.push((name.text.clone(), source)));
        let reassigned: BTreeSet<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        for (name, shape) in &mut self.locals {
            if reassigned.contains(name.as_str()) {
                *shape = Shape::Unknown;
            }
        }
        let mut nowhere = Vec::new();
        let mut peek = Unit {
            world: self.world,
            assigned: self.locals.keys().cloned().collect(),
            arities: BTreeMap::new(),
            locals: self.locals.clone(),
            shapes: HashMap::new(),
            settled: self.settled,
            line_colon: None,
            called: None,
            includes_unread: false,
            loops: 0,
            silent: true,
            diagnostics: &mut nowhere,
        };
        let mut arities: BTreeMap<String, Option<(usize, usize)>> = params.iter().map(|(name, _)| (name.text.clone(), None)).collect();
        for (name, source) in &found {
            let arity = match source {
                Source::Value(expr) => peek.arity(expr).map(|(_, least, most)| (least, most)),
                _ => None,
            };
            let known = arities.entry(name.clone()).or_insert(arity);
            *known = known.filter(|known| Some(*known) == arity);
            let shape = match source {
                Source::Value(expr) => peek.expr(expr),
                Source::Item(expr) => match peek.expr(expr) {
                    Shape::Arr(item) => *item,
                    _ => Shape::Unknown,
                },
                Source::Error => Shape::Map,
                Source::Other => Shape::Unknown,
            };
            let joined = match shapes.remove(name) {
                Some(before) => before.join(shape),
                None => shape,
            };
            shapes.insert(name.clone(), joined);
        }
        self.locals.extend(shapes);
        self.arities = arities.into_iter().filter_map(|(name, arity)| Some((name, arity?))).collect();
    }

    /// What lines that could not be read may have named is known to exist, and no more.
    fn forgive(&mut self, body: &Block) {
        let declarations = self.world.declarations;
        walk::block(body, &mut |node| {
            let walk::Node::Stmt(Stmt { kind: StmtKind::Unread(unread, _), .. }) = node else { return };
            self.includes_unread |= unread.includes;
            for word in unread.words.iter().filter(|word| declarations.find(word).is_none() && !is_language_name(word)) {
                self.locals.entry(word.clone()).or_insert(Shape::Unknown);
                self.assigned.insert(word.clone());
            }
            for name in &unread.bound {
                if let Some(shape) = self.locals.get_mut(name) {
                    *shape = Shape::Unknown;
                }
                self.arities.remove(name);
            }
        });
    }

    pub(super) fn block(&mut self, block: &Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(name, value) => {
                self.expr(value);
                self.assigned.insert(name.text.clone());
            }
            StmtKind::AssignField(base, field, value) => {
                self.keep_constant(base);
                let shape = self.expr(base);
                self.field(&shape, field, base.span);
                let given = self.expr(value);
                self.expect_field_type(&shape, &field.text, &given, value);
            }
            StmtKind::AssignIndex(base, index, value) => {
                self.keep_constant(base);
                let (shape, _) = self.indexed(base, index);
                let given = self.expr(value);
                self.expect_changeable(&shape, base);
                if let ExprKind::Str(field) = &index.kind {
                    self.expect_field_type(&shape, field, &given, value);
                }
            }
            StmtKind::Update(target, op, value) => {
                self.keep_constant(target);
                let shape = match &target.kind {
                    ExprKind::Index(base, index) => {
                        let (whole, shape) = self.indexed(base, index);
                        self.expect_changeable(&whole, base);
                        shape
                    }
                    _ => self.expr(target),
                };
                let given = self.expr(value);
                let result = self.binary(*op, shape, given, stmt.span);
                self.update_field(target, &result, value.span);
            }
            StmtKind::If(branches, otherwise) => {
                for (condition, block) in branches {
                    self.condition(condition);
                    self.block(block);
                }
                if let Some(block) = otherwise {
                    self.block(block);
                }
            }
            StmtKind::For(first, second, items, block) => {
                let shape = self.header(items);
                if matches!(shape, Shape::Int | Shape::Float | Shape::Bool | Shape::Nil | Shape::Str | Shape::Struct(_) | Shape::Function) {
                    let name = shape.name(self.world.types);
                    let diagnostic =
                        Diagnostic::error(codes::WRONG_TYPE, items.span, format!("`for` percorre um Arr ou Map, mas veio {name}"));
                    let hint = match shape {
                        Shape::Str => Some("para as linhas, `String.lines:`; para partes, `String.split:`".to_owned()),
                        Shape::Int => Some("para contar, use `while`".to_owned()),
                        _ => None,
                    };
                    self.report(diagnostic.maybe_hint(hint));
                }
                self.assigned.insert(first.text.clone());
                if let Some(second) = second {
                    self.assigned.insert(second.text.clone());
                    if second.text == first.text && !first.text.is_empty() {
                        let message = format!("as duas variáveis se chamam `{}`", first.text);
                        self.report(Diagnostic::error(codes::DUPLICATE_NAME, second.span, message).related(first.span, "a primeira"));
                    }
                }
                self.repeat(block);
            }
            StmtKind::While(condition, block) => {
                // What the body assigns has a value from the second time on.
                self.assigned.extend(assigned_names(block).into_iter().map(|name| name.text.clone()));
                self.condition(condition);
                self.repeat(block);
            }
            StmtKind::Break | StmtKind::Continue => {
                if self.loops == 0 {
                    let word = if stmt.kind == StmtKind::Break { "break" } else { "continue" };
                    let message = format!("`{word}` fora de um laço");
                    self.report(Diagnostic::error(codes::OUTSIDE_LOOP, stmt.span, message).hint("só cabe dentro de `for` ou `while`"));
                }
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.expr(value);
                }
            }
            StmtKind::Try(body, name, handler) => {
                self.block(body);
                self.assigned.insert(name.text.clone());
                self.block(handler);
            }
            // A line that is a name alone was reported for that.
            StmtKind::Expr(Expr { kind: ExprKind::Name(_), .. }) => {}
            StmtKind::Expr(expr) => {
                if let ExprKind::Call(callee, arguments) = &expr.kind
                    && matches!(self.world.files.slice(callee.span), "Arr.push" | "Map.del")
                {
                    arguments.first().into_iter().for_each(|changed| self.keep_constant(changed));
                }
                self.expr(expr);
            }
            StmtKind::Output(expr, _) => {
                let shape = self.expr(expr);
                self.expect_text(&shape, expr.span);
            }
            StmtKind::Text(_) => {}
            StmtKind::Capture(name, block) => {
                self.block(block);
                self.assigned.insert(name.text.clone());
            }
            // It may have been a loop.
            StmtKind::Unread(_, block) => self.repeat(block),
        }
    }

    /// What a field of a struct is given must be of its type.
    fn expect_field_type(&mut self, structure: &Shape, field: &str, given: &Shape, value: &Expr) {
        if let Shape::Struct(index) = structure
            && let Some(known) = self.world.types.get(*index).fields.iter().find(|known| known.name == field)
        {
            self.expect_type(given, &known.ty, Given::ByCode, value, &format!("o campo `{field}`"));
        }
    }

    /// Letters of a String have no places to write to.
    fn expect_changeable(&mut self, whole: &Shape, base: &Expr) {
        if *whole == Shape::Str {
            let diagnostic = Diagnostic::error(codes::BAD_TARGET, base.span, "uma String não muda");
            self.report(diagnostic.hint("faça outra: `String.replace:s:de:para`, ou `String.slice:` e `+`"));
        }
    }

    /// Reports what would change a part of a constant: each use of one is a value of its own, and the change would be lost.
    fn keep_constant(&mut self, place: &Expr) {
        let mut base = place;
        while let ExprKind::Member(inner, _) | ExprKind::Index(inner, _) = &base.kind {
            base = inner;
        }
        let ExprKind::Name(name) = &base.kind else { return };
        if !matches!(self.world.declarations.find(name), Some(Symbol::Const(_))) {
            return;
        }
        let diagnostic = Diagnostic::error(codes::BAD_TARGET, base.span, format!("`{name}` é uma constante, que não muda"));
        let diagnostic = diagnostic.hint(format!("mude uma cópia: `x = {name}`"));
        self.report(match self.world.declarations.span(name) {
            Some(span) => diagnostic.related(span, "declarada aqui"),
            None => diagnostic,
        });
    }

    /// What `+=` or `-=` makes of a field of a struct must be of the field's type.
    fn update_field(&mut self, target: &Expr, result: &Shape, span: Span) {
        let (base, field) = match &target.kind {
            ExprKind::Member(base, field) => (base, &field.text),
            ExprKind::Index(base, index) if let ExprKind::Str(field) = &index.kind => (base, field),
            _ => return,
        };
        let silent = std::mem::replace(&mut self.silent, true);
        let shape = self.expr(base);
        self.silent = silent;
        if let Shape::Struct(index) = shape
            && let Some(known) = self.world.types.get(index).fields.iter().find(|known| known.name == *field)
            && result.clashes(&known.ty, Given::ByCode)
        {
            let types = self.world.types;
            let (wanted, came) = (super::types::type_name(&known.ty, types), result.name(types));
            let message = format!("o campo `{field}` deve ser {wanted}, mas passaria a {came}");
            self.report(Diagnostic::error(codes::WRONG_TYPE, span, message));
        }
    }

    fn repeat(&mut self, block: &Block) {
        self.assigned.extend(assigned_names(block).into_iter().map(|name| name.text.clone()));
        self.loops += 1;
        self.block(block);
        self.loops -= 1;
    }

    fn condition(&mut self, condition: &Expr) {
        let shape = self.header(condition);
        self.expect_bool(&shape, condition, "uma condição");
    }

    pub(super) fn expect_bool(&mut self, shape: &Shape, expr: &Expr, what: &str) {
        if matches!(shape, Shape::Unknown | Shape::Bool) {
            return;
        }
        let name = shape.name(self.world.types);
        let hint = match shape {
            Shape::Str => Some("compare: `texto != \"\"`"),
            Shape::Int | Shape::Float => Some("compare: `n != 0`"),
            Shape::Nil | Shape::Struct(_) => Some("compare: `x != nil`"),
            Shape::Arr(_) => Some("compare o tamanho: `Arr.len:xs > 0`"),
            Shape::Map => Some("compare o tamanho: `Map.len:m > 0`"),
            Shape::Function => Some("para chamar a função, ponha `:` depois do nome"),
            _ => None,
        };
        let message = format!("{what} deve ser Bool, mas veio {name}");
        self.report(Diagnostic::error(codes::WRONG_TYPE, expr.span, message).maybe_hint(hint.map(str::to_owned)));
    }

    /// What opens a block: a condition, or what `for` goes through. A `:` at its end is no call.
    fn header(&mut self, header: &Expr) -> Shape {
        self.line_colon = self.stray_line_colon(header);
        let shape = self.expr(header);
        self.line_colon = None;
        shape
    }

    /// `if ok:`: reports the last call of a header, without arguments and with the line's end after it, of what no function
    /// is declared for.
    fn stray_line_colon(&mut self, header: &Expr) -> Option<Span> {
        let mut last = header;
        while let ExprKind::And(_, right)
        | ExprKind::Or(_, right)
        | ExprKind::Coalesce(_, right)
        | ExprKind::Binary(_, _, right)
        | ExprKind::Not(right) = &last.kind
        {
            last = right;
        }
        let ExprKind::Call(callee, arguments) = &last.kind else { return None };
        let base = base_name(callee)?;
        let declarations = self.world.declarations;
        let callable = matches!(declarations.find(base), Some(Symbol::Function(_) | Symbol::Struct(_)))
            || is_language_name(base)
            || declarations.is_broken(base);
        if callable || !arguments.is_empty() || self.world.files.slice(last.span).starts_with('(') {
            return None;
        }
        let rest = self.world.files.text(last.span.file).get(last.span.end as usize..).unwrap_or("");
        let rest = rest.split('\n').next().unwrap_or("").trim();
        if !rest.is_empty() && !rest.starts_with("//") && !rest.starts_with("%}") {
            return None;
        }
        let colon = Span { start: last.span.end.saturating_sub(1), ..last.span };
        let mut hint = LINE_COLON_HINT.to_owned();
        if self.is_local(base) {
            let name = self.world.files.slice(callee.span);
            hint = format!("{hint}; para chamar a função guardada em `{name}`, escreva `({name}:)`");
        }
        self.report(Diagnostic::error(codes::MISPLACED_COLON, colon, "`:` fora de lugar").hint(hint));
        Some(last.span)
    }

    pub(super) fn is_local(&self, name: &str) -> bool {
        self.locals.contains_key(name) && self.world.declarations.find(name).is_none() && !is_language_name(name)
    }
}

/// The name at the start of a chain of members.
pub(super) fn base_name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Member(base, _) => base_name(base),
        _ => None,
    }
}
