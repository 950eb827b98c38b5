//! The strict schema against its rules, and its inverse against the decoder.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::{
    arbitrary::{input, show, typed},
    decode::decode,
};

/// Keywords that every provider takes.
const KEYWORDS: [&str; 9] = ["type", "description", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "format"];

fn assert_strict(schema: &Value, depth: usize) {
    let members = schema.as_map().unwrap();
    for (name, _) in members {
        assert!(KEYWORDS.contains(&name.as_str()), "{name}{}", show(schema));
    }
    let is = |name: &str| match schema.get("type") {
        Some(Value::Arr(names)) => names.iter().any(|known| known.as_str() == Some(name)),
        Some(known) => known.as_str() == Some(name),
        None => false,
    };
    if is("object") {
        assert!(depth < DEPTH && schema.get("additionalProperties") == Some(&Value::Bool(false)));
        let names: Vec<Value> = schema.get("properties").unwrap().as_map().unwrap().iter().map(|(name, _)| name.as_str().into()).collect();
        assert_eq!(schema.get("required"), Some(&Value::Arr(names)));
        for (_, property) in schema.get("properties").unwrap().as_map().unwrap() {
            assert_strict(property, depth + 1);
        }
    }
    assert_eq!(is("array"), schema.get("items").is_some());
    schema.get("items").iter().for_each(|items| assert_strict(items, depth));
    schema.get("anyOf").iter().flat_map(|forms| forms.as_arr().unwrap()).for_each(|form| assert_strict(form, depth));
}

/// The value as a strict mode would write it: as the schema says, which decides what is a text.
fn written(types: &Types, ty: &Type, schema: &Value, value: &Value) -> Value {
    let schema = schema.get("anyOf").and_then(Value::as_arr).map_or(schema, |forms| &forms[0]);
    let is_text = format!("{:?}", schema.get("type")).contains("string");
    match (&ty.kind, value) {
        (Kind::Any | Kind::Arr(_) | Kind::Map(_) | Kind::Struct(_), value) if is_text && (*value != Value::Nil || ty.kind == Kind::Any) => {
            let mut text = String::new();
            json::write_exact(value, &mut text);
            Value::Str(text)
        }
        (Kind::Struct(index), Value::Map(members)) => object(types, types.get(*index), schema, members),
        (Kind::Arr(Some(element)), Value::Arr(items)) => {
            Value::Arr(items.iter().map(|item| written(types, element, schema.get("items").unwrap(), item)).collect())
        }
        _ => value.clone(),
    }
}

fn object(types: &Types, of: &Struct, schema: &Value, members: &[(String, Value)]) -> Value {
    let known = of.fields.iter().filter(|field| is_shown(field));
    let mut out: Vec<(String, Value)> = known
        .map(|field| {
            let value = members.iter().find(|(name, _)| *name == field.name).map(|(_, value)| value);
            let schema = schema.get("properties").unwrap().get(&field.name).unwrap();
            (field.name.clone(), value.map_or(Value::Nil, |value| written(types, &field.ty, schema, value)))
        })
        .collect();
    let others = members.iter().filter(|(name, _)| !out.iter().any(|(known, _)| known == name)).cloned().collect::<Vec<_>>();
    out.extend(others);
    Value::Map(out)
}

/// The value without what `null` says of members that may be absent: in a strict mode there is no other way to leave them out.
fn settled(types: &Types, ty: &Type, schema: &Value, value: &Value) -> Value {
    let schema = schema.get("anyOf").and_then(Value::as_arr).map_or(schema, |forms| &forms[0]);
    if format!("{:?}", schema.get("type")).contains("string") {
        return value.clone();
    }
    match (&ty.kind, value) {
        (Kind::Struct(index), Value::Map(members)) => {
            let of = types.get(*index);
            let kept = members.iter().filter_map(|(name, value)| {
                let Some(field) = of.fields.iter().find(|field| field.name == *name && is_shown(field)) else {
                    return Some((name.clone(), value.clone()));
                };
                let schema = schema.get("properties")?.get(name)?;
                // An untyped value is a text, and `null` in it a value.
                let is_absent = *value == Value::Nil && field.presence != Presence::Required && field.ty.kind != Kind::Any;
                (!is_absent).then(|| (name.clone(), settled(types, &field.ty, schema, value)))
            });
            Value::Map(kept.collect())
        }
        (Kind::Arr(Some(element)), Value::Arr(items)) => {
            Value::Arr(items.iter().map(|item| settled(types, element, schema.get("items").unwrap(), item)).collect())
        }
        _ => value.clone(),
    }
}

/// Members of hidden fields fit no schema; absent required ones are `null`, which the type may take.
fn case() -> impl Strategy<Value = (Types, usize, Value)> {
    typed().prop_filter("a struct", |(types, _)| !types.structs.is_empty()).prop_flat_map(|(types, _)| {
        let value = input(&types, &Kind::Struct(0).into(), 3);
        (Just(types), Just(0), value)
    })
}

proptest! {
    #[test]
    fn schemas_keep_the_rules((types, root, _) in case()) {
        assert_strict(&strict_schema(&types, types.get(root)), 0);
    }

    #[test]
    fn what_is_written_strictly_is_read_as_it_was_meant((types, root, value) in case()) {
        let ty: Type = Kind::Struct(root).into();
        let schema = strict_schema(&types, types.get(root));
        let meant = settled(&types, &ty, &schema, &value);
        // What decodes; a required member that is absent would be written as one that is `null`.
        if let (Value::Map(members), Ok(decoded)) = (&value, decode(&types, &ty, meant)) {
            let strict = object(&types, types.get(root), &schema, members);
            let read = from_strict(&types, types.get(root), strict.clone());
            prop_assert_eq!(decode(&types, &ty, read), Ok(decoded), "{}{}", show(&schema), show(&strict));
            let to_serde = |value: &Value| serde_json::from_str::<serde_json::Value>(&json::to_string(value)).unwrap();
            let judge = jsonschema::draft202012::new(&to_serde(&schema)).unwrap();
            prop_assert!(judge.is_valid(&to_serde(&strict)), "{}{}", show(&schema), show(&strict));
        }
    }
}

#[test]
fn what_has_no_keyword_is_told() {
    let field = |name: &str, ty: Type, presence| Field {
        name: name.into(),
        ty,
        presence,
        description: None,
        hidden: false,
        source: crate::types::Source::Input,
    };
    let mut nota: Type = Kind::Int.into();
    nota.constraints.minimum = Some(Value::Int(0));
    nota.constraints.maximum = Some(Value::Int(10));
    let nullable = Type { nullable: true, ..Kind::String.into() };
    let fields = Vec::from([
        Field { description: Some("A nota".into()), ..field("nota", nota, Presence::Default(Value::Int(5))) },
        field("apelido", nullable, Presence::Optional),
        field("extra", Kind::Map(None).into(), Presence::Required),
    ]);
    let input = Struct { fields, ..Struct::default() };
    assert_eq!(
        json::to_string(&strict_schema(&Types::default(), &input)),
        r#"{"type":"object","required":["nota","apelido","extra"],"additionalProperties":false,"properties":{"nota":{"type":["integer","null"],"description":"A nota; no mínimo 0, no máximo 10; null: 5"},"apelido":{"type":["string","null"],"description":"null: nenhum"},"extra":{"type":"string","description":"um texto com um objeto em JSON"}}}"#
    );
    let strict = json::parse(br#"{"nota":null,"apelido":null,"extra":"{\"a\":1}","outro":null}"#).unwrap();
    assert_eq!(json::to_string(&from_strict(&Types::default(), &input, strict)), r#"{"extra":{"a":1},"outro":null}"#);
}

#[test]
fn structs_within_themselves_are_texts() {
    let child = Type { nullable: true, ..Kind::Struct(0).into() };
    let field = Field {
        name: "filho".into(),
        ty: child,
        presence: Presence::Optional,
        description: None,
        hidden: false,
        source: crate::types::Source::Input,
    };
    let types = Types { structs: Vec::from([Struct { name: "No".into(), description: None, fields: Vec::from([field]) }]) };
    let schema = json::to_string(&strict_schema(&types, &Struct { fields: types.structs[0].fields.clone(), ..Struct::default() }));
    assert!(
        schema.contains(r#""filho":{"type":["string","null"],"description":"um texto com um objeto em JSON; null: nenhum"}"#),
        "{schema}"
    );
}
