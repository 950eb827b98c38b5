//! The table of routes as a tree of segments.

use alloc::{
    borrow::Cow,
    collections::BTreeMap,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use super::{
    pattern::{Segment, parse_path, path_params},
    percent::decode_segment,
};
use crate::model::{Contract, Method};

/// The longest path and query that is looked at, in bytes.
pub const MAX_TARGET: usize = 16 << 10;

/// What a request's method and path lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    /// A route, as an index of the contract's list, and the values of its path's parameters, decoded.
    Found {
        /// The route.
        route: usize,
        /// Names and values, in the order of the path.
        params: Vec<(String, String)>,
    },
    /// The path is there, the method is not. `OPTIONS` always ends here; it is answered with these methods.
    MethodNotAllowed {
        /// What `Allow` lists, in a fixed order.
        allow: Vec<&'static str>,
    },
    /// No route has such a path.
    NotFound,
    /// A broken percent-encoding, or a segment that holds `/` or NUL when decoded.
    BadPath,
}

/// Why routes make no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RouterError {
    /// No request tells these two routes apart.
    Conflict {
        /// The earlier one.
        a: usize,
        /// The later one.
        b: usize,
    },
    /// A path that is none.
    Path {
        /// The route.
        route: usize,
        /// What is wrong.
        reason: String,
    },
}

impl fmt::Display for RouterError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict { a, b } => write!(out, "as rotas {a} e {b} atendem os mesmos pedidos"),
            Self::Path { route, reason } => write!(out, "rota {route}: {reason}"),
        }
    }
}

impl core::error::Error for RouterError {}

#[derive(Clone, Debug, Default)]
struct Node {
    literals: BTreeMap<String, usize>,
    param: Option<usize>,
    /// Routes that end here.
    routes: Vec<(Method, usize)>,
}

/// The routes of a site, ready to match.
#[derive(Clone, Debug)]
pub struct Router {
    /// The root comes first.
    nodes: Vec<Node>,
    /// For each route the names of its path's parameters.
    params: Vec<Vec<String>>,
}

impl Router {
    /// Builds the table.
    ///
    /// # Errors
    /// Two routes that can never be told apart, or a path that is none.
    pub fn new(contract: &Contract) -> Result<Self, RouterError> {
        let mut router = Self { nodes: Vec::from([Node::default()]), params: Vec::with_capacity(contract.routes.len()) };
        for (index, route) in contract.routes.iter().enumerate() {
            let segments = parse_path(&route.path).map_err(|reason| RouterError::Path { route: index, reason })?;
            let end = segments.into_iter().fold(0, |node, segment| router.child(node, segment));
            let routes = &mut router.nodes[end].routes;
            if let Some((_, earlier)) = routes.iter().find(|(method, _)| *method == route.method) {
                return Err(RouterError::Conflict { a: *earlier, b: index });
            }
            routes.push((route.method, index));
            router.params.push(path_params(&route.path).map(ToString::to_string).collect());
        }
        Ok(router)
    }

    /// The route that a path leads to by literal segments alone, none of them encoded: what most paths do, and the first that the
    /// search would come to.
    fn find_literal(&self, path: &str, wanted: Option<Method>) -> Option<usize> {
        // No declared path has a `%`, so that what is encoded is never taken for one.
        let end = path.split('/').try_fold(0, |node, part| self.nodes[node].literals.get(part).copied())?;
        self.nodes[end].routes.iter().find(|(method, _)| Some(*method) == wanted).map(|(_, route)| *route)
    }

    fn child(&mut self, node: usize, segment: Segment<'_>) -> usize {
        let new = self.nodes.len();
        let child = match segment {
            Segment::Literal(literal) => *self.nodes[node].literals.entry(literal.into()).or_insert(new),
            Segment::Param(_) => *self.nodes[node].param.get_or_insert(new),
        };
        if child == new {
            self.nodes.push(Node::default());
        }
        child
    }

    /// Finds the route for a method (in upper case; `HEAD` is `GET`) and a raw path (without query).
    ///
    /// A literal segment beats a parameter, from left to right; where the better branch has no route of that method the other is tried.
    pub fn find(&self, method: &str, raw_path: &str) -> Match {
        let Some(rest) = raw_path.strip_prefix('/') else {
            return Match::BadPath;
        };
        let wanted = Method::from_name(if method == "HEAD" { "GET" } else { method });
        if let Some(route) = self.find_literal(rest, wanted) {
            return Match::Found { route, params: Vec::new() };
        }
        self.search(rest, wanted)
    }

    pub(super) fn search(&self, path: &str, wanted: Option<Method>) -> Match {
        let mut segments = Vec::new();
        for part in path.split('/') {
            match decode_segment(part) {
                Ok(segment) => segments.push(segment),
                Err(_) => return Match::BadPath,
            }
        }
        let mut search = Search { nodes: &self.nodes, segments: &segments, wanted, values: Vec::new(), seen: Vec::new() };
        if let Some(route) = search.run(0, 0) {
            let values = search.values.iter().map(|&at| segments[at].to_string());
            return Match::Found { route, params: self.params[route].iter().cloned().zip(values).collect() };
        }
        if search.seen.is_empty() { Match::NotFound } else { Match::MethodNotAllowed { allow: allow(&search.seen) } }
    }
}

struct Search<'s> {
    nodes: &'s [Node],
    segments: &'s [Cow<'s, str>],
    wanted: Option<Method>,
    /// The segments that parameters took on the way here.
    values: Vec<usize>,
    /// Methods of the routes that have the path.
    seen: Vec<Method>,
}

impl Search<'_> {
    /// Recurses as deep as the deepest declared path. Each node is visited at most once.
    fn run(&mut self, node: usize, at: usize) -> Option<usize> {
        let node = &self.nodes[node];
        let Some(segment) = self.segments.get(at) else {
            let found = node.routes.iter().find(|(method, _)| Some(*method) == self.wanted);
            if found.is_none() {
                self.seen.extend(node.routes.iter().map(|(method, _)| *method));
            }
            return found.map(|(_, route)| *route);
        };
        if let Some(&child) = node.literals.get(segment.as_ref())
            && let Some(route) = self.run(child, at + 1)
        {
            return Some(route);
        }
        let child = node.param.filter(|_| !segment.is_empty())?;
        self.values.push(at);
        let found = self.run(child, at + 1);
        if found.is_none() {
            self.values.pop();
        }
        found
    }
}

fn allow(seen: &[Method]) -> Vec<&'static str> {
    let mut allow = Vec::new();
    for method in Method::ALL.into_iter().filter(|method| seen.contains(method)) {
        allow.push(method.as_str());
        if method == Method::Get {
            allow.push("HEAD");
        }
    }
    allow.push("OPTIONS");
    allow
}
