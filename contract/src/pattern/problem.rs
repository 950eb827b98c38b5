//! What is wrong with a pattern, in Portuguese.

use regex_syntax::{Error, ast, hir};

/// The parser's finding, for the site's author.
pub(super) fn problem(error: &Error) -> &'static str {
    match error {
        Error::Parse(error) => syntax(error.kind()),
        Error::Translate(error) => meaning(error.kind()),
        _ => UNKNOWN,
    }
}

const UNKNOWN: &str = "não é uma expressão regular";

fn syntax(kind: &ast::ErrorKind) -> &'static str {
    use ast::ErrorKind as Kind;
    match kind {
        Kind::CaptureLimitExceeded => "grupos demais",
        Kind::ClassEscapeInvalid => "este escape não vale dentro de `[…]`",
        Kind::ClassRangeInvalid => "intervalo invertido em `[…]`: o começo vem depois do fim",
        Kind::ClassRangeLiteral => "as pontas de um intervalo em `[…]` são caracteres",
        Kind::ClassUnclosed => "falta um `]`",
        Kind::DecimalEmpty | Kind::RepetitionCountDecimalEmpty => "falta o número em `{…}`",
        Kind::DecimalInvalid => "número inválido",
        Kind::EscapeHexEmpty => "faltam os dígitos depois de `\\x`",
        Kind::EscapeHexInvalid => "o número depois de `\\x` não é o de um caractere",
        Kind::EscapeHexInvalidDigit => "dígito inválido depois de `\\x`",
        Kind::EscapeUnexpectedEof => "o padrão acaba numa `\\`",
        Kind::EscapeUnrecognized => "este escape não existe",
        Kind::FlagDanglingNegation => "falta a opção depois de `-` em `(?…)`",
        Kind::FlagDuplicate { .. } => "opção repetida em `(?…)`",
        Kind::FlagRepeatedNegation { .. } => "`-` repetido em `(?…)`",
        Kind::FlagUnexpectedEof => "`(?` sem o resto",
        Kind::FlagUnrecognized => "esta opção não existe em `(?…)`",
        Kind::GroupNameDuplicate { .. } => "dois grupos com o mesmo nome",
        Kind::GroupNameEmpty => "falta o nome do grupo",
        Kind::GroupNameInvalid => "caractere inválido no nome do grupo",
        Kind::GroupNameUnexpectedEof => "falta um `>` depois do nome do grupo",
        Kind::GroupUnclosed => "falta um `)`",
        Kind::GroupUnopened => "`)` sem um `(` antes",
        Kind::NestLimitExceeded(_) => "parênteses ou repetições demais, uns dentro dos outros",
        Kind::RepetitionCountInvalid => "repetição invertida em `{…}`: o mínimo é maior que o máximo",
        Kind::RepetitionCountUnclosed => "falta um `}` na repetição",
        Kind::RepetitionMissing => "falta o que repetir antes de `*`, `+`, `?` ou `{…}`",
        Kind::SpecialWordBoundaryUnclosed | Kind::SpecialWordBoundaryUnrecognized | Kind::SpecialWordOrRepetitionUnexpectedEof => {
            "`\\b{…}` não existe em RE2"
        }
        Kind::UnicodeClassInvalid => "classe inválida depois de `\\p`",
        Kind::UnsupportedBackreference => "referências a grupos, como `\\1`, não existem em RE2",
        Kind::UnsupportedLookAround => "`(?=`, `(?!`, `(?<=` e `(?<!` não existem em RE2",
        _ => UNKNOWN,
    }
}

fn meaning(kind: &hir::ErrorKind) -> &'static str {
    use hir::ErrorKind as Kind;
    match kind {
        Kind::UnicodePropertyNotFound => "a propriedade depois de `\\p` não existe",
        Kind::UnicodePropertyValueNotFound => "o valor da propriedade depois de `\\p` não existe",
        Kind::UnicodePerlClassNotFound | Kind::UnicodeCaseUnavailable | Kind::UnicodeNotAllowed => "esta classe de Unicode não serve aqui",
        Kind::InvalidUtf8 | Kind::InvalidLineTerminator => "bytes que não são texto",
        _ => UNKNOWN,
    }
}
