//! What is known of a value before it is made.

use djo_contract::types::{Kind, Type, Types};

/// What is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Unknown,
    Nil,
    Bool,
    Int,
    Float,
    Str,
    /// With its items.
    Arr(Box<Shape>),
    Map,
    /// Or nil.
    Struct(usize),
    Function,
}

/// How a value comes to where a type is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// Within the code: to a field, or to a parameter of `f`.
    ByCode,
    /// As an argument of an action: taken as over HTTP, where 4.0 is an Int.
    ToAction,
}

impl Shape {
    /// What values of a type are. One that may be nil is only known when it is a struct, which nil resembles in
    /// all that is checked here: neither is a number, a condition or a text.
    pub(super) fn of_type(ty: &Type) -> Self {
        if ty.nullable && !matches!(ty.kind, Kind::Struct(_)) {
            return Self::Unknown;
        }
        match &ty.kind {
            Kind::Any => Self::Unknown,
            Kind::Int => Self::Int,
            // An Int is accepted, but it becomes a Float.
            Kind::Float => Self::Float,
            Kind::String => Self::Str,
            Kind::Bool => Self::Bool,
            Kind::Arr(item) => Self::Arr(Box::new(item.as_ref().map_or(Self::Unknown, |item| Self::of_type(item)))),
            Kind::Map(_) => Self::Map,
            Kind::Struct(index) => Self::Struct(*index),
        }
    }

    /// What is known of a value that is one or the other.
    pub(super) fn join(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Self::Arr(a), Self::Arr(b)) => Self::Arr(Box::new(a.join(*b))),
            _ => Self::Unknown,
        }
    }

    /// The same, of an Arr that may have been written into: it takes anything.
    pub(super) fn without_items(self) -> Self {
        match self {
            Self::Arr(_) => Self::Arr(Box::new(Self::Unknown)),
            other => other,
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Int | Self::Float)
    }

    pub(super) fn name(&self, types: &Types) -> String {
        match self {
            Self::Unknown => "valor".into(),
            Self::Nil => "nil".into(),
            Self::Bool => "Bool".into(),
            Self::Int => "Int".into(),
            Self::Float => "Float".into(),
            Self::Str => "String".into(),
            Self::Arr(_) => "Arr".into(),
            Self::Map => "Map".into(),
            Self::Struct(index) => types.get(*index).name.clone(),
            Self::Function => "função".into(),
        }
    }

    /// Whether a value of this shape is surely refused where a type is wanted.
    pub(super) fn clashes(&self, ty: &Type, given: Given) -> bool {
        match (self, &ty.kind) {
            (Self::Unknown, _) | (_, Kind::Any) => false,
            (Self::Nil, _) => !ty.nullable,
            (Self::Int, Kind::Int | Kind::Float)
            | (Self::Float, Kind::Float)
            | (Self::Str, Kind::String)
            | (Self::Bool, Kind::Bool)
            | (Self::Map, Kind::Map(_) | Kind::Struct(_)) => false,
            (Self::Float, Kind::Int) => given == Given::ByCode,
            (Self::Arr(item), Kind::Arr(wanted)) => wanted.as_ref().is_some_and(|wanted| item.clashes(wanted, given)),
            (Self::Struct(index), Kind::Struct(wanted)) => index != wanted,
            // Where a Map is wanted a struct is for the machine to judge.
            (Self::Struct(_), Kind::Map(_)) => false,
            _ => true,
        }
    }
}
