//! What a site can be read of as resources: its agent faces. Those whose path has no parameters are resources, the others templates.
//!
//! A resource is named by the site and the path: `blog://posts` is `/posts` of the site `Blog`. A query is one of the route:
//! `blog://posts?campos=id,titulo`.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use djo_contract::media::is_json_media_type;
use djo_contract::model::{Method, Route};
use djo_contract::route::{Match, path_params};
use djo_contract::tool::Tool;
use http::Response;
use http::header::CONTENT_TYPE;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use super::server::Server;
use super::tools;
use crate::documents;
use crate::execution::Call;
use crate::pipeline::{ValidateError, reading};
use crate::tenant::Site;

/// Of a route that declares its result.
const MEDIA_TYPE: &str = "application/json";
/// What no address has as it is; the braces of templates stay.
const UNSAFE: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'%');

/// The resources.
pub(super) fn resources(site: &Site) -> Vec<Resource> {
    let resource = |(route, tool): (&Route, &Tool)| {
        let mut resource = Resource::new(address(site, &route.path), tool.name.clone()).with_title(tools::title(tool));
        resource.description = Some(tool.description.clone()).filter(|text| !text.is_empty());
        resource.mime_type = route.returns.is_some().then(|| MEDIA_TYPE.to_owned());
        resource
    };
    routes(site, false).map(resource).collect()
}

/// The templates (RFC 6570).
pub(super) fn templates(site: &Site) -> Vec<ResourceTemplate> {
    let template = |(route, tool): (&Route, &Tool)| {
        let mut template = ResourceTemplate::new(address(site, &route.path), tool.name.clone()).with_title(tools::title(tool));
        template.description = Some(tool.description.clone()).filter(|text| !text.is_empty());
        template.mime_type = route.returns.is_some().then(|| MEDIA_TYPE.to_owned());
        template
    };
    routes(site, true).map(template).collect()
}

/// Agent faces that are tools of their own, whose path has parameters or has none.
fn routes(site: &Site, with_parameters: bool) -> impl Iterator<Item = (&Route, &Tool)> {
    site.contract.routes.iter().enumerate().filter_map(move |(index, route)| {
        let reads = route.agent && route.method == Method::Get && path_params(&route.path).next().is_some() == with_parameters;
        let tool = site.tools.of_route(index).filter(|tool| tool.route == index)?;
        reads.then_some((route, tool))
    })
}

/// `/posts` of `Blog`: `blog://posts`. The site's own page has no name to stand there: `blog:///`.
fn address(site: &Site, path: &str) -> String {
    let rest = path.strip_prefix('/').filter(|rest| !rest.is_empty()).unwrap_or(path);
    format!("{}://{}", scheme(site), utf8_percent_encode(rest, UNSAFE))
}

/// The site's name as a scheme (RFC 3986): lower-case letters, digits and `-`, a letter first.
fn scheme(site: &Site) -> String {
    scheme_of(site.contract.site.as_ref().map_or(&site.name, |about| about.nome.as_str()))
}

fn scheme_of(name: &str) -> String {
    let mut scheme = String::new();
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => scheme.push(c),
            _ if scheme.ends_with('-') => {}
            _ => scheme.push('-'),
        }
    }
    let scheme = scheme.trim_matches('-');
    if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) {
        scheme.to_owned()
    } else {
        format!("site-{scheme}").trim_matches('-').to_owned()
    }
}

/// The call that reads a resource, and the tool that it is; `None` when there is no such resource.
///
/// # Errors
/// What is wrong with its query.
pub(super) fn find<'s>(server: &'s Server, uri: &str) -> Option<Result<(&'s Tool, Box<Call>), serde_json::Value>> {
    let site = &server.site;
    let rest = uri.split_once("://").filter(|(scheme, _)| scheme.eq_ignore_ascii_case(&self::scheme(site)))?.1;
    let rest = rest.split('#').next().unwrap_or(rest);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let Match::Found { route, params } = site.router.find("GET", &path) else { return None };
    site.contract.routes.get(route).filter(|route| route.agent)?;
    let tool = site.tools.of_route(route)?;
    Some(match reading(Arc::clone(site), route, path, query, params, server.context.clone()) {
        Ok(call) => Ok((tool, call)),
        Err(ValidateError::Input(error)) => Err(serde_json::json!({ "problemas": documents::json(&error.problemas()) })),
        Err(error) => Err(error.to_string().into()),
    })
}

/// What was read: text as text, anything else as bytes in base64.
pub(super) fn contents(uri: &str, response: &Response<Bytes>) -> ResourceContents {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = content_type.map_or(MEDIA_TYPE, |value| value.split(';').next().unwrap_or(value).trim());
    let contents = match std::str::from_utf8(response.body()) {
        Ok(text) if is_text(media_type) => ResourceContents::text(text, uri),
        _ => ResourceContents::blob(STANDARD.encode(response.body()), uri),
    };
    contents.with_mime_type(media_type)
}

fn is_text(media_type: &str) -> bool {
    let media_type = media_type.to_ascii_lowercase();
    media_type.starts_with("text/")
        || is_json_media_type(&media_type)
        || media_type.ends_with("+xml")
        || ["application/xml", "application/javascript", "application/yaml"].contains(&media_type.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_schemes() {
        for (name, scheme) in
            [("Blog", "blog"), ("Café do Zé", "caf-do-z"), ("3 Irmãos", "site-3-irm-os"), ("你好", "site"), ("", "site"), ("a--b", "a-b")]
        {
            assert_eq!(scheme_of(name), scheme, "{name}");
        }
    }

    #[test]
    fn contents_are_text_where_they_can_be() {
        let response = |kind: &'static str, body: &'static [u8]| {
            let mut response = Response::new(Bytes::from_static(body));
            response.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static(kind));
            contents("a://b", &response)
        };
        assert_eq!(response("text/csv; charset=utf-8", b"a"), ResourceContents::text("a", "a://b").with_mime_type("text/csv"));
        assert_eq!(response("image/png", &[1, 2, 3]), ResourceContents::blob("AQID", "a://b").with_mime_type("image/png"));
        assert_eq!(response("text/plain", &[0xff]), ResourceContents::blob("/w==", "a://b").with_mime_type("text/plain"));
    }
}
