//! Images as written and read back, and what is no image.
#![allow(clippy::unwrap_used)]

use alloc::{string::ToString, vec, vec::Vec};

use djo_contract::{
    types::{Constraints, Kind, Type},
    value::Value,
};

use super::{BuildError, Builder, Constant, FieldSpec, FunctionSpec, ImageError, Program, TypeKind};
use crate::op::{Op, encode};

fn plain(kind: Kind) -> Type {
    Type { kind, nullable: false, constraints: Constraints::default() }
}

fn sample() -> Vec<u8> {
    let mut builder = Builder::new();
    let field = FieldSpec { name: "nome".into(), ty: plain(Kind::String), default: None, hidden: true, source: None };
    builder.structure("Autor", core::slice::from_ref(&field));
    builder.constant(&Value::Arr(vec![Value::Int(-3), Value::Str("x".into()), Value::Float(1.5)]));
    builder.shape(0, &[0]);
    let function = builder.function(&FunctionSpec {
        name: "f".into(),
        file: "core/a.djo".into(),
        registers: 3,
        params: vec![field],
        code: vec![encode(Op::LoadNil, 0, 0, 0), encode(Op::Return, 0, 0, 0)],
        lines: vec![(0, "core/a.djo".into(), 7), (1, "core/b.djo".into(), 9)],
        ..FunctionSpec::default()
    });
    builder.entry([None, Some(function), None]);
    builder.error_page(404, function);
    builder.finish().unwrap()
}

#[test]
fn reads_back_what_was_written() {
    let image = sample();
    let program = Program::new(&image).unwrap();
    let autor = program.structure(0).unwrap();
    assert_eq!(program.str(autor.name), "Autor");
    let field = program.field(autor.first).unwrap();
    assert_eq!((program.str(field.name), program.str(field.key), field.hidden), ("nome", "\"nome\":", true));
    assert_eq!(program.ty(field.ty).unwrap().kind, TypeKind::String);
    let function = program.function(0).unwrap();
    // A `nocall` parameter is none that a caller gives.
    assert_eq!((function.params, function.required, function.registers, function.is_typed()), (1, 0, 3, true));
    assert_eq!(program.code(&function).len(), 2);
    let at = |word| program.line(&function, word).map(|(file, line)| (program.str(file).to_string(), line));
    assert_eq!(at(0), Some(("core/a.djo".into(), 7)));
    assert_eq!(at(5), Some(("core/b.djo".into(), 9)));
    assert_eq!(program.entry(0).unwrap(), [super::NONE, 0, super::NONE]);
    assert_eq!((program.error_page(404), program.error_page(500)), (Some(0), None));
    let Some(Constant::Arr(first, 3)) = program.constant(3) else { panic!("no Arr") };
    let items: Vec<_> = (first..first + 3).map(|i| program.constant(program.list(i).unwrap()).unwrap()).collect();
    assert_eq!(items[0], Constant::Int(-3));
    assert_eq!(items[2], Constant::Float(1.5));
}

#[test]
fn the_same_program_gives_the_same_bytes() {
    assert_eq!(sample(), sample());
}

#[test]
fn what_is_no_image_is_refused() {
    assert_eq!(Program::new(b"").err(), Some(ImageError::NotAnImage));
    assert_eq!(Program::new(b"djoi").err(), Some(ImageError::Truncated));
    let mut image = sample();
    image[4] = 9;
    assert_eq!(Program::new(&image).err(), Some(ImageError::Version(9)));
    let image = sample();
    for cut in 4..image.len() {
        assert!(Program::new(&image[..cut]).is_err(), "cut at {cut}");
    }
}

#[test]
fn indices_outside_are_none() {
    let image = sample();
    let program = Program::new(&image).unwrap();
    assert_eq!(program.text(u32::MAX), None);
    assert_eq!(program.constant(99), None);
    assert_eq!(program.function(1), None);
    assert_eq!(program.structure(1), None);
    assert_eq!(program.entry(1), None);
    assert_eq!(program.shape(1), None);
}

#[test]
fn a_number_that_no_value_holds_is_an_error() {
    let mut builder = Builder::new();
    builder.constant(&Value::Huge("1e999".into()));
    assert_eq!(builder.finish().err(), Some(BuildError::Constant));
}
