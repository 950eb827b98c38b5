//! The codes of diagnostics, for tools and tests: stable, while messages may be reworded.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $code;)*

        /// Every code.
        pub const ALL: &[&str] = &[$($name),*];
    };
}

codes! {
    /// A character that means nothing here.
    UNEXPECTED_CHARACTER = "caractere-inesperado";
    /// Syntax of another language.
    FOREIGN_SYNTAX = "sintaxe-de-outra-linguagem";
    /// A number that is none, or that does not fit.
    BAD_NUMBER = "numero-invalido";
    /// A String without its closing quotes.
    UNTERMINATED_STRING = "string-sem-fim";
    /// A backslash before something that is no escape.
    BAD_ESCAPE = "escape-invalido";
    /// A brace in a `$"…"` that holds no value.
    BAD_INTERPOLATION = "chaves-na-string";
    /// Tabs and spaces in one file.
    MIXED_INDENTATION = "recuo-misturado";
    /// Indentation that fits no block.
    BAD_INDENTATION = "recuo-invalido";
    /// A bracket without its other half.
    UNMATCHED_BRACKET = "parenteses";
    /// A tag that starts one way and ends another.
    WRONG_TAG_END = "fim-de-marca";
    /// A tag, or the block it opens, without an end.
    UNCLOSED_TAG = "marca-sem-fim";
    /// A tag with nothing in it.
    EMPTY_TAG = "marca-vazia";
    /// A tag where it cannot stand.
    MISPLACED_TAG = "marca-fora-de-lugar";
    /// `else`, `elif`, `catch` or `end` without what they belong to.
    STRAY_BRANCH = "ramo-solto";
    /// Something else was expected.
    UNEXPECTED_TOKEN = "token-inesperado";
    /// A reserved word as a name.
    RESERVED_WORD = "palavra-reservada";
    /// Nesting or size beyond what the compiler takes.
    TOO_DEEP = "limite-de-tamanho";
    /// `a < b < c`
    CHAINED_COMPARISON = "comparacao-encadeada";
    /// A `:` that calls nothing.
    MISPLACED_COLON = "dois-pontos";
    /// A call as other languages write it.
    FOREIGN_CALL = "chamada-com-parenteses";
    /// A `|` whose right side calls nothing.
    PIPE_WITHOUT_CALL = "barra-sem-chamada";
    /// A Map's key that is no String.
    BAD_MAP_KEY = "chave-de-map";
    /// A field or parameter without a type.
    MISSING_TYPE = "tipo-faltando";
    /// A type that is badly written.
    BAD_TYPE = "tipo-invalido";
    /// Something that cannot be assigned to.
    BAD_TARGET = "atribuicao-invalida";
    /// A line that does nothing.
    USELESS_EXPRESSION = "linha-sem-efeito";
    /// A header without a block.
    EMPTY_BODY = "bloco-vazio";
    /// Something in `core/` that declares nothing.
    NOT_A_DECLARATION = "fora-de-declaracao";
    /// A declaration outside `core/`.
    MISPLACED_DECLARATION = "declaracao-fora-de-lugar";
    /// A file that is not UTF-8.
    NOT_UTF8 = "nao-e-utf8";
    /// A file beyond the size limit.
    FILE_TOO_LARGE = "arquivo-grande";
    /// A name or key given twice.
    DUPLICATE_NAME = "nome-repetido";
    /// A name that already means something.
    RESERVED_NAME = "nome-ocupado";
    /// A name that nothing declares.
    UNKNOWN_NAME = "nome-desconhecido";
    /// A type that nothing declares.
    UNKNOWN_TYPE = "tipo-desconhecido";
    /// A field that a struct does not have.
    UNKNOWN_FIELD = "campo-desconhecido";
    /// A field or key that has to be there.
    MISSING_FIELD = "campo-faltando";
    /// A key that a Map of options does not have.
    UNKNOWN_KEY = "chave-desconhecida";
    /// A struct, module or builtin where a value is wanted.
    NOT_A_VALUE = "nao-e-valor";
    /// A call of what is no function.
    NOT_A_FUNCTION = "nao-e-funcao";
    /// Too many or too few arguments.
    WRONG_ARGUMENT_COUNT = "numero-de-argumentos";
    /// A value that is surely of the wrong type.
    WRONG_TYPE = "tipo-errado";
    /// A position that is surely not there.
    BAD_INDEX = "posicao-invalida";
    /// A literal argument that is not one of those allowed.
    BAD_ARGUMENT = "argumento-invalido";
    /// A local that is read before it has a value.
    READ_BEFORE_ASSIGNED = "lido-sem-valor";
    /// `break` or `continue` outside a loop.
    OUTSIDE_LOOP = "fora-de-laco";
    /// An expression where only a literal can stand.
    NOT_A_LITERAL = "nao-e-literal";
    /// A constraint that does not fit its type.
    BAD_CONSTRAINT = "restricao-invalida";
    /// A default or example that its own type refuses.
    BAD_DEFAULT = "padrao-invalido";
    /// A struct that contains itself.
    ENDLESS_STRUCT = "struct-sem-fim";
    /// A `nocall` field that an input could never fill.
    HIDDEN_REQUIRED = "nocall-sem-padrao";
    /// A value where a page cannot take one safely.
    TEMPLATE_CONTEXT = "lugar-na-pagina";
    /// Templates that include each other without end.
    INCLUDE_CYCLE = "inclusao-sem-fim";
    /// A file that is not there.
    MISSING_FILE = "arquivo-faltando";
    /// A line of `rotas.djo` that is no route.
    NOT_A_ROUTE = "nao-e-rota";
    /// A route that is badly written.
    BAD_ROUTE = "rota-invalida";
    /// A route's path that is badly written, or reserved.
    BAD_PATH = "caminho-invalido";
    /// A route to an action that is not there.
    UNKNOWN_ACTION = "action-desconhecida";
    /// A path parameter that the action cannot take.
    PATH_PARAMETER = "parametro-do-caminho";
    /// Routes that can never be told apart.
    ROUTE_CONFLICT = "rotas-iguais";
    /// Two routes that give tools of one name.
    TOOL_CLASH = "ferramentas-iguais";
    /// An option that does nothing where it stands.
    NO_EFFECT = "sem-efeito";
}
