//! Source text to syntax tree.

pub(crate) mod lexer;
pub(crate) mod parser;
pub(crate) mod token;

/// Deepest nesting of brackets, prefix operators and blocks in source: the compiler recurses on them.
pub(crate) const MAX_NESTING: u32 = 64;

/// Deepest expression tree, chains of operators and members included.
pub(crate) const MAX_DEPTH: u32 = 160;

/// What a function of one expression is not.
pub(crate) const LAMBDA_HINT: &str =
    "`(x -> …)` tem uma expressão só, que é o que ela devolve; com comandos, escreva uma `f` em `core/` e passe o nome dela";
