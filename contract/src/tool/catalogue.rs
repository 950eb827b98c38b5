//! From a contract to its tools, and every rule that a set of them must keep.

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use super::{Effect, SELECTION, Tool, derived_name, example::example, is_cursor, is_valid_name};
use crate::{
    issue::Issues,
    model::{Action, Contract, Method, Route},
    route::{in_path, parse_path, path_params},
    select::{self, result_struct},
    types::{Field, Kind, Presence, Source, Struct, Type, Types},
};

/// The tools of a site, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    tools: Vec<Tool>,
}

/// A rule that a site's tools break: such a site is not served.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolError {
    /// Two routes give one name.
    Clash {
        /// The name.
        name: String,
        /// The routes, as indices.
        routes: (usize, usize),
    },
    /// A name that some protocol would not take.
    Name {
        /// The name.
        name: String,
        /// The route.
        route: usize,
    },
    /// A parameter of the path that is declared in the query, too: arguments hold one of a name.
    Argument {
        /// The parameter.
        name: String,
        /// The route.
        route: usize,
    },
    /// A route names an action that is not there.
    Action {
        /// The route.
        route: usize,
    },
    /// The example is no input.
    Example {
        /// The tool.
        name: String,
        /// The route.
        route: usize,
        /// What is wrong with it.
        issues: Issues,
    },
    /// A continuation of what no route gives.
    Continues {
        /// The name it continues.
        name: String,
        /// The route.
        route: usize,
    },
    /// A second continuation of one tool, or one of a continuation: a page has one next page, and all pages of a chain have the same.
    Branch {
        /// The name it continues.
        name: String,
        /// The route that continues it already, or is a continuation itself, and the one that cannot, as indices.
        routes: (usize, usize),
        /// Whether what it continues is a continuation itself.
        chained: bool,
    },
    /// A continuation that could not be given what the tool it continues was given.
    Retained {
        /// The name it continues.
        name: String,
        /// The route.
        route: usize,
        /// The parameter that one has and the other has not, or has otherwise.
        parameter: String,
    },
}

impl ToolError {
    /// The route that breaks the rule, as an index.
    pub fn route(&self) -> usize {
        match self {
            Self::Clash { routes, .. } | Self::Branch { routes, .. } => routes.1,
            Self::Name { route, .. }
            | Self::Argument { route, .. }
            | Self::Action { route }
            | Self::Example { route, .. }
            | Self::Continues { route, .. }
            | Self::Retained { route, .. } => *route,
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clash { name, .. } => write!(out, "duas rotas dão a ferramenta `{name}`"),
            Self::Name { name, .. } => write!(out, "`{name}` não serve de nome de ferramenta"),
            Self::Argument { name, .. } => write!(out, "o parâmetro `{name}` do caminho está também na query"),
            Self::Action { .. } => write!(out, "a rota publica uma action que não existe"),
            Self::Example { name, issues, .. } => write!(out, "`example` não serve de entrada para `{name}`: {issues}"),
            Self::Continues { name, .. } => write!(out, "`continues` nomeia `{name}`, que nenhuma rota publica"),
            Self::Branch { name, chained: false, .. } => write!(out, "`{name}` já tem uma continuação em outra rota"),
            Self::Branch { name, chained: true, .. } => write!(out, "`continues` nomeia `{name}`, que já é uma continuação"),
            Self::Retained { name, parameter, .. } => {
                write!(out, "uma continuação de `{name}` recebe o mesmo pedido, mas o parâmetro `{parameter}` não é o mesmo nas duas")
            }
        }
    }
}

impl core::error::Error for ToolError {}

impl Catalogue {
    /// The tools of a contract.
    ///
    /// # Errors
    /// The first rule that they break.
    pub fn of(contract: &Contract) -> Result<Self, ToolError> {
        let mut tools: Vec<Tool> = Vec::new();
        for (index, route) in contract.routes.iter().enumerate() {
            let Some(tool) = tool(contract, index, route)? else { continue };
            // A continuation without a name of its own goes by that of what it continues: it is no tool beside it.
            if route.options.continues.as_deref() == Some(&tool.name) && route.tool.is_none() {
                continue;
            }
            if let Some(known) = tools.iter().find(|known| known.name == tool.name) {
                return Err(ToolError::Clash { name: tool.name, routes: (known.route, index) });
            }
            tools.push(tool);
        }
        continue_pages(contract, &mut tools)?;
        for tool in &mut tools {
            bound_to_path(&contract.routes[tool.route].path, &mut tool.input.input);
            match &tool.example {
                Some(example) => {
                    let (name, route) = (&tool.name, tool.route);
                    let refused = |issues| ToolError::Example { name: name.clone(), route, issues };
                    tool.decode(&contract.types, example.clone()).map_err(refused)?;
                }
                // Made up, so that it counts only where it is an input.
                None => {
                    let made = example(&contract.types, &tool.input().fields);
                    tool.example = made.filter(|made| tool.decode(&contract.types, made.clone()).is_ok());
                }
            }
        }
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { tools })
    }

    /// All tools, in the order of their names.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool of that name.
    pub fn find(&self, name: &str) -> Option<&Tool> {
        self.locate(name).map(|(_, tool)| tool)
    }

    /// The tool of that name, and its place among all.
    pub fn locate(&self, name: &str) -> Option<(usize, &Tool)> {
        let place = self.tools.binary_search_by(|tool| tool.name.as_str().cmp(name)).ok()?;
        Some((place, self.tools.get(place)?))
    }

    /// The tool whose next pages a route gives, and nothing else.
    pub fn continued_by(&self, route: usize) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.next_page == route && tool.route != route)
    }

    /// The tool that a route runs; a continuation's route is that of the tool it goes by.
    pub fn of_route(&self, route: usize) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.route == route || tool.next_page == route)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

/// The tool that a route gives.
fn tool(contract: &Contract, index: usize, route: &Route) -> Result<Option<Tool>, ToolError> {
    let (own_name, description, input, read) = match route.action {
        Some(action) => {
            let action = contract.actions.get(action).ok_or(ToolError::Action { route: index })?;
            (action.name.clone(), action.description.as_ref().or(route.about.as_ref()), action.input.clone(), false)
        }
        None if route.agent && route.method == Method::Get => {
            let twice = route.query.iter().find(|(name, _)| path_params(&route.path).any(|param| param == name));
            if let Some((name, _)) = twice {
                return Err(ToolError::Argument { name: name.clone(), route: index });
            }
            let segments = parse_path(&route.path).unwrap_or_default();
            (derived_name(segments), route.about.as_ref(), read_input(&contract.types, route), true)
        }
        None => return Ok(None),
    };
    let name = route.tool.clone().unwrap_or(own_name);
    if !is_valid_name(&name) {
        return Err(ToolError::Name { name, route: index });
    }
    let options = &route.options;
    let effect = options.effect.as_deref().and_then(Effect::from_name);
    Ok(Some(Tool {
        description: description.cloned().unwrap_or_default(),
        route: index,
        action: route.action,
        effect: effect.unwrap_or(if read { Effect::Read } else { Effect::Write }),
        idempotent: options.idempotent.unwrap_or(read),
        parallel_safe: true,
        confirmation: options.confirmation.as_deref() == Some("required"),
        timeout_ms: options.timeout_ms,
        continues: None,
        next_page: index,
        example: options.example.clone(),
        input: Action { name: String::new(), description: None, input },
        name,
    }))
}

/// The arguments of a GET route: its path's values, its declared query, and what chooses fields of its result.
fn read_input(types: &Types, route: &Route) -> Struct {
    let field = |name: &str, ty: Type, presence| Field {
        name: name.to_owned(),
        ty,
        presence,
        description: None,
        hidden: false,
        source: Source::Input,
    };
    let mut fields: Vec<Field> = path_params(&route.path).map(|name| field(name, Kind::String.into(), Presence::Required)).collect();
    fields.extend(route.query.iter().map(|(name, ty)| field(name, ty.clone(), Presence::Optional)));
    let chosen_of = route.returns.as_ref().and_then(result_struct).filter(|_| !fields.iter().any(|field| field.name == SELECTION));
    if let Some(of) = chosen_of {
        let mut names = Type::from(Kind::String);
        names.constraints.pattern = select::pattern(types, of);
        let selection = field(SELECTION, names, Presence::Optional);
        fields.push(Field { description: Some("Só estes campos, separados por vírgula".to_string()), ..selection });
    }
    Struct { name: String::new(), description: None, fields }
}

/// Lets what a caller gives for the path be only what a path can hold.
fn bound_to_path(path: &str, input: &mut Struct) {
    let given = |field: &Field| !field.hidden && matches!(field.source, Source::Input | Source::Path);
    for field in input.fields.iter_mut().filter(|field| given(field) && path_params(path).any(|name| name == field.name)) {
        *field = in_path(field);
    }
}

/// Ties continuations to what they continue: the one takes `{}`, the other no cursor.
fn continue_pages(contract: &Contract, tools: &mut [Tool]) -> Result<(), ToolError> {
    for (index, route) in contract.routes.iter().enumerate() {
        let Some(continued) = &route.options.continues else { continue };
        let named = tools.iter().position(|tool| tool.name == *continued && tool.route != index);
        let at = named.ok_or_else(|| ToolError::Continues { name: continued.clone(), route: index })?;
        let branch = |first, chained| Err(ToolError::Branch { name: continued.clone(), routes: (first, index), chained });
        if contract.routes[tools[at].route].options.continues.is_some() {
            return branch(tools[at].route, true);
        }
        if tools[at].next_page != tools[at].route {
            return branch(tools[at].next_page, false);
        }
        let own = route.action.and_then(|action| contract.actions.get(action)).map(|action| &action.input);
        if let Some(parameter) = differs(&tools[at].input.input, own) {
            return Err(ToolError::Retained { name: continued.clone(), route: index, parameter });
        }
        tools[at].next_page = index;
        if let Some(tool) = tools.iter_mut().find(|tool| tool.route == index) {
            tool.continues = Some(continued.clone());
            tool.example = None;
            tool.input.input.fields.clear();
        }
    }
    for tool in tools.iter_mut().filter(|tool| tool.next_page != tool.route) {
        tool.input.input.fields.retain(|field| !is_cursor(field));
    }
    Ok(())
}

/// The first parameter that a caller gives to the one and that the other would not take alike.
fn differs(continued: &Struct, own: Option<&Struct>) -> Option<String> {
    let given = |field: &&Field| !matches!(field.source, Source::Inject(_)) && !field.hidden && !is_cursor(field);
    let empty = Struct::default();
    let own = own.unwrap_or(&empty);
    let missing = |a: &Struct, b: &Struct| {
        let alike = |field: &Field| b.fields.iter().any(|other| other.name == field.name && other.ty == field.ty);
        a.fields.iter().filter(given).find(|field| !alike(field)).map(|field| field.name.clone())
    };
    missing(continued, own).or_else(|| missing(own, continued))
}
