//! What is found on disk, and what is made of it.
#![allow(clippy::unwrap_used)]

use super::*;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn names(discovered: &Discovered) -> Vec<&str> {
    discovered.sites.iter().map(|site| site.name.as_str()).collect()
}

#[test]
fn the_three_kinds_of_sites_are_found_in_a_folder() {
    let sites = folder(&[
        ("blog/rotas.djo", ""),
        ("blog/site.toml", "hosts = [\"Blog.test\"]"),
        ("loja/site.toml", "component = \"out/loja.wasm\""),
        ("pronto.wasm", ""),
        ("README.md", ""),
        (".oculto/rotas.djo", ""),
        ("nada/x.txt", ""),
        ("não é site/x.txt", ""),
    ]);
    let discovered = discover(&[sites.path().to_path_buf()]);
    assert_eq!(names(&discovered), ["blog", "loja", "pronto"]);
    assert!(discovered.refused.is_empty(), "{:?}", discovered.refused);
    assert_eq!(discovered.sites[0].code, SiteCode::Sources);
    assert_eq!(discovered.sites[0].config.hosts, ["blog.test"]);
    assert_eq!(discovered.sites[1].code, SiteCode::Component(sites.path().join("loja/out/loja.wasm")));
    assert_eq!(discovered.sites[2].folder, None);
    assert_eq!(discovered.sites[2].path(), sites.path().join("pronto.wasm"));
}

#[test]
fn single_sites_are_found_by_their_paths() {
    let sites = folder(&[("blog/rotas.djo", ""), ("pronto.wasm", "")]);
    let discovered = discover(&[sites.path().join("pronto.wasm"), sites.path().join("blog/")]);
    assert_eq!(names(&discovered), ["pronto", "blog"]);
}

#[test]
fn one_bad_site_does_not_hide_the_others() {
    let sites = folder(&[
        ("a/rotas.djo", ""),
        ("b/rotas.djo", ""),
        ("b/site.toml", "hots = []"),
        ("c/rotas.djo", ""),
        ("c/site.toml", "component = \"c.wasm\""),
        ("d d/rotas.djo", ""),
        ("x/A/rotas.djo", ""),
    ]);
    let missing = sites.path().join("nenhum");
    let discovered = discover(&[sites.path().to_path_buf(), sites.path().join("x"), missing.clone()]);
    assert_eq!(names(&discovered), ["a"]);
    let refused: Vec<_> = discovered.refused.iter().map(|one| (one.shown.as_str(), one.error.to_string())).collect();
    assert_eq!(refused.iter().map(|(name, _)| *name).collect::<Vec<_>>()[..2], ["b", "c"]);
    assert!(refused[0].1.contains("site.toml:1:1: chave desconhecida `hots`"), "{}", refused[0].1);
    assert!(refused[1].1.contains("site.toml:1:1: o site tem também rotas.djo"), "{}", refused[1].1);
    assert!(matches!(discovered.refused[2].error, EntryError::Name { .. }));
    assert!(matches!(discovered.refused[3].error, EntryError::Taken { .. }), "A is a: hosts know no case");
    assert!(matches!(&discovered.refused[4].error, EntryError::Io { path, .. } if *path == missing));
}

#[cfg(unix)]
#[test]
fn what_leads_out_or_cannot_be_looked_at_is_refused() {
    use std::os::unix::fs::symlink;
    let outside = folder(&[("segredo.wasm", ""), ("x/rotas.djo", "")]);
    let sites =
        folder(&[("b/site.toml", "component = \"b.wasm\""), ("d/nada", ""), ("e/x.wasm", ""), ("e/site.toml", "component = \"e.wasm\"")]);
    let at = |path: &str| sites.path().join(path);
    symlink(outside.path().join("segredo.wasm"), at("a.wasm")).unwrap();
    symlink(outside.path().join("segredo.wasm"), at("b/b.wasm")).unwrap();
    file::make_pipe(&at("c.wasm"));
    // To look at it fails, as it does in a folder that is closed to us.
    symlink("rotas.djo", at("d/rotas.djo")).unwrap();
    symlink("x.wasm", at("e/e.wasm")).unwrap();
    symlink(outside.path().join("x"), at("f")).unwrap();
    fs::create_dir_all(at("g/rotas.djo")).unwrap();
    fs::create_dir_all(at("não é site")).unwrap();
    symlink("rotas.djo", at("não é site/rotas.djo")).unwrap();
    let discovered = discover(&[sites.path().to_path_buf()]);
    assert_eq!(names(&discovered), ["e", "f"], "a link of the folder's, and a folder that is linked to");
    let refused: Vec<_> = discovered.refused.iter().map(|one| one.shown.as_str()).collect();
    assert_eq!(refused, ["a", "b", "c", "d", "g"]);
    for Refused { shown, error, .. } in &discovered.refused {
        let as_expected = match shown.as_str() {
            "a" | "b" => matches!(error, EntryError::File(FileError::Outside { .. })),
            "d" => matches!(error, EntryError::Io { path, .. } if *path == at("d")),
            _ => matches!(error, EntryError::File(FileError::NotRegular(_))),
        };
        assert!(as_expected, "{shown}: {error}");
    }
    assert_eq!(discover(&[at("a.wasm")]).sites.len(), 1, "who names a link means what it leads to");
}

#[test]
fn who_had_a_name_has_it() {
    let sites = folder(&[("banco/rotas.djo", "")]);
    let paths = [sites.path().to_path_buf()];
    let (before, none) = (discover(&paths).places, Places::new());
    assert_eq!(before.values().map(|place| place.file_name().unwrap()).collect::<Vec<_>>(), ["banco"]);
    // It sorts before the one that is there.
    fs::create_dir(sites.path().join("Banco")).unwrap();
    fs::write(sites.path().join("Banco/rotas.djo"), "").unwrap();
    assert!(discover(&paths).sites[0].path().ends_with("Banco"), "on a first look the order counts");
    let who = |discovered: &Discovered| discovered.sites.first().map(|site| site.path().file_name().unwrap().to_owned());
    let after = discover_after(&paths, &before, &none);
    assert_eq!((who(&after), &after.places), (Some("banco".into()), &before));
    assert!(matches!(&after.refused[..], [Refused { error: EntryError::Taken { path, .. }, .. }] if path.ends_with("Banco")));
    // Be it unusable.
    fs::write(sites.path().join("banco/site.toml"), "x = 1").unwrap();
    let after = discover_after(&paths, &before, &none);
    assert_eq!((who(&after), &after.places, after.refused.len()), (None, &before, 2));
    // Gone, it is free.
    fs::remove_dir_all(sites.path().join("banco")).unwrap();
    assert_eq!(who(&discover_after(&paths, &before, &none)), Some("Banco".into()));
    let elsewhere = folder(&[("banco/rotas.djo", "")]);
    let kept = discover_after(&[elsewhere.path().to_path_buf()], &none, &before);
    assert!(matches!(&kept.refused[..], [Refused { error: EntryError::Kept { .. }, .. }]), "not to another folder at once");
    assert_eq!(who(&discover_after(&paths, &none, &before)), Some("Banco".into()));
}

/// What a folder of a site may be for a while: emptied, half there, a link that is being changed, in a folder that is closed.
#[cfg(unix)]
#[test]
fn a_site_that_cannot_be_seen_keeps_its_name() {
    use std::os::unix::fs::symlink;
    let (na, nb) = (folder(&[("loja/rotas.djo", ""), ("b.c/rotas.djo", "")]), folder(&[("x/rotas.djo", "")]));
    symlink(nb.path().join("x"), na.path().join("elo")).unwrap();
    let paths = [na.path().to_path_buf(), nb.path().to_path_buf()];
    let none = Places::new();
    let before = discover(&paths).places;
    assert_eq!(before.len(), 4);
    for lurking in ["loja", "elo", "b.c"] {
        fs::create_dir(nb.path().join(lurking)).unwrap();
        fs::write(nb.path().join(lurking).join("rotas.djo"), "").unwrap();
    }
    fs::remove_file(na.path().join("loja/rotas.djo")).unwrap();
    fs::remove_file(na.path().join("elo")).unwrap();
    symlink("nowhere", na.path().join("elo")).unwrap();
    let after = discover_after(&paths, &before, &none);
    assert_eq!((names(&after), &after.places), (vec!["b.c", "x"], &before));
    let refused: Vec<_> = after.refused.iter().map(|one| one.shown.as_str()).collect();
    assert_eq!(refused, ["elo", "loja", "b.c", "elo", "loja"]);
    // A folder of sites that is away cannot be looked at, as one that is closed.
    fs::rename(na.path(), nb.path().join(".away")).unwrap();
    let after = discover_after(&paths, &before, &none);
    assert_eq!((names(&after), &after.places), (vec!["x"], &before));
    assert_eq!(after.refused.iter().filter(|one| matches!(one.error, EntryError::Unseen { .. })).count(), 3);
}

/// One site that is served by its path is no folder of sites when its `rotas.djo` is gone.
#[test]
fn a_single_site_keeps_its_name_too() {
    let (a, b) = (folder(&[("loja/rotas.djo", "")]), folder(&[("loja/rotas.djo", "")]));
    let paths = [a.path().join("loja"), b.path().join("loja")];
    let before = discover(&paths).places;
    fs::remove_file(paths[0].join(ROUTES)).unwrap();
    let after = discover_after(&paths, &before, &Places::new());
    assert_eq!((names(&after).len(), &after.places), (0, &before));
    fs::remove_dir(&paths[0]).unwrap();
    assert_eq!(names(&discover_after(&paths, &before, &Places::new())), ["loja"], "gone, it is free");
}

#[test]
fn a_folder_without_sites_is_told() {
    let empty = folder(&[("x.txt", "")]);
    for path in [empty.path().to_path_buf(), empty.path().join("x.txt")] {
        let discovered = discover(std::slice::from_ref(&path));
        assert!(matches!(&discovered.refused[..], [Refused { error: EntryError::NotASite(at), .. }] if *at == path));
    }
}
