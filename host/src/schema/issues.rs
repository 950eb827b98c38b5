//! What a JSON Schema validator found, as issues: codes, places, words and order of the tool boundary.

use std::collections::{BTreeSet, HashMap, HashSet};

use djo_contract::{
    decode::check_at,
    issue::{Code, Issue, Issues},
    path::Path,
    value::Value,
};
use jsonschema::{ValidationError, Validator, error::TypeKind, error::ValidationErrorKind as Kind};
use serde_json::Value as Json;

use super::{
    describe::{REFUSED, Said, describe, wrong_type},
    numbers::unheld,
    part::kinds,
    places::{Places, join, resolve},
};

/// Choices within choices that are looked into for the nearest branch.
const MAX_CHOICES: usize = 16;

pub(super) fn collect(validator: &Validator, places: &Places<'_>, input: &Value, json: &Json) -> Issues {
    let mut collector = Collector {
        places,
        input,
        found: Vec::new(),
        more: 0,
        said: HashSet::new(),
        unheld: HashSet::new(),
        refused: HashSet::new(),
        ranks: HashMap::new(),
    };
    let numbers = unheld(places, input);
    collector.unheld.extend(numbers.iter().map(|number| number.place.clone()));
    for error in validator.iter_errors(json) {
        collector.add(&error, 0);
    }
    for number in numbers {
        if !collector.is_refused(&number.place) {
            number.issues.list.into_iter().for_each(|issue| collector.push(&number.place, issue));
        }
    }
    let mut found = collector.found;
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found.dedup_by(|one, other| one.1 == other.1);
    let mut issues = Issues { more: collector.more, ..Issues::default() };
    found.into_iter().for_each(|(_, issue)| issues.add(|| issue));
    issues
}

/// One step to a place, as places are ordered: what a value says of itself, its declared members in their order, then the others and
/// elements as they are given, then unknown members by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// Here: in the order enum, format, pattern, range, length, unique, and within the last by element.
    Own(u8, usize),
    Nth(usize),
    Unknown(String),
}

struct Collector<'p, 's> {
    places: &'p Places<'s>,
    input: &'p Value,
    found: Vec<(Vec<Step>, Issue)>,
    /// What the decoder counted beyond those.
    more: u64,
    /// Schemas and places whose types have said all they say.
    said: HashSet<(String, String)>,
    /// Places whose number the validator did not see.
    unheld: HashSet<String>,
    /// Values that are refused whole: of what is in them nothing more is said.
    refused: HashSet<String>,
    /// Where members stand in their objects, by the objects' places.
    ranks: HashMap<String, HashMap<&'p str, usize>>,
}

impl Collector<'_, '_> {
    fn add(&mut self, error: &ValidationError<'_>, choices: usize) {
        let place = error.instance_path().as_str();
        let schema = error.schema_path().as_str().rsplit_once('/').map_or("", |(parent, _)| parent);
        if self.unheld.contains(place) {
            return;
        }
        match error.kind() {
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } if choices < MAX_CHOICES => self.choice(error, context, choices),
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let root = self.places.root;
                let beside = resolve(root, schema).and_then(|schema| schema.get("properties")?.get(name));
                let elsewhere =
                    || self.places.declared(place).into_iter().find(|(known, ..)| *known == name).map(|(_, declared, _)| declared);
                let declared = beside.or_else(elsewhere);
                let expected = declared.map(|declared| kinds(root, declared).join("|")).filter(|kinds| !kinds.is_empty());
                let extras = expected.map(|kinds| ("expected", Value::from(kinds))).into_iter().collect();
                self.at(place, Some(name), |path| Issue::at(path, Code::MissingField, "obrigatório", extras));
            }
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                let mut allowed: Vec<&str> = match resolve(self.places.root, schema).and_then(|schema| schema.get("properties")) {
                    Some(properties) if matches!(error.kind(), Kind::AdditionalProperties { .. }) => {
                        properties.as_map().unwrap_or_default().iter().map(|(name, _)| name.as_str()).collect()
                    }
                    _ => self.places.declared(place).into_iter().map(|(name, ..)| name).collect(),
                };
                allowed.sort_unstable();
                allowed.dedup();
                for name in unexpected.iter().collect::<BTreeSet<_>>() {
                    self.at(place, Some(name), |path| Issue::unknown(path, name, &allowed, "campo desconhecido"));
                }
            }
            kind if is_of_types(kind) && self.by_type(schema, place) => {}
            kind => {
                let said = describe(kind, error.instance());
                self.say(place, said);
            }
        }
    }

    /// Of a choice, the branch that comes nearest says most: one for this type of value, then the one with the fewest complaints.
    /// A branch for `null` alone is the absence of a value.
    fn choice(&mut self, error: &ValidationError<'_>, branches: &[Vec<ValidationError<'_>>], choices: usize) {
        let place = error.instance_path();
        let is_other_type = |error: &ValidationError<'_>| matches!(error.kind(), Kind::Type { .. }) && error.instance_path() == place;
        let is_null = |branch: &[ValidationError<'_>]| matches!(branch, [one] if is_other_type(one) && is_type(one.kind(), "null"));
        let branches: Vec<_> = branches.iter().filter(|branch| !branch.is_empty() && !is_null(branch)).collect();
        if branches.len() > 1 && branches.iter().all(|branch| branch.iter().any(is_other_type)) {
            let pointer = error.schema_path().as_str();
            let schemas = resolve(self.places.root, pointer).and_then(Value::as_arr).unwrap_or_default();
            let mut expected: Vec<&str> = schemas.iter().flat_map(|schema| kinds(self.places.root, schema)).collect();
            let mut seen = HashSet::new();
            expected.retain(|kind| seen.insert(*kind));
            return self.say(place.as_str(), wrong_type(&expected, error.instance()));
        }
        match branches.iter().min_by_key(|branch| (branch.iter().any(is_other_type), branch.len())) {
            Some(branch) => branch.iter().for_each(|error| self.add(error, choices + 1)),
            None => self.say(place.as_str(), (Code::InvalidEnumValue, REFUSED.into(), Vec::new())),
        }
    }

    /// What the decoder says by the types of one schema. False when it has nothing to say.
    fn by_type(&mut self, schema: &str, place: &str) -> bool {
        if self.said.contains(&(schema.to_owned(), place.to_owned())) {
            return true;
        }
        let (places, input) = (self.places, self.input);
        let issues = walk(&steps(place, None), &Path::ROOT, Some(input), |path, value| {
            let part = places.part(schema, resolve(places.root, schema)?, value?)?;
            let mut issues = check_at(&part.types, &part.ty, value?, path);
            // Of members and elements the validator tells.
            let own = path.pointer();
            issues.list.retain(|issue| issue.code == Code::DuplicateItem || issue.pointer == own);
            Some(issues)
        })
        .unwrap_or_default();
        if issues.is_empty() {
            return false;
        }
        self.said.insert((schema.to_owned(), place.to_owned()));
        self.more += issues.more;
        issues.list.into_iter().for_each(|issue| self.push(place, issue));
        true
    }

    fn say(&mut self, place: &str, (code, message, extras): Said) {
        self.at(place, None, |path| Issue::at(path, code, message, extras));
    }

    /// Adds an issue at a place, or at a member of it.
    fn at(&mut self, place: &str, member: Option<&str>, issue: impl FnOnce(&Path<'_>) -> Issue) {
        let issue = walk(&steps(place, member), &Path::ROOT, Some(self.input), |path, _| issue(path));
        let place = member.map_or_else(|| place.to_owned(), |member| join(place, member));
        self.push(&place, issue);
    }

    /// Whether the value of a place, or one around it, is of another type or has no place.
    fn is_refused(&self, place: &str) -> bool {
        let around = place.char_indices().filter(|(_, letter)| *letter == '/').map(|(end, _)| &place[..end]);
        around.chain([place]).any(|place| self.refused.contains(place))
    }

    fn push(&mut self, place: &str, issue: Issue) {
        if matches!(issue.code, Code::InvalidFieldType | Code::UnknownField) {
            self.refused.insert(place.to_owned());
        }
        let mut key = self.key(place);
        if issue.code == Code::UnknownField
            && let (Some(last), Some(name)) = (key.last_mut(), steps(place, None).pop())
        {
            *last = Step::Unknown(name);
        }
        let element = issue.extras.iter().find(|(name, _)| *name == "first").map_or(0, |_| self.found.len());
        key.push(Step::Own(rank(issue.code), element));
        self.found.push((key, issue));
    }

    fn key(&mut self, place: &str) -> Vec<Step> {
        let (mut key, mut at, mut value) = (Vec::new(), String::new(), Some(self.input));
        for step in steps(place, None) {
            match value {
                Some(Value::Arr(items)) => {
                    let index = step.parse().unwrap_or(usize::MAX);
                    key.push(Step::Nth(index));
                    value = items.get(index);
                }
                _ => {
                    let places = self.places;
                    let ranks = self.ranks.entry(at.clone()).or_insert_with(|| {
                        let given = value.and_then(Value::as_map).unwrap_or_default().iter().map(|(name, _)| name.as_str());
                        let names = places.declared(&at).into_iter().map(|(name, ..)| name).chain(given);
                        let mut ranks = HashMap::new();
                        names.enumerate().for_each(|(rank, name)| _ = ranks.entry(name).or_insert(rank));
                        ranks
                    });
                    key.push(Step::Nth(ranks.get(step.as_str()).copied().unwrap_or(usize::MAX)));
                    value = value.and_then(|value| value.get(&step));
                }
            }
            at = join(&at, &step);
        }
        key
    }
}

fn steps(place: &str, member: Option<&str>) -> Vec<String> {
    let steps = place.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
    steps.chain(member.map(str::to_owned)).collect()
}

/// A step is an index where the input has an array, else a name. As deep as the parser let the input be.
fn walk<T>(steps: &[String], path: &Path<'_>, value: Option<&Value>, end: impl FnOnce(&Path<'_>, Option<&Value>) -> T) -> T {
    let Some((step, rest)) = steps.split_first() else { return end(path, value) };
    match (value, step.parse::<usize>()) {
        (Some(Value::Arr(items)), Ok(index)) => walk(rest, &path.index(index), items.get(index), end),
        _ => walk(rest, &path.name(step), value.and_then(|value| value.get(step)), end),
    }
}

/// The order of what is said of one value.
fn rank(code: Code) -> u8 {
    match code {
        Code::MissingField | Code::InvalidFieldType => 0,
        Code::InvalidEnumValue => 1,
        Code::InvalidFormat => 2,
        Code::InvalidPattern => 3,
        Code::InvalidRange => 4,
        Code::InvalidLength => 5,
        Code::DuplicateItem => 6,
        Code::UnknownField => 7,
    }
}

fn is_type(kind: &Kind, name: &str) -> bool {
    matches!(kind, Kind::Type { kind: TypeKind::Single(single) } if single.to_string() == name)
}

/// Whether the type model has the keyword.
fn is_of_types(kind: &Kind) -> bool {
    match kind {
        Kind::Format { format } => return djo_contract::format::NAMES.contains(&format.as_str()),
        Kind::Type { kind: TypeKind::Multiple(kinds) } => return kinds.iter().filter(|kind| kind.to_string() != "null").count() == 1,
        _ => {}
    }
    matches!(
        kind,
        Kind::Type { .. }
            | Kind::Enum { .. }
            | Kind::Pattern { .. }
            | Kind::Minimum { .. }
            | Kind::Maximum { .. }
            | Kind::MinLength { .. }
            | Kind::MaxLength { .. }
            | Kind::MinItems { .. }
            | Kind::MaxItems { .. }
            | Kind::UniqueItems
    )
}
