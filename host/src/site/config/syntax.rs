//! What the TOML parser says of a text that is none, for its author: in Portuguese, as everything about a `site.toml`.

/// What the parser says, without what it would have expected, and what is told.
const PORTUGUESE: [(&str, &str); 36] = [
    ("`_` may only go between digits", "`_` só pode ficar entre dígitos"),
    ("carriage return must be followed by newline", "um CR precisa de um LF depois dele"),
    ("duplicate key", "esta chave já apareceu"),
    ("extra `=`", "`=` sobrando"),
    ("extra assignment between key-value pairs", "`=` sobrando"),
    ("extra comma in array", "vírgula sobrando na lista"),
    ("extra comma in inline table", "vírgula sobrando na tabela"),
    ("invalid comment character", "um comentário só pode ter texto"),
    ("invalid key-value pair", "isto não é `chave = valor`"),
    ("invalid mantissa", "este número não é válido"),
    ("invalid unquoted key", "uma chave sem aspas só pode ter letras, dígitos, `_` e `-`"),
    ("invalid value", "este valor não é válido"),
    ("key with no value", "falta `= valor` depois da chave"),
    ("keys cannot be multi-line basic strings", "uma chave cabe numa linha só"),
    ("keys cannot be multi-line literal strings", "uma chave cabe numa linha só"),
    ("missing assignment between key-value pairs", "falta `=` depois da chave"),
    ("missing comma between array elements", "falta uma vírgula entre os itens da lista"),
    ("missing comma between key-value pairs", "falta uma vírgula entre as chaves"),
    ("missing escaped value", "falta o que vem depois de `\\`"),
    ("missing key for inline table element", "falta a chave"),
    ("missing opening quote", "faltam as aspas do começo"),
    ("missing value", "falta o valor"),
    ("missing value for key", "falta o valor desta chave"),
    ("redundant integer number prefix", "este número não é válido"),
    (
        "string values must be quoted",
        "um valor é um texto entre aspas, um número, `true`, `false` ou uma lista, e cada chave fica na sua linha",
    ),
    ("too few unicode value digits", "faltam dígitos depois de `\\u`"),
    ("unclosed array", "falta o `]` da lista"),
    ("unclosed array table", "falta o `]]` da tabela"),
    ("unclosed inline table", "falta o `}` da tabela"),
    ("unclosed table", "falta o `]` da tabela"),
    ("unexpected `=` in array", "`=` dentro de uma lista"),
    ("unexpected content", "isto não cabe aqui"),
    ("unexpected key or value", "cada chave fica na sua linha"),
    ("unexpected leading zero", "um número não começa com zero"),
    ("unexpected sign", "sinal sobrando"),
    ("unquoted keys cannot be empty", "falta a chave antes do `=`"),
];

/// What is wrong, for the author.
pub(super) fn told(message: &str) -> String {
    let said = message.split(", expected").next().unwrap_or(message);
    let told = PORTUGUESE.iter().find(|(english, _)| *english == said).map_or("isto não é TOML válido", |(_, portuguese)| portuguese);
    format!("TOML inválido: {told}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::site::config::SiteConfig;

    #[test]
    fn what_is_wrong_is_told_in_portuguese() {
        let texts = [
            "[limits\nmemory_mb = 64",
            "hosts = [\"a.test\"",
            "hosts = [\"a.test\" \"b.test\"]",
            "hosts = [\"a.test\",,]",
            "hosts",
            "hosts =",
            "= 1",
            "hosts = [] # a\nhosts = []",
            "isolation = reuse",
            "isolation = \"reuse",
            "a b = 1",
            "[limits]\nmemory_mb = 64 cpu_ms = 3\ncpu_ms == 1",
            "isolation = \"reuse\" hosts = []",
            "outbound = { allow = [] ",
        ];
        let told = texts.map(|text| format!("{text}\n    {}", SiteConfig::parse(text).unwrap_err().to_string().replace('\n', "\n    ")));
        insta::assert_snapshot!(told.join("\n\n"));
    }
}
