//! The site as a server of the protocol, for one request.

use std::sync::{Arc, Mutex};

use djo_contract::value::Value;
use http::HeaderMap;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};

use super::{Lists, REVISION, call, page};
use crate::sandbox::Context;
use crate::server::Host;
use crate::tenant::Site;

/// The tools and resources of a site, for one caller.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) host: Arc<Host>,
    pub(super) site: Arc<Site>,
    /// Who calls.
    pub(super) context: Context,
    /// A call's arguments, exactly.
    pub(super) arguments: Option<Value>,
    /// By what the call can be cancelled.
    pub(super) handle: Option<[u8; 32]>,
    /// What the site sets for its caller: cookies and credentials, which are sent where the answer has not begun yet.
    pub(super) headers: Arc<Mutex<HeaderMap>>,
}

/// Whether results may be of any shape.
pub(super) fn takes_any_result(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= REVISION)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let about = self.site.contract.site.as_ref();
        let name = about.map_or_else(|| self.site.name.to_string(), |site| site.nome.clone());
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let mut config = ServerConfig::new(capabilities);
        config.server_info = Implementation::new(name.clone(), &*self.site.revision).with_title(name);
        config.instructions = about.map(|site| site.about.clone()).filter(|about| !about.is_empty());
        config
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        Lists::tool(&self.site, name, true).cloned()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (tools, next) = page::of(Lists::tools(&self.site, takes_any_result(&context)), request)?;
        let mut result = ListToolsResult::with_all_items(tools.to_vec());
        result.next_cursor = next;
        Ok(result)
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        call::tool(self, &request.name, &context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (resources, next) = page::of(Lists::resources(&self.site), request)?;
        let mut result = ListResourcesResult::with_all_items(resources.to_vec());
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let (templates, next) = page::of(Lists::templates(&self.site), request)?;
        let mut result = ListResourceTemplatesResult::with_all_items(templates.to_vec());
        result.next_cursor = next;
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        call::resource(self, &request.uri, &context).await
    }
}
