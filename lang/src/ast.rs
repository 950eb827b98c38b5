//! The syntax tree. Templates and code share it: a page is a block of statements, some of which write text.

/// A file of the site, as an index into the build's source list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A byte range of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// Its text.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A declaration of `core/`.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `const NAME = literal`
    Const(ConstDecl),
    /// `struct Name` and its fields
    Struct(StructDecl),
    /// `f name` or `action name`
    Function(FunctionDecl),
}

/// `const NAME = literal`
#[derive(Clone, Debug, PartialEq)]
pub struct ConstDecl {
    /// The constant's name.
    pub name: Name,
    /// A literal (with a sign, or an Arr or Map of literals).
    pub value: Expr,
}

/// `struct Name`
#[derive(Clone, Debug, PartialEq)]
pub struct StructDecl {
    /// Its name.
    pub name: Name,
    /// The String right below the name.
    pub description: Option<String>,
    /// Its fields, in order.
    pub fields: Vec<FieldDecl>,
}

/// `[nocall] nome[Tipo, constraints] [= literal] ["descrição"]`
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDecl {
    /// `nocall`
    pub hidden: bool,
    /// Its name.
    pub name: Name,
    /// Absent only for untyped parameters of `f`.
    pub ty: Option<TypeExpr>,
    /// `min: 1`, `enum: [..]`, `inject: ".."`, in order.
    pub constraints: Vec<(Name, Expr)>,
    /// The literal after `=`.
    pub default: Option<Expr>,
    /// The trailing String.
    pub description: Option<String>,
    /// The whole declaration.
    pub span: Span,
}

/// A written type.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// What it names.
    pub kind: TypeKind,
    /// A trailing `?`.
    pub optional: bool,
    /// Its place.
    pub span: Span,
}

/// What a written type names.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `Int`, `Float`, `String`, `Bool`, bare `Arr`, bare `Map`, or a struct.
    Named(Name),
    /// `Arr[T]`
    Arr(Box<TypeExpr>),
    /// `Map[T]`
    Map(Box<TypeExpr>),
    /// What could not be read.
    Unread,
}

/// `f` or `action`.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDecl {
    /// Declared with `action`.
    pub action: bool,
    /// Its name.
    pub name: Name,
    /// The String right below the name.
    pub description: Option<String>,
    /// Its parameters.
    pub params: Vec<FieldDecl>,
    /// Its statements.
    pub body: Block,
}

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Its place; the file matters, since included templates stand inline.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `x = e`
    Assign(Name, Expr),
    /// `base.field = e`
    AssignField(Expr, Name, Expr),
    /// `base[index] = e`
    AssignIndex(Expr, Expr, Expr),
    /// `base.field += e`, `base[index] -= e`: the base and index are evaluated once. (Of a name it is an `Assign`.)
    Update(Expr, BinaryOp, Expr),
    /// `if` and its `elif`s, then `else`
    If(Vec<(Expr, Block)>, Option<Block>),
    /// `for x in e`, or `for i, x in e`: with one name, items of an Arr or keys of a Map; with two, index or key, and value
    For(Name, Option<Name>, Expr, Block),
    /// `while e`
    While(Expr, Block),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return [e]`; ends the page when it stands in a page
    Return(Option<Expr>),
    /// `try` block `catch name` block
    Try(Block, Name, Block),
    /// A call alone.
    Expr(Expr),
    /// Template: literal text, written as is.
    Text(String),
    /// Template: `{{ e }}`, escaped for where it stands.
    Output(Expr, Escape),
    /// Template: runs the block, and binds what it wrote to the name instead of writing it (a layout's `conteudo`).
    Capture(Name, Block),
    /// What could not be read, and the block under it; never reaches lowering.
    Unread(Unread, Block),
}

/// What is left of a line or tag with an error of syntax: nothing is said of names that it may have brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unread {
    /// Every word in it, any of which may have become a local.
    pub words: Vec<String>,
    /// Those of them that may have been given a value.
    pub bound: Vec<String>,
    /// It may have brought in a file, with any name.
    pub includes: bool,
}

/// The place of a value in a page, which decides how it is escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// As is: a layout's `{{ conteudo }}`. (`Html.raw:` values are raw in `Text` and `Attribute` anyway.)
    Raw,
    /// Element content (also `<title>`, `<textarea>`).
    Text,
    /// A quoted attribute value.
    Attribute,
    /// The start of a quoted URL attribute: an active scheme becomes `#`; then as `Attribute`.
    Url,
    /// A path or other middle part of a URL attribute: percent-encoded except for `/` and unreserved characters.
    UrlPath,
    /// After the `/` that starts a URL attribute: as `UrlPath`, and what would make of both the start of a host stays a path.
    UrlRoot,
    /// The same before text that makes no host of it: nothing is written for an empty value.
    UrlRootEnd,
    /// After the `mailto:` or `tel:` of a URL attribute: as `UrlPath`, and `@` and `+` stand for themselves.
    UrlAddress,
    /// Within the query or fragment of a URL attribute: percent-encoded.
    UrlQuery,
    /// A value in `<script>`: JSON, with `<`, `>`, `&`, U+2028 and U+2029 escaped.
    Script,
    /// Within a quoted or template JavaScript string in `<script>`: escaped for it.
    ScriptString,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ExprKind {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    Arr(Vec<Expr>),
    /// Keys are String literals or parenthesised expressions.
    Map(Vec<(Expr, Expr)>),
    /// A local, a constant, a function as a value, or the base of a module or struct call.
    Name(String),
    /// `base.name`
    Member(Box<Expr>, Name),
    /// `base[index]`
    Index(Box<Expr>, Box<Expr>),
    /// `callee:a:b`; the callee is a `Name` or a chain of `Member`s.
    Call(Box<Expr>, Vec<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// `a ?? b`: `b` where `a` is nil.
    Coalesce(Box<Expr>, Box<Expr>),
    /// `$"a={a}"`: texts and values, in order.
    Text(Vec<Expr>),
    /// `(a, b -> e)`
    Lambda(Vec<Name>, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// What the parser puts where it could not read an expression; never reaches lowering.
    Error,
}

/// Operators that evaluate both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}
