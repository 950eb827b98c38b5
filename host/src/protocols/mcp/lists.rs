//! What a site lists: made when somebody first asks for it, kept for as long as the revision. A site that nobody calls by this protocol
//! has none of it in memory.

use std::sync::OnceLock;

use rmcp::model::{Resource, ResourceTemplate, Tool};

use super::{resources, tools};
use crate::tenant::Site;

/// The lists of one revision of a site.
#[derive(Default)]
pub struct Lists {
    /// With results that are objects, with results of any shape; both in the order of the catalogue.
    objects: OnceLock<Vec<Tool>>,
    any: OnceLock<Vec<Tool>>,
    resources: OnceLock<Vec<Resource>>,
    templates: OnceLock<Vec<ResourceTemplate>>,
}

impl Lists {
    /// The tools of a site, by its own lists. Schemas of results are of any shape, or of objects alone.
    pub(super) fn tools(site: &Site, any: bool) -> &[Tool] {
        let lists = &site.mcp;
        let listed = || site.tools.tools().iter().map(|tool| tools::listed(&site.contract, tool, any)).collect();
        if any { lists.any.get_or_init(listed) } else { lists.objects.get_or_init(listed) }
    }

    /// One tool, as it is listed.
    pub(super) fn tool<'s>(site: &'s Site, name: &str, any: bool) -> Option<&'s Tool> {
        let (place, _) = site.tools.locate(name)?;
        Self::tools(site, any).get(place)
    }

    /// The agent faces without parameters.
    pub(super) fn resources(site: &Site) -> &[Resource] {
        site.mcp.resources.get_or_init(|| resources::resources(site))
    }

    /// Those with parameters.
    pub(super) fn templates(site: &Site) -> &[ResourceTemplate] {
        site.mcp.templates.get_or_init(|| resources::templates(site))
    }
}
