//! What is wrong with a `site.toml`.

use std::{fmt, io, ops::Range};

/// A `site.toml` that cannot be used. Its text is for the site's author: Portuguese, one line for each problem.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read, or is not UTF-8.
    #[error("site.toml: não pode ser lido: {0}")]
    Read(#[source] io::Error),
    /// It is a folder, a pipe or a device.
    #[error("site.toml: não é um arquivo comum")]
    NotRegular,
    /// It is a link that leads out of the site's folder.
    #[error("site.toml: é um link que leva para fora da pasta do site")]
    Outside,
    /// The file is too large to be settings.
    #[error("site.toml: tem {size} bytes; o máximo é {max}")]
    TooLarge {
        /// Its bytes.
        size: u64,
        /// The most there may be.
        max: u64,
    },
    /// Problems in the text, in its order.
    #[error("{}", Listed(.0))]
    Problems(Vec<ConfigProblem>),
}

/// One thing that is wrong in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// From 1.
    pub line: usize,
    /// In code points, from 1.
    pub column: usize,
    /// The bytes concerned.
    pub span: Range<usize>,
    /// What is wrong: lower case, without a full stop.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl ConfigProblem {
    pub(super) fn new(text: &str, span: Range<usize>, message: String, hint: Option<String>) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        Self { line, column: before[line_start..].chars().count() + 1, span, message, hint }
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "site.toml:{}:{}: {}", self.line, self.column, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

struct Listed<'a>(&'a [ConfigProblem]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}
