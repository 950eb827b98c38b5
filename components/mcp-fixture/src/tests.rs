//! What the suite looks at, over plain HTTP.

use djo::testing::{get, post};

use crate::fixture::Site;
use crate::media::PNG;

#[test]
fn tools_answer_blocks() {
    for (path, kind, part) in [
        ("simple-text", "text", "This is a simple text response for testing."),
        ("image", "image", "\"mimeType\":\"image/png\""),
        ("audio", "audio", "\"mimeType\":\"audio/wav\""),
        ("embedded-resource", "resource", "\"uri\":\"test://embedded-resource\""),
        ("multiple", "text", "\"type\":\"resource\""),
        ("progress", "text", "progress"),
        ("logging", "text", "logging"),
    ] {
        let reply = post(&format!("/tools/{path}"), "{}").send::<Site>();
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/vnd.djo.content+json")), "{path}");
        assert!(reply.text().starts_with(&format!("[{{\"type\":\"{kind}\"")) && reply.text().contains(part), "{}", reply.text());
    }
    let reply = post("/tools/json-schema", r#"{"name":"Ana","address":{"city":"Itu","before":{}}}"#).send::<Site>();
    assert!(reply.text().contains("Ana of Itu"), "{}", reply.text());
}

#[test]
fn resources_are_what_they_say() {
    let text = get("/static-text").send::<Site>();
    assert_eq!(
        (text.header("content-type"), text.text().as_str()),
        (Some("text/plain"), "This is the content of the static text resource.")
    );
    assert_eq!(get("/static-binary").send::<Site>().body, PNG);
    assert_eq!(get("/template/123/data").send::<Site>().text(), r#"{"id":"123","templateTest":true,"data":"Data for ID: 123"}"#);
}
