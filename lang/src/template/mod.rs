//! Pages written as HTML with `{{ … }}` and `{% … %}`: parsed to nodes, then expanded to a block of statements
//! with includes and layout in place and each value escaped for where it stands.

mod context;
mod expand;
mod html;
mod join;
mod parse;
mod recover;
mod script;
#[cfg(test)]
mod tests;
mod url;

pub(crate) use self::{expand::Expander, parse::parse_template};

use crate::ast::{Block, Expr, Name, Span, Stmt};

/// A parsed template file.
#[derive(Debug, Default)]
pub(crate) struct Template {
    /// `{% layout "…" %}`: the path and where it is written.
    pub(crate) layout: Option<(String, Span)>,
    /// `{% djo %}`
    pub(crate) code: Block,
    /// Where `{% djo %}` stands.
    pub(crate) code_span: Option<Span>,
    /// What follows.
    pub(crate) nodes: Vec<Node>,
}

/// A piece of a template.
#[derive(Debug)]
pub(crate) enum Node {
    Text(String, Span),
    /// `{{ e }}`
    Output(Expr, Span),
    /// An assignment or a call.
    Statement(Stmt),
    /// Conditions with their nodes, then those of `{% else %}`.
    If(Vec<(Expr, Vec<Node>)>, Option<Vec<Node>>, Span),
    For(Name, Option<Name>, Expr, Vec<Node>, Span),
    /// `{% include "…" %}`
    Include(String, Span),
}
