//! The tools and resources that the conformance suite of the Model Context Protocol asks for by name, and what each must answer.
//!
//! Resources are agent faces: `test://static-text` is the site `test` and its path `/static-text`.
#![cfg_attr(target_arch = "wasm32", no_std)]

mod media;
#[cfg(test)]
mod tests;

#[djo::site(nome = "test", about = "Fixture of the MCP conformance suite.")]
pub mod fixture {
    use djo::prelude::*;

    use crate::media::{PNG, WAV};

    /// Where somebody lives. It may name the one before, which keeps its schema among the definitions.
    #[djo::data(name = "address")]
    pub struct Address {
        #[djo(default = "")]
        street: String,
        #[djo(default = "")]
        city: String,
        before: Option<Box<Address>>,
    }

    /// Returns simple text
    #[djo::action("/tools/simple-text", effect = "none", idempotent = true)]
    fn test_simple_text() -> Content {
        Content::text("This is a simple text response for testing.")
    }

    /// Returns an image
    #[djo::action("/tools/image", effect = "none", idempotent = true)]
    fn test_image_content() -> Content {
        image()
    }

    /// Returns sound
    #[djo::action("/tools/audio", effect = "none", idempotent = true)]
    fn test_audio_content() -> Content {
        Content::Audio { media_type: "audio/wav".into(), bytes: WAV.into() }
    }

    /// Returns an embedded resource
    #[djo::action("/tools/embedded-resource", effect = "none", idempotent = true)]
    fn test_embedded_resource() -> Content {
        Content::TextResource {
            uri: "test://embedded-resource".into(),
            media_type: "text/plain".into(),
            text: "This is an embedded resource content.".into(),
        }
    }

    /// Returns text, an image and a resource
    #[djo::action("/tools/multiple", effect = "none", idempotent = true)]
    fn test_multiple_content_types() -> Vec<Content> {
        vec![
            Content::text("Multiple content types test:"),
            image(),
            Content::TextResource {
                uri: "test://mixed-content-resource".into(),
                media_type: "application/json".into(),
                text: r#"{"test":"data","value":123}"#.into(),
            },
        ]
    }

    fn image() -> Content {
        Content::Image { media_type: "image/png".into(), bytes: PNG.into() }
    }

    /// Always refuses
    #[djo::action("/tools/error", effect = "none")]
    fn test_error_handling() -> Result<String> {
        Err(Error::refuse(Refusal::DomainRejection, "This tool intentionally returns an error for testing").and(Directive::Finish))
    }

    /// Reports progress: 0, 50, 100 of 100
    #[djo::action("/tools/progress", effect = "none")]
    fn test_tool_with_progress(ctx: &Context) -> Content {
        for done in [0.0, 50.0, 100.0] {
            ctx.progress(done, Some(100.0), None);
        }
        Content::text("Tool with progress executed successfully")
    }

    /// Logs three lines
    #[djo::action("/tools/logging", effect = "none")]
    fn test_tool_with_logging() -> Content {
        for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
            djo::info!("{line}");
        }
        Content::text("Tool with logging executed successfully")
    }

    /// Tool with JSON Schema 2020-12 features
    #[djo::action("/tools/json-schema", effect = "none")]
    fn json_schema_2020_12_tool(name: Option<String>, address: Option<Address>) -> Content {
        let city = address.map(|address| address.city).filter(|city| !city.is_empty());
        Content::text(format!("{} of {}", name.as_deref().unwrap_or("nobody"), city.as_deref().unwrap_or("nowhere")))
    }

    /// A text that never changes
    #[djo::agent("/static-text")]
    fn static_text() -> Response {
        Response::new("text/plain", "This is the content of the static text resource.")
    }

    /// An image that never changes
    #[djo::agent("/static-binary")]
    fn static_binary() -> Response {
        Response::new("image/png", PNG)
    }

    /// What a template is filled with
    #[djo::data]
    #[allow(non_snake_case, reason = "as the suite spells it")]
    pub struct Filled {
        id: String,
        templateTest: bool,
        data: String,
    }

    /// A resource for each id
    #[djo::agent("/template/{id}/data")]
    fn template(id: String) -> Filled {
        Filled { templateTest: true, data: format!("Data for ID: {id}"), id }
    }
}
