//! From a tool's decoded arguments to the call that its plain route would have become, so that both run, and are cached, alike.

use std::sync::Arc;
use std::time::Duration;

use djo_contract::decode::decode_arguments;
use djo_contract::issue::{Code, Issue, Issues};
use djo_contract::json;
use djo_contract::model::{Contract, Route};
use djo_contract::path::Path;
use djo_contract::route::{SEGMENT_MESSAGE, SEGMENT_PATTERN, Segment, is_segment, parse_path, path_params};
use djo_contract::select::{Selection, result_struct, valid_names};
use djo_contract::tool::{CURSOR, SELECTION, Tool};
use djo_contract::value::Value;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::execution::{Call, View};
use crate::sandbox::{Context, Entry, Request};
use crate::tenant::Site;

/// What a tool is called with.
pub(super) struct Input<'a> {
    /// The model input, decoded.
    pub(super) arguments: &'a Value,
    /// The page that is asked for.
    pub(super) cursor: Option<&'a str>,
}

/// The call. A next page is asked for by the route of the continuation.
///
/// # Errors
/// What the route would not take: a value of the path that no path can hold, a selection that does not fit.
pub(super) fn call(
    site: &Arc<Site>,
    tool: &Tool,
    input: &Input<'_>,
    context: Context,
    timeout: Option<Duration>,
) -> Result<Box<Call>, Issues> {
    let route = if input.cursor.is_some() { tool.next_page } else { tool.route };
    let (request, view) = match tool.action {
        Some(_) => (action(site, tool, route, input)?, View::default()),
        None => read(site, route, input)?,
    };
    let timeout = [timeout, tool.timeout_ms.map(|ms| Duration::from_millis(ms.into()))].into_iter().flatten().min();
    Ok(Box::new(Call { site: Arc::clone(site), route, request: Arc::new(request), view, context, timeout }))
}

/// A POST of an action.
fn action(site: &Site, tool: &Tool, index: usize, input: &Input<'_>) -> Result<Request, Issues> {
    let contract = &site.contract;
    let route = contract.routes.get(index);
    let pattern = route.map_or("", |route| route.path.as_str());
    let (path, params) = path(pattern, input.arguments)?;
    let mut members = input.arguments.as_map().unwrap_or_default().to_vec();
    let own = route.and_then(|route| route.action).and_then(|action| contract.actions.get(action));
    let arguments = match own.filter(|_| tool.next_page != tool.route) {
        // The execution input has what the model input has not: the cursor, where the action takes one.
        Some(action) => {
            if let Some(cursor) = input.cursor
                && action.input.fields.iter().any(|field| field.name == CURSOR)
            {
                members.push((CURSOR.to_owned(), cursor.into()));
            }
            decode_arguments(&contract.types, action, None, Value::Map(members.clone()))?
        }
        None => input.arguments.clone(),
    };
    members.retain(|(name, _)| !params.iter().any(|(param, _)| param == name));
    Ok(Request {
        method: "POST".to_owned(),
        path,
        query: input.cursor.map(|cursor| pair(CURSOR, cursor)).unwrap_or_default(),
        body: exact(&Value::Map(members)),
        entry: Entry::Action(number(index)),
        params,
        arguments: exact(&arguments),
    })
}

/// A GET of an agent face.
fn read(site: &Site, index: usize, input: &Input<'_>) -> Result<(Request, View), Issues> {
    let contract = &site.contract;
    let Some(route) = contract.routes.get(index) else { return Err(Issues::default()) };
    let (path, params) = path(&route.path, input.arguments)?;
    let members = input.arguments.as_map().unwrap_or_default();
    let in_path = |name: &str| params.iter().any(|(param, _)| param == name);
    let mut pairs: Vec<(String, String)> =
        members.iter().filter(|(name, _)| !in_path(name)).map(|(name, value)| (name.clone(), text(value))).collect();
    if let Some(cursor) = input.cursor {
        pairs.retain(|(name, _)| name != CURSOR);
        pairs.push((CURSOR.to_owned(), cursor.to_owned()));
    }
    let query = pairs.iter().map(|(name, value)| pair(name, value)).collect::<Vec<_>>().join("&");
    let view = View::of(contract, route, &query, &pairs).map_err(|error| {
        let mut issues = Issues::default();
        issues.add(|| selection_issue(contract, route, &error.to_string()));
        issues
    })?;
    let declared: Vec<(String, Value)> =
        members.iter().filter(|(name, _)| route.query.iter().any(|(declared, _)| declared == name)).cloned().collect();
    let request = Request {
        method: "GET".to_owned(),
        path,
        query,
        body: Vec::new(),
        entry: Entry::Agent(number(index)),
        params,
        arguments: if route.query.is_empty() { Vec::new() } else { exact(&Value::Map(declared)) },
    };
    Ok((request, view))
}

/// A path with its values in it, and the values by their names.
pub(super) fn path(pattern: &str, arguments: &Value) -> Result<(String, Vec<(String, String)>), Issues> {
    let (mut path, mut params, mut issues) = (String::new(), Vec::new(), Issues::default());
    for segment in parse_path(pattern).unwrap_or_default() {
        path.push('/');
        match segment {
            Segment::Literal(literal) => path.extend(utf8_percent_encode(literal, SEGMENT)),
            Segment::Param(name) => {
                let value = arguments.get(name).map(text).unwrap_or_default();
                // What no path can hold could not have come by one.
                if !is_segment(&value) {
                    issues.add(|| {
                        Issue::at(&Path::ROOT.name(name), Code::InvalidPattern, SEGMENT_MESSAGE, vec![("pattern", SEGMENT_PATTERN.into())])
                    });
                }
                path.extend(utf8_percent_encode(&value, SEGMENT));
                params.push((name.to_owned(), value));
            }
        }
    }
    issues.or(|| (path, params))
}

/// What stands for itself in a segment of a path.
const SEGMENT: &percent_encoding::AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

fn pair(name: &str, value: &str) -> String {
    format!("{}={}", utf8_percent_encode(name, SEGMENT), utf8_percent_encode(value, SEGMENT))
}

/// A scalar as a URL has it.
fn text(value: &Value) -> String {
    match value {
        Value::Str(text) => text.clone(),
        other => json::to_string(other),
    }
}

/// Issues of a tool's arguments, that of its selection in words that help more than the pattern of the schema does: the names that there are.
pub(super) fn with_names(site: &Site, tool: &Tool, sent: &Value, mut issues: Issues) -> Issues {
    let contract = &site.contract;
    let chooses = |route: &&Route| tool.action.is_none() && path_params(&route.path).all(|name| name != SELECTION);
    if let Some(route) = contract.routes.get(tool.route).filter(chooses)
        && let Some(returns) = &route.returns
        && let Some(asked) = sent.get(SELECTION).and_then(Value::as_str)
        && let Err(error) = Selection::parse(&contract.types, returns, asked)
    {
        let of_selection = |issue: &&mut Issue| issue.path == SELECTION && issue.code == Code::InvalidPattern;
        issues.list.iter_mut().filter(of_selection).for_each(|issue| *issue = selection_issue(contract, route, &error.to_string()));
    }
    issues
}

/// A selection that does not fit, as an issue of its argument.
fn selection_issue(contract: &Contract, route: &Route, message: &str) -> Issue {
    let of = route.returns.as_ref().and_then(result_struct);
    let names = of.map(|of| valid_names(&contract.types, of)).unwrap_or_default();
    let allowed = names.into_iter().map(Value::from).collect();
    Issue::at(&Path::ROOT.name(SELECTION), Code::InvalidEnumValue, message, vec![("allowed", Value::Arr(allowed))])
}

/// Exactly: a Float stays one on its way into the guest.
fn exact(value: &Value) -> Vec<u8> {
    let mut text = String::new();
    json::write_exact(value, &mut text);
    text.into_bytes()
}

/// A contract has far fewer routes than a u32 counts: its section is bounded.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
