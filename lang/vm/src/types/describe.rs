//! The image's types as the contract's decoder knows them, for calls of actions from code.

use alloc::{boxed::Box, string::String, vec::Vec};

use djo_contract::{
    model::Action,
    types::{self, Kind, Presence, Source, Types},
    value::Value,
};

use crate::{
    error::{Fallible, invalid_image},
    image::{Constant, Field, Function, NONE, Program, TypeKind},
    json::MAX_DEPTH,
};

/// Values that the defaults and bounds of one description may hold together.
const MAX_VALUES: usize = 100_000;

/// Reads an image's declarations.
struct Reader<'p> {
    program: &'p Program<'p>,
    budget: usize,
}

/// All structs of a program.
pub(crate) fn types(program: &Program<'_>) -> Fallible<Types> {
    let mut reader = Reader { program, budget: MAX_VALUES };
    let structs = (0..program.structs()).map(|id| {
        let structure = program.structure(id).ok_or_else(invalid_image)?;
        Ok(types::Struct {
            name: program.str(structure.name).into(),
            description: None,
            fields: reader.fields(structure.first, structure.count)?,
        })
    });
    Ok(Types { structs: structs.collect::<Fallible<_>>()? })
}

/// An action by its function.
pub(crate) fn action(program: &Program<'_>, function: &Function) -> Fallible<Action> {
    let mut reader = Reader { program, budget: MAX_VALUES };
    let fields = reader.fields(function.first_param, function.params.into())?;
    let name = String::from(program.str(function.name));
    Ok(Action { name, description: None, input: types::Struct { name: String::new(), description: None, fields } })
}

impl Reader<'_> {
    fn fields(&mut self, first: u32, count: u32) -> Fallible<Vec<types::Field>> {
        let ids = first..first.checked_add(count).ok_or_else(invalid_image)?;
        ids.map(|id| self.program.field(id).ok_or_else(invalid_image).and_then(|field| self.field(&field))).collect()
    }

    fn field(&mut self, field: &Field) -> Fallible<types::Field> {
        let ty = self.ty(field.ty, 0)?;
        let presence = if field.default != NONE {
            Presence::Default(self.value(field.default, 0)?)
        } else if ty.nullable {
            Presence::Optional
        } else {
            Presence::Required
        };
        let source = if field.source == NONE { Source::Input } else { Source::Inject(self.program.str(field.source).into()) };
        Ok(types::Field { name: self.program.str(field.name).into(), ty, presence, description: None, hidden: field.hidden, source })
    }

    fn ty(&mut self, id: u32, depth: usize) -> Fallible<types::Type> {
        let found = self.program.ty(id).filter(|_| depth < MAX_DEPTH).ok_or_else(invalid_image)?;
        let mut element = |id: u32| if id == NONE { Ok(None) } else { self.ty(id, depth + 1).map(Box::new).map(Some) };
        let kind = match found.kind {
            TypeKind::Any => Kind::Any,
            TypeKind::Int => Kind::Int,
            TypeKind::Float => Kind::Float,
            TypeKind::String => Kind::String,
            TypeKind::Bool => Kind::Bool,
            TypeKind::Arr(id) => Kind::Arr(element(id)?),
            TypeKind::Map(id) => Kind::Map(element(id)?),
            TypeKind::Struct(id) if id < self.program.structs() => Kind::Struct(id as usize),
            TypeKind::Struct(_) => return Err(invalid_image()),
        };
        let mut ty = types::Type { nullable: found.nullable, ..types::Type::new(kind) };
        if found.constraints != NONE {
            self.constraints(found.constraints, &mut ty.constraints)?;
        }
        Ok(ty)
    }

    fn constraints(&mut self, id: u32, out: &mut types::Constraints) -> Fallible<()> {
        let rules = self.program.constraints(id).ok_or_else(invalid_image)?;
        let length = |bound: u32| (bound != NONE).then_some(u64::from(bound));
        let text = |id: u32| (id != NONE).then(|| String::from(self.program.str(id)));
        (out.min_length, out.max_length) = (length(rules.min_length), length(rules.max_length));
        (out.pattern, out.format, out.unique) = (text(rules.pattern), text(rules.format), rules.unique);
        for (place, id) in [(&mut out.minimum, rules.minimum), (&mut out.maximum, rules.maximum)] {
            if id != NONE {
                *place = Some(self.value(id, 0)?);
            }
        }
        if rules.allowed != NONE {
            let Value::Arr(allowed) = self.value(rules.allowed, 0)? else { return Err(invalid_image()) };
            out.allowed = Some(allowed);
        }
        Ok(())
    }

    fn value(&mut self, id: u32, depth: usize) -> Fallible<Value> {
        self.budget = self.budget.checked_sub(1).filter(|_| depth < MAX_DEPTH).ok_or_else(invalid_image)?;
        let program = self.program;
        Ok(match program.constant(id).ok_or_else(invalid_image)? {
            Constant::Nil => Value::Nil,
            Constant::Bool(flag) => Value::Bool(flag),
            Constant::Int(number) => Value::Int(number),
            Constant::Float(number) => Value::Float(number),
            Constant::Text(text) => Value::Str(String::from_utf8_lossy(program.bytes(text)).into_owned()),
            Constant::Arr(first, count) => {
                let mut items = Vec::new();
                for position in 0..count {
                    let item = first.checked_add(position).and_then(|at| program.list(at)).ok_or_else(invalid_image)?;
                    items.push(self.value(item, depth + 1)?);
                }
                Value::Arr(items)
            }
            Constant::Map(first, count) => {
                let mut members = Vec::new();
                for position in 0..count {
                    let at = position.checked_mul(2).and_then(|at| first.checked_add(at)).ok_or_else(invalid_image)?;
                    let pair = program.list(at).zip(at.checked_add(1).and_then(|at| program.list(at)));
                    let (key, member) = pair.ok_or_else(invalid_image)?;
                    let Some(Constant::Text(key)) = program.constant(key) else { return Err(invalid_image()) };
                    let key = String::from_utf8_lossy(program.bytes(key)).into_owned();
                    members.push((key, self.value(member, depth + 1)?));
                }
                Value::Map(members)
            }
        })
    }
}
