//! What the arguments of builtins may be, as the machine takes them.

use djo_vm::builtins::Builtin;

use super::{shape::Shape, unit::Unit};
use crate::{
    ast::{Expr, ExprKind},
    diagnostic::{Diagnostic, codes},
};

const TEXT: u16 = 1;
const INT: u16 = 1 << 1;
const FLOAT: u16 = 1 << 2;
const ARR: u16 = 1 << 3;
const MAP: u16 = 1 << 4;
const NIL: u16 = 1 << 5;
const BOOL: u16 = 1 << 6;
const STRUCT: u16 = 1 << 7;
const FUNCTION: u16 = 1 << 8;

const NUMBER: u16 = INT | FLOAT;
/// Written as text or JSON, or kept: all but functions.
const DATA: u16 = !FUNCTION;
const ANY: u16 = u16::MAX;

/// How messages name what is taken. More than one word is a choice.
const NAMES: &[(u16, &str)] = &[(TEXT, "String"), (NUMBER, "um número"), (INT, "Int"), (ARR, "Arr"), (MAP, "Map")];

/// What each argument may be; those behind may be anything.
fn takes(builtin: Builtin) -> &'static [u16] {
    use Builtin as B;
    match builtin {
        B::Fail => &[ANY, MAP | NIL],
        B::HttpJson | B::HttpHtml | B::JsonEncode | B::HtmlEscape | B::HtmlRaw | B::UrlEncode => &[DATA],
        B::HttpStatus => &[INT],
        B::HttpHeader => &[TEXT, DATA],
        B::HttpSetcookie => &[TEXT, DATA, MAP | NIL],
        B::HttpProgress => &[NUMBER, NUMBER | NIL, TEXT | NIL],
        B::HttpGet => &[TEXT, MAP | NIL],
        B::HttpPost => &[TEXT, DATA, MAP | NIL],
        B::HttpRedirect | B::HttpParam | B::HttpQuery | B::HttpForm | B::HttpCookie => &[TEXT],
        B::SessionGet | B::SessionDel => &[TEXT],
        B::SessionSet => &[TEXT, DATA],
        B::StoreGet | B::StoreDel => &[TEXT, TEXT | INT],
        B::StoreSet => &[TEXT, TEXT | INT, DATA],
        B::StoreList => &[TEXT, MAP | NIL],
        B::StoreInc => &[TEXT, TEXT | INT, INT | NIL],
        B::StoreCas => &[TEXT, TEXT | INT, ANY, DATA],
        B::StoreCount | B::StoreNextId => &[TEXT],
        B::ArrSlice => &[ARR, INT, INT | NIL],
        B::ArrJoin => &[ARR, TEXT],
        B::ArrLen | B::ArrPush | B::ArrPop | B::ArrMap | B::ArrFilter | B::ArrReduce | B::ArrSort | B::ArrSortBy => &[ARR],
        B::ArrReverse | B::ArrFind | B::ArrIndex | B::ArrContains | B::ArrSum | B::ArrMin | B::ArrMax | B::ArrUniq => &[ARR],
        B::MapKeys | B::MapValues | B::MapLen => &[MAP],
        B::MapHas | B::MapGet | B::MapDel => &[MAP, TEXT],
        B::MapMerge => &[MAP, MAP],
        B::StringLen | B::StringUpper | B::StringLower | B::StringTrim | B::StringLines => &[TEXT],
        B::StringSplit | B::StringContains | B::StringStarts | B::StringEnds => &[TEXT, TEXT],
        B::StringReplace => &[TEXT, TEXT, TEXT],
        B::StringSlice => &[TEXT, INT, INT | NIL],
        B::StringPad => &[TEXT, INT, TEXT | NIL],
        B::StringRepeat => &[TEXT, INT],
        B::IntParse | B::FloatParse => &[TEXT | NUMBER | NIL],
        B::IntStr | B::FloatStr | B::FloatFloor | B::FloatCeil => &[NUMBER],
        B::IntDiv | B::IntMod | B::RandomInt => &[INT, INT],
        B::FloatRound => &[NUMBER, INT | NIL],
        B::JsonDecode | B::HashSha256 | B::UrlDecode => &[TEXT],
        B::TimeIso => &[INT],
        B::TimeParse => &[TEXT | NIL],
        B::TimeAdd => &[INT, INT | MAP | NIL],
        B::RandomToken => &[INT | NIL],
        B::Print | B::LogInfo | B::LogWarn | B::LogError | B::Pagina | B::HttpMethod | B::HttpPath | B::HttpQueries => &[],
        B::HttpBody | B::HttpJsonBody | B::HttpIp | B::HttpCursor | B::SessionClear | B::SessionId | B::SessionRenew => &[],
        B::TimeNow | B::RandomUuid => &[],
    }
}

/// All that a value of this shape may turn out to be.
fn may_be(shape: &Shape) -> u16 {
    match shape {
        Shape::Unknown => ANY,
        Shape::Nil => NIL,
        Shape::Bool => BOOL,
        Shape::Int => INT,
        Shape::Float => FLOAT,
        Shape::Str => TEXT,
        Shape::Arr(_) => ARR,
        Shape::Map => MAP,
        Shape::Struct(_) => STRUCT | NIL,
        Shape::Function => FUNCTION,
    }
}

impl Unit<'_, '_> {
    /// Reports the arguments that a builtin surely refuses; `name` is what it is called by.
    pub(super) fn argument_types(&mut self, builtin: Builtin, name: &str, arguments: &[Expr], shapes: &[Shape]) {
        for ((argument, shape), taken) in arguments.iter().zip(shapes).zip(takes(builtin)) {
            if may_be(shape) & taken != 0 {
                continue;
            }
            let diagnostic = if *taken == DATA {
                let message = format!("`{name}` não recebe uma função");
                let named = matches!(argument.kind, ExprKind::Name(_) | ExprKind::Member(..));
                let hint = named.then(|| "para chamar a função, ponha `:` depois do nome".to_owned());
                Diagnostic::error(codes::WRONG_TYPE, argument.span, message).maybe_hint(hint)
            } else {
                let came = shape.name(self.world.types);
                let message = format!("`{name}` espera {}, mas veio {came}", wanted(*taken));
                Diagnostic::error(codes::WRONG_TYPE, argument.span, message).maybe_hint(instead(name, *taken, argument, &came))
            };
            self.report(diagnostic);
        }
    }
}

fn wanted(taken: u16) -> String {
    let mut left = taken;
    let mut names = Vec::new();
    for (bits, name) in NAMES {
        if left & bits == *bits {
            left &= !bits;
            names.push(*name);
        }
    }
    names.join(" ou ")
}

/// What was probably meant by an argument of another type.
fn instead(name: &str, taken: u16, argument: &Expr, came: &str) -> Option<String> {
    if let ExprKind::Str(text) = &argument.kind
        && (taken & INT != 0 && text.parse::<i64>().is_ok() || taken & FLOAT != 0 && text.parse::<f64>().is_ok())
    {
        return Some(format!("um número se escreve sem aspas: `{text}`"));
    }
    let of_type = format!("{came}.{}", name.split_once('.')?.1);
    Builtin::from_name(&of_type).filter(|_| of_type != name).map(|_| format!("para {came}, há `{of_type}`"))
}
