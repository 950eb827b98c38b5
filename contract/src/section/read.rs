//! A contract from JSON.

use alloc::{format, string::String, vec::Vec};

use super::{SIZE_LIMIT, SectionError, VERSION, types};
use crate::{
    json::{self, Limits},
    model::{Action, ActionOptions, Contract, Method, Route, Site, Wanted},
    path::Path,
    route,
    types::Types,
    value::Value,
};

const LIMITS: Limits = Limits { depth: 128, values: 1_000_000 };
const TEXT_LIMIT: usize = 16 << 10;
const STRUCT_LIMIT: usize = 10_000;
const ROUTE_LIMIT: usize = 10_000;
const QUERY_LIMIT: usize = 256;
const WANTED_LIMIT: usize = 100;

/// Where something stands in the section.
pub(super) type Place<'a> = Path<'a>;

pub(super) fn invalid<T>(place: &Place<'_>, reason: impl Into<String>) -> Result<T, SectionError> {
    Err(SectionError::Invalid { pointer: place.pointer(), reason: reason.into() })
}

/// The members of an object, taken one by one; what is left over at the end is an error.
pub(super) struct Fields<'p> {
    members: Vec<(String, Value)>,
    place: &'p Place<'p>,
}

impl<'p> Fields<'p> {
    pub(super) fn new(value: Value, place: &'p Place<'p>) -> Result<Self, SectionError> {
        match value {
            Value::Map(members) => Ok(Self { members, place }),
            other => invalid(place, format!("deve ser Map, mas veio {}", other.djo_kind())),
        }
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.members.iter().position(|(known, _)| known == name)?;
        Some(self.members.swap_remove(at).1)
    }

    pub(super) fn needed(&mut self, name: &str) -> Result<Value, SectionError> {
        self.take(name).map_or_else(|| invalid(&self.place.name(name), "obrigatório"), Ok)
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, SectionError> {
        self.long_text(name, TEXT_LIMIT)
    }

    pub(super) fn long_text(&mut self, name: &str, limit: usize) -> Result<Option<String>, SectionError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Str(text)) if text.len() <= limit => Ok(Some(text)),
            Some(Value::Str(_)) => invalid(&self.place.name(name), "texto grande demais"),
            Some(other) => self.wrong(name, "String", &other),
        }
    }

    pub(super) fn needed_text(&mut self, name: &str) -> Result<String, SectionError> {
        self.text(name)?.map_or_else(|| invalid(&self.place.name(name), "obrigatório"), Ok)
    }

    pub(super) fn bool(&mut self, name: &str) -> Result<Option<bool>, SectionError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => self.wrong(name, "Bool", &other),
        }
    }

    pub(super) fn flag(&mut self, name: &str) -> Result<bool, SectionError> {
        Ok(self.bool(name)?.unwrap_or(false))
    }

    pub(super) fn count(&mut self, name: &str) -> Result<Option<u64>, SectionError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Int(number)) if number >= 0 => Ok(Some(number.unsigned_abs())),
            Some(other) => self.wrong(name, "Int a partir de 0", &other),
        }
    }

    fn small(&mut self, name: &str) -> Result<Option<u32>, SectionError> {
        let number = self.count(name)?.map(u32::try_from).transpose();
        number.or_else(|_| invalid(&self.place.name(name), "número grande demais"))
    }

    /// An index below `end`.
    pub(super) fn index(&mut self, name: &str, end: usize) -> Result<Option<usize>, SectionError> {
        match self.count(name)?.map(usize::try_from).transpose() {
            Ok(Some(index)) if index >= end => invalid(&self.place.name(name), "aponta para o que não existe"),
            Ok(index) => Ok(index),
            Err(_) => invalid(&self.place.name(name), "aponta para o que não existe"),
        }
    }

    pub(super) fn list<T>(
        &mut self,
        name: &str,
        limit: usize,
        each: impl Fn(Value, &Place<'_>) -> Result<T, SectionError>,
    ) -> Result<Vec<T>, SectionError> {
        let place = self.place.name(name);
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Arr(items)) if items.len() <= limit => {
                items.into_iter().enumerate().map(|(index, item)| each(item, &place.index(index))).collect()
            }
            Some(Value::Arr(_)) => invalid(&place, format!("mais de {limit} itens")),
            Some(other) => self.wrong(name, "Arr", &other),
        }
    }

    pub(super) fn finish(self) -> Result<(), SectionError> {
        match self.members.first() {
            None => Ok(()),
            Some((name, _)) => invalid(&self.place.name(name), "campo desconhecido"),
        }
    }

    fn wrong<T>(&self, name: &str, wanted: &str, found: &Value) -> Result<T, SectionError> {
        invalid(&self.place.name(name), format!("deve ser {wanted}, mas veio {}", found.djo_kind()))
    }
}

pub(super) fn contract(bytes: &[u8]) -> Result<Contract, SectionError> {
    if bytes.len() > SIZE_LIMIT {
        return Err(SectionError::TooLarge);
    }
    let document = json::parse_with(bytes, LIMITS).map_err(SectionError::Syntax)?;
    if document.get("djo_contract") != Some(&Value::Int(VERSION)) {
        return Err(SectionError::Version);
    }
    if document.has_huge() {
        return invalid(&Place::ROOT, "um número grande demais");
    }
    let mut members = Fields::new(document, &Place::ROOT)?;
    members.take("djo_contract");
    let site = members.take("site").map(site).transpose()?;
    let structs = count_of(&members, "types");
    let actions = count_of(&members, "actions");
    let contract = Contract {
        site,
        types: Types { structs: members.list("types", STRUCT_LIMIT, |value, place| types::read_struct(value, structs, place))? },
        routes: members.list("routes", ROUTE_LIMIT, |value, place| route(value, structs, actions, place))?,
        actions: members.list("actions", ROUTE_LIMIT, |value, place| action(value, structs, place))?,
        error_pages: members.list("error_pages", 16, |value, place| match value {
            Value::Int(status @ 400..=599) => Ok(status as u16),
            _ => invalid(place, "deve ser um status de erro"),
        })?,
        wanted: members.take("wanted").map_or_else(|| Ok(Wanted::default()), wanted)?,
    };
    members.finish()?;
    Ok(contract)
}

fn count_of(members: &Fields<'_>, name: &str) -> usize {
    let list = members.members.iter().find(|(known, _)| known == name);
    list.and_then(|(_, value)| value.as_arr()).map_or(0, <[Value]>::len)
}

fn wanted(value: Value) -> Result<Wanted, SectionError> {
    let place = Place::ROOT.name("wanted");
    let mut members = Fields::new(value, &place)?;
    let hosts = members.list("hosts", WANTED_LIMIT, |value, place| match value {
        Value::Str(host) if host.len() <= 253 => Ok(host),
        _ => invalid(place, "deve ser um nome de host"),
    })?;
    let place_of_limits = place.name("limits");
    let limits = match members.take("limits") {
        None => Vec::new(),
        Some(Value::Map(limits)) if limits.len() <= WANTED_LIMIT => {
            let limit = |(name, value): (String, Value)| match value {
                Value::Int(number @ 0..) if name.len() <= 64 => Ok((name, number.unsigned_abs())),
                _ => invalid(&place_of_limits, "um limite é um nome curto e um número inteiro"),
            };
            limits.into_iter().map(limit).collect::<Result<_, _>>()?
        }
        Some(_) => return invalid(&place_of_limits, "deve ser um Map de limites"),
    };
    let max_age = members.small("max_age")?;
    if max_age.is_some_and(|seconds| seconds > Wanted::MOST_MAX_AGE) {
        return invalid(&place.name("max_age"), format!("vai de 0 a {}", Wanted::MOST_MAX_AGE));
    }
    members.finish()?;
    Ok(Wanted { hosts, limits, max_age })
}

fn site(value: Value) -> Result<Site, SectionError> {
    let place = Place::ROOT.name("site");
    let mut members = Fields::new(value, &place)?;
    let site = Site { nome: members.needed_text("nome")?, about: members.needed_text("about")? };
    members.finish()?;
    if site.nome.chars().count() > 300 || site.about.chars().count() > 300 {
        return invalid(&place, "texto com mais de 300 caracteres");
    }
    Ok(site)
}

fn route(value: Value, structs: usize, actions: usize, place: &Place<'_>) -> Result<Route, SectionError> {
    let mut members = Fields::new(value, place)?;
    let method = members.needed_text("method")?;
    let Some(method) = Method::from_name(&method) else {
        return invalid(&place.name("method"), "método desconhecido");
    };
    let path = members.needed_text("path")?;
    if let Err(reason) = route::parse_path(&path) {
        return invalid(&place.name("path"), reason);
    }
    let returns = members.take("returns").map(|ty| types::read_type(ty, structs, &place.name("returns"), 0)).transpose()?;
    let query = members.list("query", QUERY_LIMIT, |value, place| {
        let mut members = Fields::new(value, place)?;
        let name = members.needed_text("name")?;
        let ty = types::read_type(members.needed("type")?, structs, &place.name("type"), 0)?;
        members.finish()?;
        Ok((name, ty))
    })?;
    let route = Route {
        method,
        path,
        about: members.text("about")?,
        screen: members.flag("screen")?,
        agent: members.flag("agent")?,
        action: members.index("action", actions)?,
        returns,
        cache: members.small("cache")?,
        tool: members.text("tool")?,
        query,
        options: members.take("options").map_or_else(|| Ok(ActionOptions::default()), |value| options(value, &place.name("options")))?,
    };
    members.finish()?;
    let has_face = route.screen || route.agent;
    match route.action {
        Some(_) if has_face || method != Method::Post => invalid(place, "uma action é só POST, sem outra face"),
        None if !has_face => invalid(place, "uma rota sem face"),
        _ => Ok(route),
    }
}

fn options(value: Value, place: &Place<'_>) -> Result<ActionOptions, SectionError> {
    let mut members = Fields::new(value, place)?;
    let options = ActionOptions {
        effect: members.text("effect")?,
        idempotent: members.bool("idempotent")?,
        confirmation: members.text("confirmation")?,
        timeout_ms: members.small("timeout_ms")?,
        continues: members.text("continues")?,
        example: members.take("example"),
    };
    members.finish()?;
    let effects = ["none", "read", "write", "external_write", "destructive"];
    if options.effect.as_deref().is_some_and(|effect| !effects.contains(&effect)) {
        return invalid(&place.name("effect"), "efeito desconhecido");
    }
    if options.confirmation.as_deref().is_some_and(|confirmation| !["none", "required"].contains(&confirmation)) {
        return invalid(&place.name("confirmation"), "deve ser none ou required");
    }
    Ok(options)
}

fn action(value: Value, structs: usize, place: &Place<'_>) -> Result<Action, SectionError> {
    let mut members = Fields::new(value, place)?;
    let action = Action {
        name: members.needed_text("name")?,
        description: members.text("description")?,
        input: types::read_struct(members.needed("input")?, structs, &place.name("input"))?,
    };
    members.finish()?;
    Ok(action)
}
