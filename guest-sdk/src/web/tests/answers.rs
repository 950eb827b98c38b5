//! The form of HTTP for what a run answered.

use super::*;

fn seen(query: &'static str, headers: &[(&'static str, &'static str)], response: Response, looked: Looked) -> Reply {
    let request = asked("GET", query, headers, "");
    let run = run(asked("GET", query, headers, ""));
    answered(&contract(), &request, run.entry, &run.view, response, looked).unwrap()
}

fn posts() -> Response {
    let body = br#"[{"id":1,"titulo":"a,b"},{"id":2,"titulo":"c"}]"#;
    Response { status: 200, headers: vec![("content-type".into(), "application/json".into())], body: body.to_vec(), page: None }
}

#[test]
fn agents_choose_fields_and_tables() {
    let reply = seen("/posts?campos=titulo", &[JSON], posts(), Looked::default());
    assert_eq!(text(&reply), r#"[{"titulo":"a,b"},{"titulo":"c"}]"#);
    let reply = seen("/posts?tabela&campos=titulo,id", &[JSON], posts(), Looked::default());
    assert_eq!(text(&reply), "id,titulo\r\n1,\"a,b\"\r\n2,c\r\n");
    assert_eq!(reply.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(answer(asked("GET", "/posts?campos=autor", &[JSON], "")).status, 400);
    assert_eq!(answer(asked("GET", "/api?tabela", &[JSON], "")).status, 400);
    // People see their page, whatever the query says.
    assert_eq!(run(asked("GET", "/posts?campos=autor", &[HTML], "")).entry, Entry::Screen(1));
}

#[test]
fn only_what_is_nobodys_own_may_be_kept() {
    let control = |headers: &[(&'static str, &'static str)], response, looked| {
        seen("/posts", headers, response, looked).header("cache-control").unwrap().to_owned()
    };
    let personal = Looked { personal: true };
    assert_eq!(control(&[JSON], posts(), Looked::default()), "public, max-age=30");
    assert_eq!(control(&[JSON], posts(), personal), "private, no-store");
    assert_eq!(control(&[JSON], Response { body: vec![b' '; 300_000], ..posts() }, Looked::default()), "private, no-store");
    assert_eq!(control(&[JSON, ("cookie", "a=1")], posts(), Looked::default()), "private, no-store");
    assert_eq!(control(&[JSON, ("authorization", "x")], posts(), Looked::default()), "private, no-store");
    assert_eq!(control(&[JSON], Response { status: 201, ..posts() }, Looked::default()), "private, no-store");
    let with = |name: &str, value: &str| Response { headers: vec![(name.into(), value.into())], ..posts() };
    assert_eq!(control(&[JSON], with("set-cookie", "a=1"), Looked::default()), "private, no-store");
    assert_eq!(control(&[JSON], with("cache-control", "max-age=1, Private"), Looked::default()), "private, no-store");
    assert_eq!(control(&[JSON], with("cache-control", "max-age=1"), Looked::default()), "public, max-age=30");
}

#[test]
fn a_tag_that_is_known_needs_no_body() {
    let reply = seen("/posts", &[JSON], posts(), Looked::default());
    let tag: &'static str = reply.header("etag").unwrap().to_owned().leak();
    let list: &'static str = format!("\"outra\", W/{tag}").leak();
    for held in [tag, "*", list] {
        let reply = seen("/posts", &[JSON, ("if-none-match", held)], posts(), Looked::default());
        assert_eq!((reply.status, reply.content.len(), reply.header("etag")), (304, 0, Some(tag)));
        assert_eq!(reply.header("content-type"), None);
    }
    assert_eq!(seen("/posts", &[JSON, ("if-none-match", "\"outra\"")], posts(), Looked::default()).status, 200);
    assert_eq!(seen("/posts", &[HTML], posts(), Looked::default()).header("etag"), None);
}

#[test]
fn a_site_may_take_less_than_the_usual() {
    let wanting = |name: &str, bytes| {
        let mut contract = contract();
        contract.wanted.limits.push((name.into(), bytes));
        contract
    };
    let body = r#"{"nota":1.5}"#;
    let call = |contract: &Contract| {
        let plan = plan(contract, &Router::new(contract).unwrap(), &mut asked("POST", "/posts/7/notas", &[SENDS_JSON], body));
        matches!(plan.step, Step::Run(_))
    };
    assert!(call(&wanting("max_body", 12)) && call(&wanting("max_body", 1 << 30)));
    assert_eq!(answer_of(&wanting("max_body", 11), asked("POST", "/posts/7/notas", &[SENDS_JSON], body)).status, 413);
    let request = asked("GET", "/api", &[JSON], "");
    let length = posts().body.len() as u64;
    let shaped = |most| {
        let contract = wanting("max_response", most);
        answered(&contract, &request, Entry::Agent(4), &Default::default(), posts(), Looked::default())
    };
    assert_eq!(shaped(length).unwrap().status, 200);
    assert_eq!(shaped(length - 1).unwrap_err(), format!("a resposta tem {length} bytes; o máximo é {}", length - 1));
}

#[test]
fn a_page_says_where_the_next_one_is() {
    let page = crate::PageBounds { returned: 2, truncated: true, total: Some(9), refinement_hint: None, next_cursor: Some("2".into()) };
    let reply = seen("/posts?pagina=1", &[JSON], Response { page: Some(page.clone()), ..posts() }, Looked::default());
    assert_eq!((reply.header("x-total-count"), reply.header("link")), (Some("9"), Some("</posts?pagina=1&cursor=2>; rel=\"next\"")));
    let impossible = crate::PageBounds { truncated: false, ..page };
    let request = asked("GET", "/posts", &[JSON], "");
    let Run { entry, view, .. } = run(asked("GET", "/posts", &[JSON], ""));
    let response = Response { page: Some(impossible), ..posts() };
    let broken = answered(&contract(), &request, entry, &view, response, Looked::default()).unwrap_err();
    assert!(broken.contains("`next_cursor` precisa de `truncated: true`"), "a part would pass for the whole: {broken}");
}

#[test]
fn what_no_part_can_be_shown_of_is_no_answer() {
    for query in ["/posts?campos=id", "/posts?tabela"] {
        let request = asked("GET", query, &[JSON], "");
        let Run { entry, view, .. } = run(asked("GET", query, &[JSON], ""));
        let page = Response { body: b"<p>".to_vec(), ..posts() };
        let broken = answered(&contract(), &request, entry, &view, page, Looked::default()).unwrap_err();
        assert!(broken.starts_with("a resposta não é JSON"), "{broken}");
    }
}

#[test]
fn what_is_not_the_sites_to_say_is_left_out() {
    let headers = ["Server", "proxy-authenticate", "ETag", "X-Request-Id", "X-Content-Type-Options", "Vary", "X-Meu"];
    let headers = headers.map(|name| (name.to_string(), if name == "Vary" { "accept, Cookie" } else { "1" }.to_string())).to_vec();
    let reply = finish(seen("/posts", &[HTML], Response { headers, ..posts() }, Looked::default()), None, "abc", true);
    let mut said: Vec<_> = reply.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    said.sort_unstable();
    let once =
        ["cache-control: public, max-age=30", "vary: accept, Cookie", "x-content-type-options: nosniff", "x-meu: 1", "x-request-id: abc"];
    assert_eq!(said, once);
}

#[test]
fn an_answer_that_http_does_not_know_is_none() {
    let shaped = |status, name: &str, value: &str| {
        let response = Response { status, headers: vec![(name.into(), value.into())], ..posts() };
        answered(&contract(), &asked("GET", "/", &[], ""), Entry::Screen(0), &Default::default(), response, Looked::default())
    };
    assert!(shaped(200, "x-a", "é\t1").is_ok() && shaped(599, "x-a", "").is_ok());
    assert!(shaped(199, "x-a", "").is_err() && shaped(1000, "x-a", "").is_err());
    assert!(shaped(200, "x a", "").is_err() && shaped(200, "x-a", "1\r\nb: 2").is_err());
    assert_eq!(shaped(204, "x-a", "").unwrap().content.len(), 0);
}

#[test]
fn every_response_says_the_same_of_itself() {
    let reply = finish(Reply::empty(404), Some(&contract()), "abc", true);
    for (name, value) in [
        ("x-request-id", "abc"),
        ("vary", "Accept"),
        ("x-content-type-options", "nosniff"),
        ("link", "</.well-known/ai-manifest.json>; rel=\"ai-manifest\""),
    ] {
        assert_eq!(reply.header(name), Some(value));
    }
    assert_eq!(finish(Reply::empty(404), Some(&Contract::default()), "abc", false).header("link"), None);
}
