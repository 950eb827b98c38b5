//! `returns`: the type of an answer, as `"Post"`, `["Post"]`, `"Int"`.

use djo_contract::types::{Kind, Type};

use super::Reader;
use crate::{
    ast::{Expr, ExprKind},
    check::types::{kind_of_name, unknown_type},
    diagnostic::{Diagnostic, codes},
};

impl Reader<'_> {
    pub(super) fn returns(&mut self, expr: &Expr) -> Option<Type> {
        match &expr.kind {
            ExprKind::Str(name) => self.named_type(name, expr),
            ExprKind::Arr(items) => match items.as_slice() {
                [Expr { kind: ExprKind::Str(name), .. }] => {
                    let item = self.named_type(name, &items[0])?;
                    Some(Type::new(Kind::Arr(Some(Box::new(item)))))
                }
                _ => self.bad_returns(expr),
            },
            ExprKind::Error => None,
            _ => self.bad_returns(expr),
        }
    }

    fn named_type(&mut self, name: &str, expr: &Expr) -> Option<Type> {
        let declarations = self.known.declarations;
        let kind = kind_of_name(name, declarations);
        if kind.is_none() && !declarations.is_broken(name) {
            let list = name.strip_prefix("Arr[").and_then(|rest| rest.strip_suffix(']'));
            let mut diagnostic = unknown_type(name, expr.span, declarations);
            if let Some(item) = list {
                diagnostic.hints = vec![format!("uma lista se escreve `[\"{item}\"]`")];
            }
            self.report(diagnostic);
        }
        kind.map(Type::new)
    }

    fn bad_returns(&mut self, expr: &Expr) -> Option<Type> {
        let diagnostic = Diagnostic::error(codes::BAD_ROUTE, expr.span, "`returns` deve ser o nome de um tipo ou um Arr com um só nome");
        self.report(diagnostic.hint("escreva `\"Post\"`, ou `[\"Post\"]` para uma lista"));
        None
    }
}
