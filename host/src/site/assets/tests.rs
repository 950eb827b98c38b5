//! Static files over real folders.
#![allow(clippy::unwrap_used)]

use std::{fs, io::Read as _};

use http::{HeaderMap, Method, Response, header};
use tempfile::TempDir;

use super::*;

fn site(files: &[(&str, &[u8])]) -> (TempDir, Assets) {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let assets = Assets::load(folder.path(), 60).unwrap();
    (folder, assets)
}

fn respond(
    assets: &Assets,
    path: &str,
    method: &Method,
    request: &[(header::HeaderName, &str)],
) -> Result<Response<AssetBody>, AssetError> {
    let mut headers = HeaderMap::new();
    for (name, value) in request {
        headers.append(name.clone(), value.parse().unwrap());
    }
    assets.find(path).unwrap().respond(&headers, method)
}

/// Status, headers and body of an answer.
fn get(assets: &Assets, path: &str, request: &[(header::HeaderName, &str)]) -> (u16, HeaderMap, Vec<u8>) {
    send(assets, path, &Method::GET, request)
}

fn send(assets: &Assets, path: &str, method: &Method, request: &[(header::HeaderName, &str)]) -> (u16, HeaderMap, Vec<u8>) {
    let (head, body) = respond(assets, path, method, request).unwrap().into_parts();
    let body = match body {
        AssetBody::Bytes(bytes) => bytes.to_vec(),
        AssetBody::File(file, length) => {
            let mut bytes = Vec::new();
            file.take(length).read_to_end(&mut bytes).unwrap();
            bytes
        }
    };
    (head.status.as_u16(), head.headers, body)
}

#[test]
fn files_are_found_by_path_and_nothing_else_is() {
    let (_folder, assets) = site(&[
        ("publico/ola.txt", b"ola"),
        ("publico/a b/ç.css", b"x"),
        ("publico/.htaccess", b"x"),
        ("publico/.well/x", b"x"),
        ("publico/d/index.html", b"x"),
        ("site.toml", b""),
        ("rotas.djo", b""),
    ]);
    for path in ["/ola.txt", "/%6Fla.txt", "/a%20b/%C3%A7.css", "/d/index.html"] {
        assert!(assets.find(path).is_some(), "{path}");
    }
    let absent = [
        "",
        "/",
        "ola.txt",
        "//ola.txt",
        "/d",
        "/d/",
        "/.htaccess",
        "/%2ehtaccess",
        "/.well/x",
        "/../site.toml",
        "/%2e%2e/site.toml",
        "/d/../ola.txt",
        "/d/%2e%2e/ola.txt",
        "/d%2Findex.html",
        "/ola.txt/",
        "/ola.txt%00",
        "/OLA.txt",
        "/%ff",
        "/rotas.djo",
        "/publico/ola.txt",
    ];
    for path in absent {
        assert!(assets.find(path).is_none(), "{path}");
    }
}

#[test]
fn an_answer_has_type_tag_and_age() {
    let (_folder, assets) = site(&[("publico/ola.txt", b"ola mundo\n")]);
    let (status, headers, body) = get(&assets, "/ola.txt", &[]);
    assert_eq!((status, body.as_slice()), (200, &b"ola mundo\n"[..]));
    assert_eq!(headers["content-type"], "text/plain; charset=utf-8");
    assert_eq!(headers["cache-control"], "public, max-age=60");
    assert_eq!(headers["accept-ranges"], "bytes");
    let tag = headers["etag"].to_str().unwrap().to_owned();
    assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() == 34, "{tag}");
    let (status, headers, body) = get(&assets, "/ola.txt", &[(header::IF_NONE_MATCH, &format!("\"x\", W/{tag}"))]);
    assert_eq!((status, body.len()), (304, 0));
    assert_eq!(headers["etag"], tag.as_str());
    assert_eq!(headers["cache-control"], "public, max-age=60");
    assert!(headers.get("content-type").is_none());
    assert_eq!(get(&assets, "/ola.txt", &[(header::IF_NONE_MATCH, "*")]).0, 304);
    assert_eq!(get(&assets, "/ola.txt", &[(header::IF_NONE_MATCH, "\"outra\"")]).0, 200);
}

#[test]
fn content_types_are_those_of_the_web() {
    let types = [
        ("a.html", "text/html; charset=utf-8"),
        ("a.css", "text/css; charset=utf-8"),
        ("a.js", "text/javascript; charset=utf-8"),
        ("a.mjs", "text/javascript; charset=utf-8"),
        ("a.json", "application/json"),
        ("a.svg", "image/svg+xml; charset=utf-8"),
        ("a.png", "image/png"),
        ("a.woff2", "font/woff2"),
        ("a.wasm", "application/wasm"),
        ("A.PNG", "image/png"),
        ("a.inexistente", "application/octet-stream"),
        ("sem-final", "application/octet-stream"),
    ];
    for (name, expected) in types {
        assert_eq!(content_type(name), expected, "{name}");
    }
}

#[test]
fn parts_of_small_and_large_files() {
    let large: Vec<u8> = (0..600_000u32).map(|n| (n % 251) as u8).collect();
    let (_folder, assets) = site(&[("publico/small", b"0123456789"), ("publico/large", &large)]);
    for (path, content) in [("/small", &b"0123456789"[..]), ("/large", &large)] {
        let size = content.len();
        let (status, headers, body) = get(&assets, path, &[]);
        assert_eq!((status, body.as_slice()), (200, content));
        let tag = headers["etag"].to_str().unwrap().to_owned();
        let (status, headers, body) = get(&assets, path, &[(header::RANGE, "bytes=2-5")]);
        assert_eq!((status, body.as_slice()), (206, &content[2..6]));
        assert_eq!(headers["content-range"], format!("bytes 2-5/{size}").as_str());
        let (status, _, body) = get(&assets, path, &[(header::RANGE, "bytes=-3")]);
        assert_eq!((status, body.as_slice()), (206, &content[size - 3..]));
        let outside = respond(&assets, path, &Method::GET, &[(header::RANGE, "bytes=700000-")]);
        assert!(matches!(outside, Err(AssetError::NoSuchBytes(bytes)) if bytes == size as u64));
        let twice = [(header::RANGE, "bytes=2-5"), (header::RANGE, "bytes=2-5")];
        assert_eq!(get(&assets, path, &twice).0, 200);
        assert_eq!(get(&assets, path, &[twice[0].clone(), (header::IF_RANGE, &tag), (header::IF_RANGE, &tag)]).0, 200);
        assert_eq!(get(&assets, path, &[(header::RANGE, "bytes=2-5"), (header::IF_RANGE, &tag)]).0, 206);
        assert_eq!(get(&assets, path, &[(header::RANGE, "bytes=2-5"), (header::IF_RANGE, "\"outra\"")]).0, 200);
        assert_eq!(get(&assets, path, &[(header::RANGE, "bytes=2-5"), (header::IF_RANGE, &format!("W/{tag}"))]).0, 200);
        assert_eq!(get(&assets, path, &[(header::RANGE, "bytes=2-5"), (header::IF_NONE_MATCH, &tag)]).0, 304);
        assert_eq!(send(&assets, path, &Method::HEAD, &[(header::RANGE, "bytes=2-5")]).0, 200);
    }
}

#[test]
fn tag_and_bytes_fit_when_a_large_file_changes() {
    let (folder, assets) = site(&[("publico/large", &vec![1; 300_000])]);
    let (_, before, _) = get(&assets, "/large", &[]);
    fs::write(folder.path().join("publico/large"), vec![2; 400_000]).unwrap();
    let (status, after, body) = get(&assets, "/large", &[(header::IF_NONE_MATCH, before["etag"].to_str().unwrap())]);
    assert_eq!((status, body.len()), (200, 400_000));
    assert_ne!(before["etag"], after["etag"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_goes_or_becomes_a_link_is_not_found() {
    let (folder, assets) = site(&[("publico/a", b"a"), ("publico/b", b"b"), ("secret", b"secret")]);
    fs::remove_file(folder.path().join("publico/a")).unwrap();
    fs::remove_file(folder.path().join("publico/b")).unwrap();
    std::os::unix::fs::symlink("../secret", folder.path().join("publico/b")).unwrap();
    for path in ["/a", "/b"] {
        assert!(matches!(respond(&assets, path, &Method::GET, &[]), Err(AssetError::Gone)));
    }
}

#[cfg(unix)]
#[test]
fn a_public_folder_elsewhere_is_not_served() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("x"), "x").unwrap();
    let site = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), site.path().join(FOLDER)).unwrap();
    assert!(Assets::load(site.path(), 60).unwrap().is_empty());
}

#[test]
fn no_folder_means_no_files() {
    let (_folder, assets) = site(&[("rotas.djo", b"")]);
    assert!(assets.is_empty() && assets.find("/x").is_none());
}

#[test]
fn carried_files_answer_as_those_on_disk() {
    let (folder, on_disk) = site(&[("publico/a/b.css", b"b{}"), ("publico/.x", b"")]);
    let files = read_all(folder.path(), 10, 10).unwrap();
    assert_eq!(files, [("a/b.css".to_owned(), b"b{}".to_vec())]);
    assert!(read_all(folder.path(), 10, 2).is_err() && read_all(folder.path(), 0, 10).is_err());
    let carried = Assets::carried(files.into_iter().map(|(path, content)| (path, content.into())), 60);
    for request in [&[][..], &[(header::RANGE, "bytes=1-")], &[(header::IF_NONE_MATCH, "*")]] {
        assert_eq!(get(&carried, "/a/b.css", request), get(&on_disk, "/a/b.css", request));
    }
}
