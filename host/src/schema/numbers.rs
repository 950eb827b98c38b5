//! Numbers that nothing here holds. The validator is shown the nearest double: what is to be said of them is said here.

use djo_contract::{
    decode::check_at,
    issue::Issues,
    path::Path,
    types::{Kind, Types},
    value::{Value, exact_int},
};

use super::places::{Places, join};

/// A place with such a number, and what is said of it.
pub(super) struct Unheld {
    pub(super) place: String,
    pub(super) issues: Issues,
}

/// All of them.
pub(super) fn unheld(places: &Places<'_>, input: &Value) -> Vec<Unheld> {
    let mut found = Vec::new();
    visit(places, input, "", &Path::ROOT, &mut found);
    found
}

fn visit(places: &Places<'_>, value: &Value, at: &str, path: &Path<'_>, found: &mut Vec<Unheld>) {
    match value {
        Value::Arr(items) => {
            for (index, item) in items.iter().enumerate() {
                visit(places, item, &join(at, &index.to_string()), &path.index(index), found);
            }
        }
        Value::Map(members) => {
            for (name, member) in members {
                visit(places, member, &join(at, name), &path.name(name), found);
            }
        }
        Value::Huge(_) => found.extend(said(places, value, at, path)),
        Value::Float(number) if number.fract() == 0.0 && exact_int(*number).is_none() => found.extend(said(places, value, at, path)),
        _ => {}
    }
}

/// By the first type that has something to say of the number; by none, where the place has no type.
fn said(places: &Places<'_>, value: &Value, at: &str, path: &Path<'_>) -> Option<Unheld> {
    let parts: Vec<_> = places.at(at).iter().filter_map(|spoken| places.part(&spoken.pointer, spoken.schema, value)).collect();
    let typed = parts.iter().filter(|part| part.ty.kind != Kind::Any).collect::<Vec<_>>();
    let issues = match typed.as_slice() {
        [] => check_at(&Types::default(), &Kind::Any.into(), value, path),
        typed => {
            let numeric = typed.iter().filter(|part| matches!(part.ty.kind, Kind::Int | Kind::Float));
            numeric.map(|part| check_at(&part.types, &part.ty, value, path)).find(|issues| !issues.is_empty())?
        }
    };
    (!issues.is_empty()).then(|| Unheld { place: at.to_owned(), issues })
}
