//! What lowering decides before anything runs: limits, checks left out, literals made whole.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;

use djo_vm::{Program, image::Constant, op::Op};

use super::{LowerError, lower};
use crate::{Sources, check};

/// The image of a site whose `core/` holds some functions.
fn image(core: &str) -> Result<Vec<u8>, LowerError> {
    let sources = Sources::default()
        .with("rotas.djo", "Route.get:\"/\":{\"agent\": \"a.djo\"}\n")
        .with("core/a.djo", core)
        .with("a.djo", "Http.json:1\n");
    let checked = check(&sources);
    assert!(checked.program.is_some(), "{}", crate::diagnostic::render(&checked.files, &checked.diagnostics, false));
    lower(&checked.program.unwrap())
}

/// The operations of the first function.
fn operations(core: &str) -> Vec<Op> {
    let image = image(core).unwrap();
    let program = Program::new(&image).unwrap();
    let code = program.code(&program.function(0).unwrap());
    let mut operations = Vec::new();
    let mut words = code.iter();
    while let Some([op, ..]) = words.next() {
        let op = Op::from_code(*op).unwrap();
        operations.push(op);
        let wide = matches!(
            op,
            Op::Jump
                | Op::JumpIf
                | Op::JumpIfNot
                | Op::JumpIfLt
                | Op::JumpIfLe
                | Op::JumpIfEq
                | Op::JumpIfNe
                | Op::JumpIfFunction
                | Op::JumpIfNotNil
        ) || matches!(op, Op::GetField | Op::SetField | Op::NewStruct | Op::BuildStruct | Op::Call | Op::CallBuiltin)
            || matches!(op, Op::LoadFunction | Op::LoadWide | Op::Closure | Op::TryBegin | Op::ForNext | Op::ForPair | Op::Text);
        if wide {
            words.next();
        }
    }
    operations
}

fn count(operations: &[Op], wanted: Op) -> usize {
    operations.iter().filter(|op| **op == wanted).count()
}

#[test]
fn too_many_variables_are_an_error_that_names_the_function() {
    let mut core = String::from("f grande\n");
    for index in 0..260 {
        writeln!(core, "    v{index} = {index}").unwrap();
    }
    assert_eq!(image(&core), Err(LowerError::Registers("grande".into())));
    assert!(LowerError::Registers("grande".into()).to_string().contains("250 valores"));
}

#[test]
fn a_local_is_checked_only_where_it_may_be_unset() {
    let sure = "
f a
    params[b]
    if b
        x = 1
    elif not b
        x = 2
    else
        return 0
    y = x
    for i in [1]
        y = y + i
    return x + y
";
    let operations_of_sure = operations(sure);
    assert_eq!((count(&operations_of_sure, Op::CheckSet), count(&operations_of_sure, Op::Unset)), (0, 0));
    let unsure = "
f a
    params[b]
    while b
        x = 1
        b = false
    return x
";
    let operations_of_unsure = operations(unsure);
    assert_eq!((count(&operations_of_unsure, Op::CheckSet), count(&operations_of_unsure, Op::Unset)), (1, 1));
}

#[test]
fn comparisons_in_conditions_make_no_bool() {
    let core = "
f a
    params[x, y]
    if x < y and not (x == 3 or y >= x)
        return 1
    while x > 0
        x = x - 1
    return 2
";
    let operations = operations(core);
    for made in [Op::Lt, Op::Le, Op::Eq, Op::Ne, Op::Not, Op::JumpIf, Op::JumpIfNot] {
        assert_eq!(count(&operations, made), 0, "{made:?}");
    }
    assert_eq!(count(&operations, Op::AddByte), 1);
}

#[test]
fn literals_are_constants_and_struct_literals_go_straight_to_their_fields() {
    let core = "
struct P
    id[Int]
    nome[String] = \"x\"

f a
    params[n]
    xs = [1, [2.5, nil], {\"a\": \"b\"}]
    return P:{\"nome\": \"y\", \"id\": n}
";
    let operations = operations(core);
    assert_eq!((count(&operations, Op::LoadConst), count(&operations, Op::NewArr), count(&operations, Op::NewMap)), (1, 0, 0));
    assert_eq!((count(&operations, Op::NewStruct), count(&operations, Op::BuildStruct)), (1, 0));
    let image = image(core).unwrap();
    let program = Program::new(&image).unwrap();
    let (structure, first, fields) = program.shape(0).unwrap();
    assert_eq!((structure, fields), (0, 2));
    assert_eq!((program.list(first), program.list(first + 1)), (Some(1), Some(0)));
    assert!((0..20).filter_map(|id| program.constant(id)).any(|found| matches!(found, Constant::Arr(_, 3))));
}

#[test]
fn a_function_of_one_expression_keeps_what_it_reads() {
    let core = "
f a
    params[x, y]
    g = (x -> x + 1)
    h = (n, x -> n + y + (Arr.len:(Arr.map:[1]:(z -> z + y + n))))
    return g
";
    let found = operations(core);
    assert_eq!((count(&found, Op::LoadFunction), count(&found, Op::Closure)), (1, 1));
    let image = image(core).unwrap();
    let program = Program::new(&image).unwrap();
    let shape = |id: u32| {
        let function = program.function(id).unwrap();
        (program.str(function.name).to_owned(), function.params, function.required, function.is_typed())
    };
    // The function, the page, and what was added as it came up.
    assert_eq!(shape(2), ("(x -> …)".into(), 1, 1, false));
    assert_eq!(shape(3).0, "Arr.map");
    assert_eq!((shape(4).0, shape(5)), ("(z -> …)".into(), ("(n, x -> …)".into(), 2, 2, false)));
}

#[test]
fn a_long_text_takes_few_registers() {
    let core = format!("f a\n    params[x]\n    return $\"{}\"\n", "{x}, ".repeat(500));
    let image = image(&core).unwrap();
    assert!(Program::new(&image).unwrap().function(0).unwrap().registers < 20);
    assert!(count(&operations(&core), Op::Join) > 50);
}

#[test]
fn functions_of_the_library_are_added_only_when_used() {
    let count = |core: &str| {
        let image = image(core).unwrap();
        Program::new(&image).unwrap().functions()
    };
    assert_eq!(count("f a\n    params[x]\n    return x\n"), 2);
    assert_eq!(count("f a\n    params[x]\n    return Arr.map:(Arr.map:[x]:a):a\n"), 3);
}
