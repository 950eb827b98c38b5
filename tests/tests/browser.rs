//! The pages of exemplo in a real browser: read, comment, log in, on a desk and on a phone. Screenshots go to the target
//! folder, under `screenshots/`, for a look.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    server::Server,
    webdriver::{self, Browser},
    workspace,
};
use std::{env, fs, path::PathBuf};

const EXEMPLO: &str = "sites/exemplo";

/// A browser and a server with fresh data; `None` on a machine without a browser, which CI never is.
fn start(width: u32, height: u32, phone: bool) -> Option<(Browser, Server, String)> {
    let Some(installed) = webdriver::installed() else {
        assert!(env::var("CI").is_err(), "CI has to test the pages: scripts/browser.sh found no browser");
        eprintln!("no browser on this machine: run `just test`, which looks for one");
        return None;
    };
    let server = Server::start(&[EXEMPLO], &[]).unwrap();
    let browser = Browser::start(&installed, width, height, phone).unwrap();
    let base = format!("http://{}", server.address());
    Some((browser, server, base))
}

fn keep_screenshot(browser: &Browser, name: &str) {
    let folder: PathBuf = workspace::target().join("screenshots");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name).with_extension("png"), browser.screenshot().unwrap()).unwrap();
}

/// No page may be wider than the screen, and nothing to tap may be too small for a finger.
fn fits_the_screen(browser: &Browser, page: &str) {
    let overflow = browser.execute("return document.documentElement.scrollWidth - document.documentElement.clientWidth").unwrap();
    assert_eq!(overflow, 0, "{page} is wider than the screen");
    let small = browser
        .execute(
            "return [...document.querySelectorAll('button, input, textarea, header a')]
                .filter(e => e.offsetParent && e.getBoundingClientRect().height < 40).map(e => e.outerHTML)",
        )
        .unwrap();
    assert_eq!(small.as_array().map(Vec::len), Some(0), "{page}: too small to tap: {small}");
}

/// What can be checked of accessibility without a person.
fn is_accessible(browser: &Browser, page: &str) {
    let problems = browser
        .execute(
            "const wrong = [];
             if (document.documentElement.lang !== 'pt-BR') wrong.push('lang');
             if (!document.title) wrong.push('title');
             if (document.querySelectorAll('h1').length !== 1) wrong.push('one h1');
             if (document.querySelectorAll('main').length !== 1) wrong.push('one main');
             const skip = document.querySelector('body > a');
             if (!skip || !document.querySelector(skip.getAttribute('href'))) wrong.push('skip link');
             for (const e of document.querySelectorAll('input, textarea')) if (!e.labels.length) wrong.push('label of ' + e.name);
             const levels = [...document.querySelectorAll('h1,h2,h3,h4')].map(e => +e.tagName[1]);
             levels.forEach((l, i) => { if (i && l > levels[i - 1] + 1) wrong.push('heading order'); });
             const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
             if (new Set(ids).size !== ids.length) wrong.push('ids are not unique');
             return wrong",
        )
        .unwrap();
    assert_eq!(problems.as_array().map(Vec::len), Some(0), "{page}: {problems}");
}

#[test]
fn a_reader_opens_a_post_and_comments() {
    let Some((browser, _server, base)) = start(1280, 900, false) else { return };
    browser.open(&base).unwrap();
    assert!(browser.text("main").unwrap().contains("Três caminhadas depois da chuva"));
    is_accessible(&browser, "list");
    keep_screenshot(&browser, "desk-list");

    browser.click(".chamada a[href='/posts/2']").unwrap();
    browser.wait_for("h1", "Pão sem pressa").unwrap();
    assert_eq!(browser.url().unwrap(), format!("{base}/posts/2"));
    is_accessible(&browser, "post");
    keep_screenshot(&browser, "desk-post");

    browser.type_into("#autor", "Nina <b>").unwrap();
    browser.type_into("#texto", "Fiz hoje e a casca cantou.\nObrigada!").unwrap();
    browser.click("#comentar button").unwrap();
    let comments = browser.wait_for("#comentarios", "1 comentário").unwrap();
    assert!(browser.url().unwrap().starts_with(&format!("{base}/posts/2?comentou=1#comentario-")), "{}", browser.url().unwrap());
    assert!(comments.contains("Nina <b>") && comments.contains("Fiz hoje e a casca cantou.\nObrigada!"), "{comments}");
    keep_screenshot(&browser, "desk-comment");
}

#[test]
fn a_form_that_lacks_something_keeps_what_was_typed() {
    let Some((browser, _server, base)) = start(1280, 900, false) else { return };
    browser.open(&format!("{base}/posts/1")).unwrap();
    browser.type_into("#texto", "Sem nome \"entre aspas\"").unwrap();
    browser.click("#comentar button").unwrap();
    browser.wait_for("#erro-autor", "Diga como quer ser chamado.").unwrap();
    assert_eq!(browser.execute("return document.querySelector('#texto').value").unwrap(), "Sem nome \"entre aspas\"");
    is_accessible(&browser, "form with an error");
}

#[test]
fn the_author_logs_in_writes_and_logs_out() {
    let Some((browser, _server, base)) = start(1280, 900, false) else { return };
    browser.open(&format!("{base}/painel")).unwrap();
    assert_eq!(browser.url().unwrap(), format!("{base}/entrar"));
    is_accessible(&browser, "log-in");
    browser.type_into("#usuario", "lia").unwrap();
    browser.type_into("#senha", "quintal").unwrap();
    browser.click("main button").unwrap();
    browser.wait_for("h1", "Olá, Lia Amaral").unwrap();
    is_accessible(&browser, "panel");
    browser.type_into("#titulo", "Escrito no navegador").unwrap();
    browser.type_into("#texto", "Um parágrafo.\n\n## E um título").unwrap();
    keep_screenshot(&browser, "desk-panel");
    browser.click("[action='/painel'] button").unwrap();
    browser.wait_for("h1", "Escrito no navegador").unwrap();
    assert_eq!(browser.text(".texto h2").unwrap(), "E um título");
    browser.click("[action='/sair'] button").unwrap();
    browser.wait_for("header", "Entrar").unwrap();
    browser.open(&format!("{base}/painel")).unwrap();
    assert_eq!(browser.url().unwrap(), format!("{base}/entrar"));
}

#[test]
fn every_page_fits_a_phone() {
    let Some((browser, _server, base)) = start(360, 740, true) else { return };
    for (page, path) in [("list", "/"), ("post", "/posts/3"), ("about", "/sobre"), ("log-in", "/entrar"), ("missing", "/nada-aqui")] {
        browser.open(&format!("{base}{path}")).unwrap();
        fits_the_screen(&browser, page);
        is_accessible(&browser, page);
        keep_screenshot(&browser, &format!("phone-{page}"));
    }
}
