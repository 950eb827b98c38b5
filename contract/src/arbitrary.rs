//! Random types, contracts and inputs for property tests. Types are valid: structs are finite, bounds can be met, defaults fit.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use proptest::{collection::vec, option, prelude::*, sample::select};

use crate::{
    json::tests::any_value,
    model::{Action, ActionOptions, Contract, Method, Route, Site, Wanted},
    types::{Constraints, Field, Kind, Presence, Source, Struct, Type, Types},
    value::Value,
};

/// Member names: few, so that inputs hit them, and some that need escapes.
pub(crate) fn name() -> impl Strategy<Value = String> {
    select(Vec::from(["a", "b", "titulo", "a/b", "c~d", "é", "itens"])).prop_map(String::from)
}

fn small() -> impl Strategy<Value = Value> {
    prop_oneof![(-3_i64..6).prop_map(Value::Int), (-3_i64..6).prop_map(|n| Value::Float(n as f64 / 2.0))]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[aAbB0-9é ]{0,4}",
        select(Vec::from(["a@b.c", "2024-02-29", "2024-01-01T00:00:00Z", "http://a/b", "00000000-0000-0000-0000-000000000000", "AB-01"]))
            .prop_map(String::from)
    ]
}

fn pattern() -> impl Strategy<Value = String> {
    select(Vec::from(["^[A-Z]{2}-[0-9]{2}$", "a", "^a*$", r"\d", r"^\w+$", r"^[^\s]*$", "^(a|b)", "^.$", "[0-9]|é"])).prop_map(String::from)
}

/// A type whose structs are below `structs`.
pub(crate) fn any_type(structs: usize) -> impl Strategy<Value = Type> {
    let numbers = (any::<bool>(), option::of(small()), option::of(small()), option::weighted(0.2, vec(-2_i64..4, 1..4)));
    let numbers = numbers.prop_map(|(int, minimum, maximum, allowed)| Type {
        kind: if int { Kind::Int } else { Kind::Float },
        nullable: false,
        constraints: Constraints {
            minimum,
            maximum,
            allowed: allowed.filter(|_| int).map(|values| values.into_iter().map(Value::Int).collect()),
            ..Constraints::default()
        },
    });
    let texts = (option::of(0_u64..3), option::of(0_u64..5), option::weighted(0.3, pattern()), option::weighted(0.3, 0..5_usize));
    let texts = (texts, option::weighted(0.2, vec(text(), 1..3))).prop_map(|((min_length, max_length, pattern, format), allowed)| Type {
        kind: Kind::String,
        nullable: false,
        constraints: Constraints {
            min_length,
            max_length,
            pattern,
            format: format.map(|index| crate::format::NAMES[index].into()),
            allowed: allowed.map(|values| values.into_iter().map(Value::Str).collect()),
            ..Constraints::default()
        },
    });
    let plain = select(Vec::from([Kind::Any, Kind::Bool, Kind::Arr(None), Kind::Map(None)])).prop_map(Type::new);
    let leaf = prop_oneof![
        numbers,
        texts,
        plain,
        (0..structs.max(1)).prop_map(move |index| match structs {
            0 => Kind::Bool.into(),
            _ => Type::new(Kind::Struct(index)),
        })
    ];
    let nullable = |(mut ty, nullable): (Type, bool)| {
        ty.nullable = nullable && ty.kind != Kind::Any;
        ty
    };
    let leaf = (leaf, any::<bool>()).prop_map(nullable);
    leaf.prop_recursive(2, 6, 2, move |inner| {
        let lists = (inner.clone(), option::of(0_u64..2), option::of(0_u64..4), any::<bool>());
        let lists = lists.prop_map(|(element, min_length, max_length, unique)| Type {
            kind: Kind::Arr(element_of(element)),
            nullable: false,
            constraints: Constraints { min_length, max_length, unique, ..Constraints::default() },
        });
        let maps = inner.prop_map(|element| Type::new(Kind::Map(element_of(element))));
        (prop_oneof![lists, maps], any::<bool>()).prop_map(nullable)
    })
}

/// An unchecked element is written as none.
fn element_of(element: Type) -> Option<Box<Type>> {
    (element.kind != Kind::Any).then(|| Box::new(element))
}

fn presence() -> impl Strategy<Value = Presence> {
    prop_oneof![Just(Presence::Required), Just(Presence::Optional), any_value().prop_map(Presence::Default)]
}

fn any_struct(structs: usize) -> impl Strategy<Value = Struct> {
    let field = (name(), any_type(structs), presence(), option::weighted(0.2, ".{0,6}"), prop::bool::weighted(0.15));
    let field = field.prop_map(|(name, ty, presence, description, hidden)| Field {
        name,
        ty,
        presence,
        description,
        hidden,
        source: Source::Input,
    });
    (select(Vec::from(["", "Post", "Autor", "No"])), option::of(".{0,6}"), vec(field, 0..4)).prop_map(|(name, description, mut fields)| {
        let mut names = Vec::new();
        fields.retain(|field| {
            !names.contains(&field.name) && {
                names.push(field.name.clone());
                true
            }
        });
        Struct { name: name.into(), description, fields }
    })
}

/// A table of structs that may refer to each other and themselves, and a type over it.
pub(crate) fn typed() -> impl Strategy<Value = (Types, Type)> {
    (0..4_usize).prop_flat_map(|count| (vec(any_struct(count), count), any_type(count)).prop_map(|(structs, ty)| (Types { structs }, ty)))
}

/// A value that often fits the type, and often nearly so.
pub(crate) fn input(types: &Types, ty: &Type, depth: usize) -> BoxedStrategy<Value> {
    let fitting = match &ty.kind {
        Kind::Any => any_value().boxed(),
        Kind::Int => (-4_i64..7).prop_map(Value::Int).boxed(),
        Kind::Float => small().boxed(),
        Kind::String => text().prop_map(Value::Str).boxed(),
        Kind::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Kind::Arr(_) | Kind::Map(_) | Kind::Struct(_) if depth == 0 => {
            prop_oneof![Just(Value::Arr(Vec::new())), Just(Value::Map(Vec::new()))].boxed()
        }
        Kind::Arr(element) => vec(element_input(types, element.as_deref(), depth), 0..4).prop_map(Value::Arr).boxed(),
        Kind::Map(element) => prop::collection::btree_map(name(), element_input(types, element.as_deref(), depth), 0..3)
            .prop_map(|members| Value::Map(members.into_iter().collect()))
            .boxed(),
        Kind::Struct(index) => {
            let members: Vec<_> = types
                .get(*index)
                .fields
                .iter()
                .map(|field| {
                    let present = if field.presence == Presence::Required { 0.95 } else { 0.6 };
                    let name = field.name.clone();
                    let hidden = if field.hidden { 0.1 } else { present };
                    option::weighted(hidden, input(types, &field.ty, depth - 1)).prop_map(move |value| Some((name.clone(), value?)))
                })
                .collect();
            let extra = option::weighted(0.1, ("[a-z]{3}", any_value()));
            (members, extra)
                .prop_map(|(members, extra)| {
                    let mut members: Vec<_> = members.into_iter().flatten().collect();
                    members.extend(extra.filter(|(name, _)| !members.iter().any(|(known, _)| known == name)));
                    Value::Map(members)
                })
                .boxed()
        }
    };
    let allowed = ty.constraints.allowed.clone().unwrap_or_default();
    let fitting = if allowed.is_empty() { fitting } else { prop_oneof![select(allowed), fitting].boxed() };
    prop_oneof![12 => fitting, 1 => any_value(), 1 => Just(Value::Nil)].boxed()
}

fn element_input(types: &Types, element: Option<&Type>, depth: usize) -> BoxedStrategy<Value> {
    element.map_or_else(|| any_value().boxed(), |element| input(types, element, depth - 1))
}

fn options() -> impl Strategy<Value = ActionOptions> {
    let effect = option::of(select(Vec::from(["none", "read", "write", "external_write", "destructive"])));
    let confirmation = option::of(select(Vec::from(["none", "required"])));
    (effect, option::of(any::<bool>()), confirmation, option::of(any::<u32>()), option::of("[a-z]{1,4}"), option::of(any_value())).prop_map(
        |(effect, idempotent, confirmation, timeout_ms, continues, example)| ActionOptions {
            effect: effect.map(String::from),
            idempotent,
            confirmation: confirmation.map(String::from),
            timeout_ms,
            continues,
            example,
        },
    )
}

/// A whole contract.
pub(crate) fn any_contract() -> impl Strategy<Value = Contract> {
    (0..3_usize, 0..3_usize).prop_flat_map(|(structs, actions)| {
        let source = prop_oneof![Just(Source::Input), Just(Source::Path), Just(Source::Inject("session.usuario".into()))];
        let action =
            ("[a-z]{1,5}", option::of(".{0,5}"), any_struct(structs), source).prop_map(|(name, description, mut input, source)| {
                if let Some(field) = input.fields.first_mut() {
                    field.source = source;
                }
                Action { name, description, input }
            });
        let query = vec((name(), any_type(structs)), 0..3);
        let shown =
            (option::of(".{0,5}"), option::of(any_type(structs)), option::of(any::<u32>()), option::of("[a-z]{1,5}"), query, options());
        let route = (0..5_usize, "(/[a-zé]{1,3}){1,3}", 0..(3 + actions), shown).prop_map(move |(method, path, target, shown)| {
            let (about, returns, cache, tool, query, options) = shown;
            let action = target.checked_sub(3);
            Route {
                method: if action.is_some() { Method::Post } else { Method::ALL[method] },
                path,
                about,
                screen: action.is_none() && target != 1,
                agent: action.is_none() && target != 0,
                action,
                returns,
                cache,
                tool,
                query,
                options,
            }
        });
        let site = option::of((".{0,9}", ".{0,9}").prop_map(|(nome, about)| Site { nome, about }));
        let limit = ("[a-z_]{1,9}", 0..=i64::MAX.unsigned_abs());
        let max_age = option::of(0..=Wanted::MOST_MAX_AGE);
        let wanted = (vec("[a-z.]{1,9}", 0..2), vec(limit, 0..2), max_age).prop_map(|(hosts, mut limits, max_age)| {
            limits.dedup_by(|one, other| one.0 == other.0);
            Wanted { hosts, limits, max_age }
        });
        (site, vec(any_struct(structs), structs), vec(route, 0..4), vec(action, actions), vec(400..=599_u16, 0..2), wanted).prop_map(
            |(site, structs, routes, actions, error_pages, wanted)| {
                let types = Types { structs };
                Contract { site, types, routes, actions, error_pages, wanted }
            },
        )
    })
}

/// What a failing case shows.
pub(crate) fn show(value: &Value) -> String {
    format!("\n{}\n", crate::json::to_string(value))
}
