//! What happens with a request, up to the point where code of the site would run.

use super::*;

#[test]
fn faces_are_chosen_by_accept() {
    assert_eq!(run(asked("GET", "/posts", &[JSON], "")).entry, Entry::Agent(1));
    assert_eq!(run(asked("GET", "/posts", &[HTML], "")).entry, Entry::Screen(1));
    assert_eq!(run(asked("HEAD", "/posts", &[], "")).entry, Entry::Screen(1));
    assert_eq!(run(asked("GET", "/api", &[], "")).entry, Entry::Agent(4));
    assert_eq!(run(asked("POST", "/posts", &[JSON], "a=1")).entry, Entry::Screen(2));
}

#[test]
fn what_no_face_gives_is_406() {
    let reply = answer(asked("GET", "/api", &[("accept", "text/html")], ""));
    assert_eq!((reply.status, reply.header("content-type")), (406, Some("text/html; charset=utf-8")));
    assert_eq!(answer(asked("GET", "/posts", &[("accept", "image/png")], "")).status, 406);
}

#[test]
fn agents_are_greeted_at_the_root_and_find_the_manifest() {
    let reply = answer(asked("GET", "/", &[JSON], ""));
    assert!(text(&reply).starts_with("{\"saudacao\":\"Olá!"), "{reply:?}");
    assert_eq!(run(asked("GET", "/", &[HTML], "")).entry, Entry::Screen(0));
    let manifest = answer(asked("GET", "/.well-known/ai-manifest.json", &[], ""));
    assert!(text(&manifest).starts_with("{\"format\":\"djo-manifest/1\""));
    let tag: &'static str = manifest.header("etag").unwrap().to_owned().leak();
    let again = answer(asked("GET", "/.well-known/ai-manifest.json", &[("if-none-match", tag)], ""));
    assert_eq!((again.status, again.content.len()), (304, 0));
}

#[test]
fn other_methods_are_told_which_there_are() {
    let reply = answer(asked("DELETE", "/posts", &[JSON], ""));
    assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD, POST, OPTIONS")));
    let reply = answer(asked("OPTIONS", "/posts", &[], ""));
    assert_eq!((reply.status, reply.header("allow"), reply.content.len()), (204, Some("GET, HEAD, POST, OPTIONS"), 0));
    assert_eq!(answer(asked("POST", "/meu%20estilo.css", &[], "")).status, 405);
}

#[test]
fn paths_that_lead_nowhere() {
    assert_eq!(answer(asked("GET", "/nada", &[JSON], "")).status, 404);
    assert_eq!(text(&answer(asked("GET", "/nada", &[JSON], ""))), r#"{"erro":"não encontrado"}"#);
    for path in ["/%zz", "/a%2fb", "/a%00b"] {
        assert_eq!(answer(asked("GET", path, &[], "")).status, 400, "{path}");
    }
}

#[test]
fn static_files_lie_behind_the_routes() {
    let reply = answer(asked("GET", "/meu%20estilo.css", &[JSON], ""));
    assert_eq!((reply.status, &reply.content), (200, &Content::File { start: 100, length: 7 }));
    assert_eq!((reply.header("content-type"), reply.header("etag")), (Some("text/css; charset=utf-8"), Some("\"abc\"")));
    let known = answer(asked("GET", "/meu%20estilo.css", &[("if-none-match", "\"abc\"")], ""));
    assert_eq!((known.status, known.content.len()), (304, 0));
}

#[test]
fn parts_of_files_are_cut_out() {
    let part = |headers: &[(&'static str, &'static str)]| {
        let reply = answer(asked("GET", "/meu%20estilo.css", headers, ""));
        (reply.status, reply.header("content-range").map(ToOwned::to_owned), reply.content)
    };
    let range = |status, range: &str, content| (status, Some(range.to_owned()), content);
    assert_eq!(part(&[("range", "bytes=2-3")]), range(206, "bytes 2-3/7", Content::File { start: 102, length: 2 }));
    assert_eq!(part(&[("range", "bytes=-1"), ("if-range", "\"abc\"")]), range(206, "bytes 6-6/7", Content::File { start: 106, length: 1 }));
    assert_eq!(part(&[("range", "bytes=2-3, bytes=4-5")]).0, 200, "two fields, joined");
    assert_eq!(part(&[("range", "bytes=2-3"), ("if-range", "\"x\"")]), (200, None, Content::File { start: 100, length: 7 }));
    assert_eq!(part(&[("range", "bytes=2-3"), ("if-none-match", "*")]).0, 304);
    let refused = answer(asked("GET", "/meu%20estilo.css", &[("range", "bytes=7-"), JSON], ""));
    assert_eq!((refused.status, refused.header("content-range"), refused.header("etag")), (416, Some("bytes */7"), None));
    assert_eq!(text(&refused), r#"{"erro":"o arquivo não tem os bytes pedidos"}"#);
    assert_eq!((refused.header("vary"), refused.header("cache-control")), (Some("Accept"), Some("no-store")));
    assert!(
        text(&answer(asked("GET", "/meu%20estilo.css", &[("range", "bytes=7-")], "")))
            .contains("<p>o arquivo não tem os bytes pedidos.</p>")
    );
}

#[test]
fn actions_take_json_that_fits() {
    let refused = |headers: &[(&'static str, &'static str)], body| answer(asked("POST", "/posts/7/notas", headers, body));
    assert_eq!(refused(&[], "{}").status, 415);
    assert_eq!(refused(&[("content-type", "text/plain")], "{}").status, 415);
    assert_eq!(refused(&[SENDS_JSON], "{").status, 400);
    let reply = refused(&[SENDS_JSON], r#"{"nota":"dez","x":1}"#);
    assert_eq!(reply.status, 422);
    let campos = r#"{"erro":"entrada inválida","campos":{"nota":"deve ser Float, mas veio String","x":"campo desconhecido"}"#;
    assert!(text(&reply).starts_with(campos), "{}", text(&reply));
    let run = run(asked("POST", "/posts/7/notas", &[SENDS_JSON, HTML], r#"{"nota":9.5}"#));
    assert_eq!(run.entry, Entry::Action(3));
    assert_eq!(String::from_utf8(run.arguments).unwrap(), r#"{"id":7,"nota":9.5}"#);
}

#[test]
fn what_the_context_fills_is_not_taken_from_the_body() {
    let call = |source: &str, headers: &[(&'static str, &'static str)], body| {
        let contract = injecting(source);
        let headers: Vec<_> = headers.iter().copied().chain([SENDS_JSON]).collect();
        plan(&contract, &Router::new(&contract).unwrap(), &mut asked("POST", "/posts/7/notas", &headers, body)).step
    };
    let filled = |source, headers: &[(&'static str, &'static str)]| match call(source, headers, r#"{"nota":1.5}"#) {
        Step::Run(run) => String::from_utf8(run.arguments).unwrap(),
        Step::Answer(reply) => reply.status.to_string(),
        Step::Refuse(refusal) => refusal.status().to_string(),
    };
    assert_eq!(filled("session.usuario", &[("cookie", "a=1; djo_sessao=s1")]), r#"{"id":7,"nota":1.5,"quem":"ana"}"#);
    assert_eq!(filled("session.usuario", &[("cookie", "djo_sessao=s2")]), "401");
    assert_eq!(filled("session.outra", &[("cookie", "djo_sessao=s1")]), "401");
    assert_eq!(filled("header.X-Cliente", &[("x-cliente", "beto")]), r#"{"id":7,"nota":1.5,"quem":"beto"}"#);
    assert_eq!(filled("header.X-Cliente", &[]), "500");
    assert_eq!(filled("request.id", &[]), r#"{"id":7,"nota":1.5,"quem":"abc"}"#);
    let Step::Refuse(refusal) = call("request.id", &[], r#"{"nota":1.5,"quem":"eu"}"#) else { panic!("runs") };
    assert_eq!(refusal.status(), 422);
    // Of a client whose address the host does not tell nothing is made up.
    assert_eq!(filled("client.ip", &[]), "500");
}

#[test]
fn a_body_is_read_only_where_one_is_taken() {
    let mut request = asked("POST", "/posts/7/notas", &[], "{}");
    planned(&mut request);
    assert!(!request.read, "refused by its type alone");
    let mut request = asked("GET", "/posts", &[JSON], "x");
    planned(&mut request);
    assert!(!request.read);
    for (error, status) in [(BodyError::TooLarge, 413), (BodyError::Broken, 400)] {
        let request = Asked { body: Err(error), ..asked("POST", "/posts/7/notas", &[SENDS_JSON], "") };
        assert_eq!(answer(request).status, status);
    }
}

#[test]
fn an_action_speaks_json_whatever_is_accepted() {
    let plan = planned(&mut asked("POST", "/posts/7/notas", &[SENDS_JSON, HTML], "["));
    assert_eq!((plan.known.audience, plan.known.varies), (Audience::Program, false));
    let Step::Refuse(refusal) = plan.step else { panic!("runs") };
    assert_eq!(refuse(plan.known, &refusal).header("content-type"), Some("application/json"));
}

#[test]
fn declared_query_parameters_are_checked() {
    let run = run(asked("GET", "/posts?pagina=2&outra=x", &[HTML], ""));
    assert_eq!(String::from_utf8(run.arguments).unwrap(), r#"{"pagina":2}"#);
    assert_eq!(answer(asked("GET", "/posts?pagina=dois", &[JSON], "")).status, 422);
    assert_eq!(answer(asked("GET", "/posts?pagina=%zz", &[JSON], "")).status, 400);
}

#[test]
fn at_the_root_agents_are_greeted_whether_or_not_a_route_reads_it() {
    for method in [None, Some(Method::Post)] {
        let mut contract = contract();
        contract.routes.remove(0);
        contract.routes.extend(method.map(|method| route(method, "/", true, false)));
        let ask = |method, headers: &[(&'static str, &'static str)]| answer_of(&contract, asked(method, "/", headers, ""));
        for headers in [&[][..], &[("accept", "*/*")], &[JSON]] {
            let reply = ask("GET", headers);
            assert!(reply.status == 200 && text(&reply).starts_with("{\"saudacao\""), "{headers:?} {reply:?}");
        }
        let refused = ask("GET", &[("accept", "text/html")]);
        assert_eq!((refused.status, refused.header("vary")), (406, Some("Accept")));
        let allow = if method.is_some() { "GET, HEAD, POST, OPTIONS" } else { "GET, HEAD, OPTIONS" };
        for (asked, status) in [("OPTIONS", 204), ("DELETE", 405)] {
            let reply = ask(asked, &[JSON]);
            assert_eq!((reply.status, reply.header("allow")), (status, Some(allow)), "{asked}");
        }
    }
    let nothing = Contract { routes: vec![route(Method::Get, "/a", true, false)], ..Contract::default() };
    assert_eq!(answer_of(&nothing, asked("GET", "/", &[JSON], "")).status, 404);
}

#[test]
fn the_manifest_is_only_read() {
    for (method, status) in [("OPTIONS", 204), ("POST", 405)] {
        let reply = answer(asked(method, manifest::PATH, &[JSON], ""));
        assert_eq!((reply.status, reply.header("allow")), (status, Some("GET, HEAD, OPTIONS")), "{method}");
    }
}

#[test]
fn who_sends_json_and_accepts_nothing_in_particular_is_answered_in_json() {
    let kind = |request| answer(request).header("content-type").map(ToOwned::to_owned);
    for request in [
        asked("GET", "/nada", &[SENDS_JSON], ""),
        asked("DELETE", "/posts", &[SENDS_JSON, ("accept", "*/*")], ""),
        asked("POST", "/%zz", &[SENDS_JSON], "{}"),
    ] {
        assert_eq!(kind(request).as_deref(), Some("application/json"));
    }
    assert_eq!(kind(asked("GET", "/nada", &[SENDS_JSON, HTML], "")).as_deref(), Some("text/html; charset=utf-8"));
}

#[test]
fn refusals_are_nobodys_to_keep() {
    let reply = answer(asked("GET", "/nada", &[JSON], ""));
    assert_eq!((reply.header("cache-control"), reply.header("vary")), (Some("no-store"), Some("Accept")));
    let cached = answer(asked("GET", "/posts?pagina=x", &[JSON], ""));
    let vary: Vec<_> = cached.values("vary").collect();
    assert_eq!((cached.status, cached.header("cache-control"), vary), (422, Some("private, no-store"), vec!["Cookie", "Accept"]));
}

#[test]
fn csv_is_a_form_of_the_agent_face() {
    assert_eq!(run(asked("GET", "/posts?tabela", &[("accept", "text/csv")], "")).entry, Entry::Agent(1));
    assert_eq!(answer(asked("GET", "/posts", &[("accept", "text/csv")], "")).status, 406);
}

/// A contract whose action `dar_nota` has a cursor, and a continuation.
fn continued() -> Contract {
    let mut contract = contract();
    let cursor = Field { presence: Presence::Optional, ..field("cursor", Kind::String, Source::Input) };
    contract.actions[0].input.fields.push(cursor);
    let mut more = route(Method::Post, "/posts/{id}/notas/mais", false, false);
    more.action = Some(0);
    more.options.continues = Some("dar_nota".into());
    contract.routes.push(more);
    contract
}

#[test]
fn a_first_request_says_nothing_of_pages() {
    let call = |target, body| plan(&continued(), &Router::new(&continued()).unwrap(), &mut asked("POST", target, &[SENDS_JSON], body)).step;
    let Step::Run(run) = call("/posts/7/notas", r#"{"nota":1.5}"#) else { panic!("is refused") };
    assert_eq!(run.entry, Entry::Action(3));
    for (target, body) in [("/posts/7/notas?cursor=2", r#"{"nota":1.5}"#), ("/posts/7/notas", r#"{"nota":1.5,"cursor":"2"}"#)] {
        let Step::Refuse(refusal) = call(target, body) else { panic!("runs") };
        assert!(refusal.status() == 422 && refusal.body().contains(r#""cursor":"#), "{refusal:?}");
    }
}

#[test]
fn a_key_that_protects_nothing_is_refused() {
    let key = ("idempotency-key", "k1");
    let reply = answer(asked("POST", "/posts/7/notas", &[SENDS_JSON, key], r#"{"nota":1.5}"#));
    assert!(reply.status == 501 && text(&reply).contains("Idempotency-Key"), "{reply:?}");
    // Whatever is wrong beside it is told first; where nothing runs twice the field means nothing.
    assert_eq!(answer(asked("POST", "/posts/7/notas", &[SENDS_JSON, key], "{}")).status, 422);
    assert_eq!(run(asked("POST", "/posts", &[key], "a=1")).entry, Entry::Screen(2));
}
