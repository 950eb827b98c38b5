//! Documents of contracts.

use djo_contract::section;

use super::*;

fn documents(contract: &Contract) -> Option<Documents> {
    Documents::of(&"pasta".into(), &Arc::new(contract.clone()), &Arc::new(Catalogue::of(contract).ok()?))
}

/// A contract as the compiler writes it.
fn compiled(routes: &str, core: &str) -> Contract {
    let files = [("rotas.djo", routes), ("core/a.djo", core), ("agentes/a.djo", "Http.json:[]\n"), ("paginas/a.djo.html", "<p>a</p>\n")];
    let files = files.into_iter().map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect();
    match djo_lang::compile(&djo_lang::Sources { files }) {
        Ok(compiled) => compiled.contract,
        Err(failed) => panic!("{}", djo_lang::diagnostic::render(&failed.files, &failed.diagnostics, false)),
    }
}

fn openapi(contract: &Contract) -> Value {
    let documents = documents(contract).map(|documents| documents.get(DocumentName::OpenApi).body.clone()).unwrap_or_default();
    serde_json::from_slice(&documents).unwrap_or(Value::Null)
}

#[test]
fn a_site_with_nothing_for_agents_has_none() {
    assert!(documents(&Contract::default()).is_none());
    assert!(documents(&compiled("Route.get:\"/\":\"paginas/a.djo.html\"\n", "")).is_none());
}

#[test]
fn names_come_from_the_site_or_its_folder() {
    let routes = "Route.get:\"/a\":{\"agent\": \"agentes/a.djo\"}\n";
    let contract = compiled(routes, "");
    assert_eq!(openapi(&contract)["info"]["title"], "pasta");
    let contract = compiled(&format!("Route.site:{{\"nome\": \"Meu  site\", \"about\": \"Um\"}}\n{routes}"), "");
    let document = openapi(&contract);
    assert_eq!((&document["info"]["title"], &document["info"]["description"]), (&"Meu  site".into(), &"Um".into()));
    let llms = documents(&contract).map(|documents| documents.get(DocumentName::Llms).body.clone()).unwrap_or_default();
    assert!(llms.starts_with(b"# Meu site\n\n> Um\n"));
}

#[test]
fn the_version_changes_with_what_is_offered() {
    let version = |about: &str| {
        openapi(&compiled(&format!("Route.get:\"/a\":{{\"agent\": \"agentes/a.djo\", \"about\": \"{about}\"}}\n"), ""))["info"]["version"]
            .clone()
    };
    assert_eq!(version("a"), version("a"));
    assert_ne!(version("a"), version("b"));
}

#[test]
fn one_path_has_one_set_of_names() {
    let routes = "Route.get:\"/a/{x}\":{\"agent\": \"agentes/a.djo\"}\nRoute.action:\"/a/{id}\":\"agir\"\n";
    let document = openapi(&compiled(routes, "action agir\n    params[id[Int]]\n    return id\n"));
    let paths = document["paths"].as_object().map(|paths| paths.keys().cloned().collect::<Vec<_>>());
    assert_eq!(paths, Some(vec!["/a/{x}".to_owned()]));
    assert_eq!(document["paths"]["/a/{x}"]["post"]["parameters"][0]["name"], "x");
    assert_eq!(document["paths"]["/a/{x}"]["post"]["parameters"][0]["schema"]["type"], "integer");
}

#[test]
fn what_is_only_for_people_is_in_none() {
    let routes = "Route.get:\"/segredo\":\"paginas/a.djo.html\"\nRoute.get:\"/a\":{\"agent\": \"agentes/a.djo\"}\n";
    let contract = compiled(routes, "");
    let Some(documents) = documents(&contract) else { panic!("the site has an agent face") };
    for document in [
        &documents.get(DocumentName::OpenApi),
        &documents.get(DocumentName::ApiCatalog),
        &documents.get(DocumentName::AgentCard),
        &documents.get(DocumentName::Llms),
        &documents.get(DocumentName::Robots),
    ] {
        assert!(!String::from_utf8_lossy(&document.body).contains("segredo"));
    }
}

#[test]
fn a_contract_can_be_read_back_into_the_same_documents() {
    let contract = compiled("Route.get:\"/a\":{\"agent\": \"agentes/a.djo\", \"returns\": \"Int\"}\n", "");
    let again = section::decode(section::encode(&contract).as_bytes());
    assert_eq!(again.ok().map(|contract| openapi(&contract)), Some(openapi(&contract)));
}
