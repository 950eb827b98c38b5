//! Calls: of functions, structs, builtins, and of functions held by locals.

use djo_contract::types::Presence;
use djo_vm::builtins::{BUILTINS, Builtin};

use super::{
    shape::{Given, Shape},
    symbols::{Symbol, is_language_name},
    unit::{Unit, base_name},
};
use crate::{
    ast::{Expr, ExprKind, Name, Span},
    diagnostic::{Diagnostic, MAX_SUGGESTIONS, codes, nearest, quoted_list},
    syntax::{lexer::is_word_char, parser::LINE_COLON_HINT},
};

impl Unit<'_, '_> {
    pub(super) fn call(&mut self, callee: &Expr, arguments: &[Expr], span: Span) -> Shape {
        if self.line_colon == Some(span) {
            return self.expr(callee);
        }
        let Some(base) = base_name(callee) else {
            arguments.iter().for_each(|argument| {
                self.expr(argument);
            });
            return Shape::Unknown;
        };
        let path = member_path(callee);
        match (self.world.declarations.find(base), &callee.kind) {
            (Some(Symbol::Function(index)), ExprKind::Name(_)) => return self.function_call(index, base, arguments, span),
            (Some(Symbol::Struct(index)), ExprKind::Name(_)) => return self.struct_call(index, base, arguments, span),
            (Some(symbol), _) => {
                self.arguments(arguments);
                let message = match (symbol, &callee.kind) {
                    (Symbol::Const(_), ExprKind::Name(_)) => format!("`{base}` é uma constante, não uma função"),
                    (Symbol::Const(_), _) => format!("`{path}` é parte de uma constante, não uma função"),
                    _ => format!("`{base}` não tem `{}`", path.get(base.len() + 1..).unwrap_or("")),
                };
                self.report(Diagnostic::error(codes::NOT_A_FUNCTION, callee.span, message));
                return Shape::Unknown;
            }
            (None, _) if is_language_name(base) => return self.builtin_call(&path, callee, arguments, span),
            (None, _) => {}
        }
        self.arguments(arguments);
        if !self.locals.contains_key(base) && matches!(callee.kind, ExprKind::Name(_)) {
            self.unknown_function(base, callee.span);
            return Shape::Unknown;
        }
        self.called = Some((callee.span, span));
        let shape = self.expr(callee);
        self.called = None;
        if !matches!(shape, Shape::Unknown | Shape::Function) {
            let message = format!("`{path}` é {}, não uma função", shape.name(self.world.types));
            let line_end = arguments.is_empty() && self.ends_line(span);
            let hint = line_end.then(|| LINE_COLON_HINT.to_owned());
            self.report(Diagnostic::error(codes::NOT_A_FUNCTION, callee.span, message).maybe_hint(hint));
        }
        if let Some((name, least, most)) = self.arity(callee)
            && (arguments.len() < least || arguments.len() > most)
        {
            let hint = self.negated_argument(arguments, span);
            self.report(wrong_count(name.trim_matches('`'), least, most, arguments.len(), span).maybe_hint(hint));
        }
        Shape::Unknown
    }

    /// `f:-x`, which takes `x` away from `f:`.
    fn negated_argument(&self, arguments: &[Expr], span: Span) -> Option<String> {
        let rest = self.world.files.text(span.file).get(span.end as usize..)?.strip_prefix('-')?;
        let value: String = rest.chars().take_while(|c| *c == '.' || is_word_char(*c)).collect();
        let call = self.world.files.slice(span);
        (arguments.is_empty() && !value.is_empty()).then(|| format!("um valor negado vai entre parênteses: `{call}(-{value})`"))
    }

    fn ends_line(&self, span: Span) -> bool {
        let rest = self.world.files.text(span.file).get(span.end as usize..).unwrap_or("");
        rest.split('\n').next().unwrap_or("").trim().is_empty()
    }

    fn arguments(&mut self, arguments: &[Expr]) -> Vec<Shape> {
        arguments.iter().map(|argument| self.expr(argument)).collect()
    }

    fn unknown_function(&mut self, name: &str, span: Span) {
        if self.silent || self.world.declarations.is_broken(name) {
            return;
        }
        if self.diagnostics.len() >= MAX_SUGGESTIONS {
            self.report(Diagnostic::error(codes::UNKNOWN_NAME, span, format!("a função `{name}` não existe")));
            return;
        }
        let builtins = BUILTINS.iter().map(|signature| signature.name);
        let modules = builtins.clone().filter(|full| full.split('.').nth(1) == Some(name));
        let hint = match nearest(name, self.world.declarations.names().chain(builtins)) {
            Some(near) => Some(format!("você quis dizer `{near}`?")),
            None => {
                let candidates: Vec<&str> = modules.collect();
                (!candidates.is_empty()).then(|| format!("você quis dizer {}?", quoted_list(candidates)))
            }
        };
        self.report(Diagnostic::error(codes::UNKNOWN_NAME, span, format!("a função `{name}` não existe")).maybe_hint(hint));
    }

    fn function_call(&mut self, index: usize, name: &str, arguments: &[Expr], span: Span) -> Shape {
        let shapes = self.arguments(arguments);
        let world = self.world;
        world.used.borrow_mut().insert(index);
        // A parameter that could not be read may be of any type, and there may be more.
        let Some(signature) = world.signatures.get(index).filter(|_| !world.declarations.is_broken(name)) else { return Shape::Unknown };
        let most = signature.given.len();
        if arguments.len() < signature.least || arguments.len() > most {
            let diagnostic = wrong_count(name, signature.least, most, arguments.len(), span);
            let params: Vec<&str> = signature.given.iter().map(|index| signature.params[*index].name.as_str()).collect();
            let hint = (!params.is_empty()).then(|| format!("os parâmetros são `{name}:{}`", params.join(":")));
            let mut diagnostic = diagnostic.maybe_hint(self.negated_argument(arguments, span).or(hint));
            if let Some(declared) = world.declarations.span(name) {
                diagnostic = diagnostic.related(declared, "declarada aqui");
            }
            self.report(diagnostic);
            return Shape::Unknown;
        }
        let given = if world.declarations.functions.get(index).is_some_and(|decl| decl.action) { Given::ToAction } else { Given::ByCode };
        for ((argument, shape), index) in arguments.iter().zip(&shapes).zip(&signature.given) {
            let param = &signature.params[*index];
            self.expect_type(shape, &param.ty, given, argument, &format!("`{}`", param.name));
        }
        Shape::Unknown
    }

    fn struct_call(&mut self, index: usize, name: &str, arguments: &[Expr], span: Span) -> Shape {
        let [argument] = arguments else {
            self.arguments(arguments);
            let diagnostic = wrong_count(name, 1, 1, arguments.len(), span);
            self.report(diagnostic.hint(format!("escreva `{name}:{{…}}`, com os campos num Map")));
            return Shape::Struct(index);
        };
        let shape = self.expr(argument);
        if let ExprKind::Map(entries) = &argument.kind {
            self.struct_literal(index, entries, Given::ByCode, argument.span);
        } else if !matches!(shape, Shape::Unknown | Shape::Map | Shape::Struct(_)) {
            let message = format!("`{name}` recebe um Map com os campos, mas veio {}", shape.name(self.world.types));
            self.report(Diagnostic::error(codes::WRONG_TYPE, argument.span, message).hint(format!("escreva `{name}:{{…}}`")));
        }
        Shape::Struct(index)
    }

    /// The literal Map that a struct is built from. Its values have been checked as expressions.
    pub(super) fn struct_literal(&mut self, index: usize, entries: &[(Expr, Expr)], given: Given, span: Span) {
        let world = self.world;
        let structure = world.types.get(index);
        if world.declarations.is_broken(&structure.name) {
            return;
        }
        let mut all_literal = true;
        for (key, value) in entries {
            let ExprKind::Str(text) = &key.kind else {
                all_literal = false;
                continue;
            };
            match structure.fields.iter().find(|field| field.name == *text) {
                Some(field) => {
                    let shape = self.shapes.get(&value.span).cloned().unwrap_or(Shape::Unknown);
                    self.expect_type(&shape, &field.ty, given, value, &format!("o campo `{text}`"));
                }
                None => {
                    let name = Name { text: text.clone(), span: key.span };
                    let fields = structure.fields.iter().map(|field| field.name.as_str());
                    self.report(super::expr::unknown_field(&structure.name, fields, &name));
                }
            }
        }
        let named = |name: &str| entries.iter().any(|(key, _)| matches!(&key.kind, ExprKind::Str(text) if text == name));
        let missing = structure.fields.iter().filter(|field| field.presence == Presence::Required && !named(&field.name));
        let missing: Vec<&str> = missing.map(|field| field.name.as_str()).collect();
        if all_literal && !missing.is_empty() {
            let list = quoted_list(missing.iter().copied()).replace(" ou ", " e ");
            let what = if missing.len() == 1 { "falta o campo" } else { "faltam os campos" };
            let message = format!("{what} {list} de `{}`", structure.name);
            let open = Span { end: span.start + 1, ..span };
            self.report(Diagnostic::error(codes::MISSING_FIELD, open, message));
        }
    }

    pub(super) fn unknown_builtin(&mut self, path: &str, span: Span) {
        let module = path.split('.').next().unwrap_or("");
        let all = BUILTINS.iter().map(|signature| signature.name);
        let of_module: Vec<&str> = all.clone().filter(|name| name.split('.').next() == Some(module) && *name != module).collect();
        let member = path.split('.').nth(1).unwrap_or("");
        let elsewhere: Vec<&str> = all.filter(|name| name.split('.').nth(1) == Some(member)).collect();
        let hint = if module == "Route" {
            "rotas se declaram em `rotas.djo`".to_owned()
        } else if let Some(near) = nearest(member, of_module.iter().filter_map(|name| name.split('.').nth(1))) {
            format!("você quis dizer `{module}.{near}`?")
        } else if !elsewhere.is_empty() {
            format!("você quis dizer {}?", quoted_list(elsewhere))
        } else if let Some(near) = nearest(path, of_module.iter().copied()) {
            format!("você quis dizer `{near}`?")
        } else {
            format!("há {}", quoted_list(of_module).replace(" ou ", " e "))
        };
        self.report(Diagnostic::error(codes::UNKNOWN_NAME, span, format!("`{path}` não existe")).hint(hint));
    }

    fn builtin_call(&mut self, path: &str, callee: &Expr, arguments: &[Expr], span: Span) -> Shape {
        let Some(signature) = Builtin::from_name(path) else {
            self.arguments(arguments);
            if path.contains('.') || path == "Route" {
                self.unknown_builtin(path, callee.span);
            } else {
                let message = format!("`{path}` não é uma função");
                let hint = format!("as suas funções se chamam com `{path}.nome:…`");
                self.report(Diagnostic::error(codes::NOT_A_FUNCTION, callee.span, message).hint(hint));
            }
            return Shape::Unknown;
        };
        let shapes = self.builtin_argument_shapes(signature.builtin, arguments);
        let (least, most) = (usize::from(signature.least), usize::from(signature.most));
        if arguments.len() < least || arguments.len() > most {
            let hint = self.negated_argument(arguments, span);
            self.report(wrong_count(path, least, most, arguments.len(), span).maybe_hint(hint));
            return result_of(signature.builtin);
        }
        self.builtin_arguments(signature, arguments, &shapes);
        result_of(signature.builtin)
    }
}

fn wrong_count(name: &str, least: usize, most: usize, given: usize, span: Span) -> Diagnostic {
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let wanted = match (least, most) {
        (least, most) if least == most => format!("{least} argumento{}", plural(least)),
        (least, most) if most == least + 1 => format!("{least} ou {most} argumentos"),
        (least, most) => format!("de {least} a {most} argumentos"),
    };
    let came = match given {
        0 => "não veio nenhum".to_owned(),
        1 => "veio 1".to_owned(),
        given => format!("vieram {given}"),
    };
    let message =
        if most == 0 { format!("`{name}` não recebe argumentos, mas {came}") } else { format!("`{name}` recebe {wanted}, mas {came}") };
    Diagnostic::error(codes::WRONG_ARGUMENT_COUNT, span, message)
}

/// `a.b.c`, as written.
fn member_path(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Name(name) => name.clone(),
        ExprKind::Member(base, field) => format!("{}.{}", member_path(base), field.text),
        _ => String::new(),
    }
}

/// What is known of a builtin's answer.
fn result_of(builtin: Builtin) -> Shape {
    match builtin {
        Builtin::ArrLen | Builtin::MapLen | Builtin::StringLen | Builtin::StoreCount | Builtin::StoreNextId => Shape::Int,
        Builtin::StringUpper | Builtin::StringLower | Builtin::StringTrim | Builtin::StringReplace | Builtin::JsonEncode => Shape::Str,
        Builtin::MapHas | Builtin::ArrContains | Builtin::StringContains | Builtin::StringStarts | Builtin::StringEnds => Shape::Bool,
        Builtin::StringSplit | Builtin::StringLines => Shape::Arr(Box::new(Shape::Str)),
        _ => Shape::Unknown,
    }
}
