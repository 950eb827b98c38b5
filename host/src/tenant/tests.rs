//! Sites on disk and what is served of them, renewal by renewal.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use super::look::{Spot, Target};
use super::registry::{LoadError, Registry, Stops};
use super::watch::Lookout;
use super::{Site, SiteError};
use crate::options::{ServeOptions, ServeReporter, SiteReady};
use crate::sandbox::Sandbox;
use crate::store::{StoreSettings, Stores};

const ROUTES: &str = "Route.get:\"/\":{\"agent\": \"a.djo\"}\n";

/// What was told, a word and a name each.
#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Told {
    fn note(&self, word: &str, name: &str) {
        self.0.lock().unwrap().push(format!("{word} {name}"));
    }

    fn take(&self) -> Vec<String> {
        let mut told = std::mem::take(&mut *self.0.lock().unwrap());
        told.sort_unstable();
        told
    }
}

impl ServeReporter for Told {
    fn site_ready(&self, site: &SiteReady) {
        self.note("ready", &site.name);
    }

    fn site_refused(&self, name: &str, _: &SiteError) {
        self.note("refused", name);
    }

    fn site_kept(&self, name: &str, _: &SiteError) {
        self.note("kept", name);
    }

    fn listening(&self, _: SocketAddr, _: bool) {}

    fn stopping(&self) {}
}

/// Two folders of sites and a data folder.
struct World {
    folder: tempfile::TempDir,
    sandbox: Arc<Sandbox>,
    told: Arc<Told>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sandbox = Sandbox::new(crate::build::RUNTIME, &folder.path().join("code"), 64 << 20, 64 << 20).unwrap();
        fs::create_dir_all(folder.path().join("na")).unwrap();
        fs::create_dir_all(folder.path().join("nb")).unwrap();
        Self { folder, sandbox: Arc::new(sandbox), told: Arc::default() }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        // The clock of files may stand still for some milliseconds.
        std::thread::sleep(Duration::from_millis(12));
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    /// A site at a place, that answers so.
    fn site(&self, place: &str, answer: &str) {
        self.write(&format!("{place}/a.djo"), &format!("Http.json:{answer}\n"));
        self.write(&format!("{place}/rotas.djo"), ROUTES);
    }

    fn options(&self) -> ServeOptions {
        ServeOptions { paths: vec![self.at("na"), self.at("nb")], data: self.at("data"), ..ServeOptions::default() }
    }

    fn load(&self, options: &ServeOptions, stops: Stops) -> Result<Registry, LoadError> {
        let stores = Stores::new(&options.data, StoreSettings::default());
        Registry::load(options, stores, Arc::clone(&self.sandbox), &*self.told, stops)
    }

    fn served(&self) -> Registry {
        self.load(&self.options(), Stops::default()).unwrap()
    }

    /// Looks at everything, and renews what has changed; answers what was told.
    fn renew(&self, registry: &Registry) -> Vec<String> {
        self.told.take();
        registry.renew(&registry.changed(None), &*self.told);
        self.told.take()
    }
}

fn site(registry: &Registry, name: &str) -> Option<Arc<Site>> {
    registry.find(&format!("{name}.localhost"))
}

fn revision(registry: &Registry, name: &str) -> Option<Arc<str>> {
    site(registry, name).map(|site| Arc::clone(&site.revision))
}

#[test]
fn what_is_served_is_told_of_while_sites_are_renewed() {
    let world = World::new();
    world.site("na/um", "1");
    let registry = Arc::new(world.served());
    let _renewing = registry.state();
    let (tell, told) = mpsc::channel();
    let asked = Arc::clone(&registry);
    std::thread::spawn(move || tell.send(asked.sites().len()));
    assert_eq!(told.recv_timeout(Duration::from_secs(10)), Ok(1));
}

#[test]
fn what_nobody_touched_is_neither_read_nor_told_again() {
    let world = World::new();
    world.site("na/um", "1");
    world.site("na/mau", "naoexiste");
    world.site("na/toml", "1");
    world.write("na/toml/site.toml", "x = 1\n");
    world.site("nb/um", "2");
    let registry = world.served();
    assert_eq!(world.told.take(), ["ready um", "refused mau", "refused toml", "refused um"]);
    assert_eq!(world.renew(&registry), [""; 0]);
    world.site("na/um", "11");
    assert_eq!(world.renew(&registry), ["ready um"]);
    world.site("na/mau", "naoexiste2");
    assert_eq!(world.renew(&registry), ["refused mau"]);
    world.site("na/mau", "1");
    world.write("na/toml/site.toml", "");
    assert_eq!(world.renew(&registry), ["ready mau", "ready toml"]);
    // The same for one that goes on as it last was.
    world.site("na/mau", "naoexiste");
    assert_eq!(world.renew(&registry), ["kept mau"]);
    assert_eq!(world.renew(&registry), [""; 0]);
    assert!(site(&registry, "mau").unwrap().diagnostics.is_some());
}

#[test]
fn a_site_whose_files_are_away_goes_on_and_nobody_takes_its_name() {
    let world = World::new();
    world.site("na/loja", "1");
    world.site("nb/outra", "1");
    let registry = world.served();
    let first = revision(&registry, "loja");
    world.site("nb/loja", "2");
    fs::remove_file(world.at("na/loja/rotas.djo")).unwrap();
    assert_eq!(world.renew(&registry), ["kept loja", "refused loja"]);
    assert_eq!(revision(&registry, "loja"), first);
    // Nor with its whole folder, for a while; it is back as it was.
    fs::rename(world.at("na/loja"), world.at("na/.loja")).unwrap();
    world.renew(&registry);
    assert!(site(&registry, "loja").is_none());
    let again = world.served();
    assert!(site(&again, "loja").is_none(), "nor with a restart");
    fs::rename(world.at("na/.loja"), world.at("na/loja")).unwrap();
    world.site("na/loja", "1");
    world.renew(&registry);
    assert_eq!(revision(&registry, "loja"), first);
}

#[test]
fn sites_of_a_folder_that_cannot_be_looked_at_go_on() {
    let world = World::new();
    world.site("na/loja", "1");
    world.site("nb/outra", "1");
    let registry = world.served();
    fs::rename(world.at("na"), world.at("away")).unwrap();
    assert_eq!(world.renew(&registry), ["kept loja", "refused na"]);
    assert!(site(&registry, "loja").is_some() && site(&registry, "outra").is_some());
    assert_eq!(world.renew(&registry), [""; 0]);
    fs::rename(world.at("away"), world.at("na")).unwrap();
    assert_eq!(world.renew(&registry), ["ready loja"]);
}

#[test]
fn a_default_site_that_is_broken_is_waited_for_and_one_that_is_not_there_is_an_error() {
    let world = World::new();
    world.site("na/um", "1");
    world.site("nb/outra", "1");
    world.site("na/mau", "naoexiste");
    let default = |name: &str| ServeOptions { default_site: Some(name.to_owned()), ..world.options() };
    assert!(matches!(world.load(&default("nenhum"), Stops::default()), Err(LoadError::NoDefault(_))));
    assert!(matches!(world.load(&ServeOptions { strict: true, ..default("mau") }, Stops::default()), Err(LoadError::Strict(1))));
    let registry = world.load(&default("mau"), Stops::default()).unwrap();
    assert!(site(&registry, "um").is_some() && registry.find("outro.test").is_none());
    world.site("na/mau", "2");
    world.renew(&registry);
    assert_eq!(registry.find("outro.test").unwrap().name.as_ref(), "mau");
}

#[test]
fn sites_that_cannot_be_served_at_the_start_are_waited_for_and_their_author_sees_why() {
    let world = World::new();
    assert!(matches!(world.load(&world.options(), Stops::default()), Err(LoadError::NoSite)));
    world.site("na/mau", "naoexiste");
    let registry = world.served();
    assert_eq!((registry.standing().left_out(), registry.standing().outdated()), (2, 0), "the empty folder is one");
    assert!(registry.find("mau.localhost").is_none() && registry.why_not("mau.localhost").is_none(), "who is no author learns nothing");
    let of_author = world.load(&ServeOptions { dev: true, ..world.options() }, Stops::default()).unwrap();
    for host in ["mau.localhost", "MAU.localhost.", "127.0.0.1"] {
        assert!(of_author.why_not(host).unwrap().contains("naoexiste"), "{host}");
    }
    world.site("na/mau", "1");
    world.write("nb/toml/site.toml", "x = 1\n");
    for registry in [&registry, &of_author] {
        world.renew(registry);
        assert!(registry.find("mau.localhost").is_some());
    }
    assert!(of_author.why_not("mau.localhost").is_none() && of_author.why_not("127.0.0.1").is_none(), "now it is one of two");
    assert!(of_author.why_not("toml.localhost").is_some());
    world.site("na/mau", "naoexiste");
    world.renew(&registry);
    assert_eq!((registry.standing().left_out(), registry.standing().outdated()), (1, 1));
}

#[test]
fn a_record_that_could_not_be_written_is_written_later() {
    let world = World::new();
    world.site("na/um", "1");
    fs::create_dir_all(world.at("data/owners.json")).unwrap();
    let registry = world.served();
    assert!(world.at("data/owners.json").is_dir());
    fs::remove_dir(world.at("data/owners.json")).unwrap();
    registry.changed(None);
    assert!(fs::read_to_string(world.at("data/owners.json")).unwrap().contains("um"));
}

/// Of a site that is gone for long: its record is made older than that.
fn age(world: &World) {
    let file = world.at("data/owners.json");
    let mut record: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    for left in record["gone"].as_object_mut().unwrap().values_mut() {
        left["since"] = 1.into();
    }
    fs::write(file, record.to_string()).unwrap();
}

#[test]
fn the_store_of_a_site_that_is_gone_is_not_the_next_ones() {
    let world = World::new();
    world.site("nb/outra", "1");
    world.site("na/loja", "1");
    let stores = |world: &World| {
        let folder = fs::read_dir(world.at("data/sites")).unwrap();
        let mut names: Vec<_> = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    };
    let registry = world.served();
    world.write("data/sites/loja/store.db", "");
    fs::remove_dir_all(world.at("na/loja")).unwrap();
    world.renew(&registry);
    age(&world);
    // At its own place it is the same site, after however long.
    world.site("na/loja", "1");
    let registry = world.served();
    assert!(site(&registry, "loja").is_some());
    assert_eq!(stores(&world), ["loja"]);
    // So it is where the operator serves other folders altogether.
    fs::remove_dir_all(world.at("na/loja")).unwrap();
    world.renew(&registry);
    age(&world);
    world.site("nb/loja", "2");
    world.site("nc/loja", "2");
    let moved = ServeOptions { paths: vec![world.at("nc")], data: world.at("data2"), ..world.options() };
    fs::create_dir_all(world.at("data2/sites/loja")).unwrap();
    fs::copy(world.at("data/owners.json"), world.at("data2/owners.json")).unwrap();
    assert!(site(&world.load(&moved, Stops::default()).unwrap(), "loja").is_some());
    assert!(world.at("data2/sites/loja").is_dir());
    // A stranger finds none.
    assert!(site(&world.served(), "loja").is_some());
    let stores = stores(&world);
    assert!(matches!(&stores[..], [aside] if aside.starts_with("loja~")), "{stores:?}");
}

#[test]
fn a_store_that_cannot_be_set_aside_is_nobodys() {
    let world = World::new();
    world.site("na/loja", "1");
    world.site("na/outro", "1");
    let registry = world.served();
    world.write("data/sites/loja/store.db", "da primeira");
    fs::remove_dir_all(world.at("na/loja")).unwrap();
    world.renew(&registry);
    age(&world);
    world.site("nb/loja", "2");
    drop(registry);
    // Where the store would go to something lies already.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    (now..now + 60).for_each(|second| fs::create_dir_all(world.at(&format!("data/sites/loja~{second}/x"))).unwrap());
    let registry = world.served();
    assert!(site(&registry, "loja").is_none());
    // Nor later, whatever else is saved.
    world.site("na/outro", "2");
    world.renew(&registry);
    assert!(site(&registry, "loja").is_none());
    assert!(registry.due().is_some(), "it is tried again");
    assert_eq!(fs::read_to_string(world.at("data/sites/loja/store.db")).unwrap(), "da primeira");
}

#[cfg(unix)]
#[test]
fn a_folder_of_sites_that_is_deployed_by_its_link_keeps_its_names() {
    let world = World::new();
    world.site("releases/1/loja", "1");
    world.site("releases/2/loja", "2");
    let link = |release: &str| {
        let (fresh, link) = (world.at("novo"), world.at("current"));
        std::os::unix::fs::symlink(world.at(release), &fresh).unwrap();
        fs::rename(fresh, link).unwrap();
    };
    link("releases/1");
    let options = ServeOptions { paths: vec![world.at("na"), world.at("current")], data: world.at("data"), ..ServeOptions::default() };
    let registry = world.load(&options, Stops::default()).unwrap();
    let first = revision(&registry, "loja").unwrap();
    // Another of the name lies in wait, in a folder that comes before.
    world.site("na/loja", "\"intruso\"");
    world.renew(&registry);
    assert_eq!(revision(&registry, "loja").unwrap(), first);
    let intruder = world.load(&ServeOptions { paths: vec![world.at("na")], data: world.at("outra"), ..options.clone() }, Stops::default());
    let intruder = revision(&intruder.unwrap(), "loja").unwrap();
    link("releases/2");
    world.renew(&registry);
    let second = revision(&registry, "loja").unwrap();
    assert!(second != first && second != intruder, "it is the second release");
}

#[test]
fn loading_is_given_up_when_the_host_is_to_stop() {
    let world = World::new();
    world.site("na/um", "1");
    world.site("nb/outra", "1");
    let stops = Stops::default();
    stops.stop();
    assert!(matches!(world.load(&world.options(), stops), Err(LoadError::Abandoned)));
    assert_eq!(world.told.take(), [""; 0]);
    // A renewal, too: what is served goes on.
    let stops = Stops::default();
    let registry = world.load(&world.options(), stops.clone()).unwrap();
    world.site("na/um", "2");
    stops.stop();
    assert_eq!(world.renew(&registry), [""; 0]);
    assert!(site(&registry, "um").is_some());
}

#[test]
fn a_site_that_takes_long_does_not_take_all_the_time() {
    let world = World::new();
    world.site("na/um", "1");
    let lines = "f a%\n    return [1, 2, 3]\n\n";
    let long: String = (0..40_000).map(|n| lines.replace('%', &n.to_string())).collect();
    world.site("na/longo", "1");
    world.write("na/longo/core/a.djo", &long);
    let registry = world.served();
    for _ in 0..2 {
        world.write("na/longo/core/a.djo", &long);
        world.renew(&registry);
    }
    world.write("na/longo/core/a.djo", &long);
    world.site("na/um", "2");
    assert_eq!(world.renew(&registry), ["ready um"], "the long one was loaded a moment ago");
    let due = registry.due().unwrap();
    std::thread::sleep(due.saturating_duration_since(std::time::Instant::now()));
    assert!(registry.is_due());
    assert_eq!(world.renew(&registry), ["ready longo"]);
}

#[cfg(unix)]
#[test]
fn a_place_is_touched_through_its_links_and_by_all_that_lies_in_it() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    world.site("releases/1", "1");
    world.site("releases/2", "2");
    symlink("releases/1", world.at("current")).unwrap();
    symlink(world.at("current"), world.at("na/capa")).unwrap();
    world.site("nb/outra", "1");
    let root = world.folder.path().canonicalize().unwrap();
    let registry = world.served();
    let touched = |path: &str| registry.touched(vec![root.join(path)]);
    let capa = HashSet::from([world.at("na/capa")]);
    for path in ["na/capa", "current", "releases/1", "releases/1/a.djo", "releases/1/novo"] {
        let touched = touched(path);
        assert!(touched.is_superset(&capa) && !touched.contains(&world.at("nb/outra")), "{path}: {touched:?}");
    }
    for other in ["releases/2/a.djo", "releases/novo", "x", "data/x"] {
        assert_eq!(touched(other), HashSet::new(), "{other}");
    }
    assert_eq!(touched("na").len(), 2, "the folder itself, and all in it");
    let spots = registry.spots();
    let folders: HashSet<_> = spots[&world.at("na/capa")].listens_at().map(Path::to_path_buf).collect();
    let around = ["na", "releases", "releases/1"].iter().map(|path| root.join(path)).chain([root.clone()]);
    assert_eq!(folders, around.collect());
    let first = revision(&registry, "capa");
    fs::remove_file(world.at("current")).unwrap();
    symlink("releases/2", world.at("current")).unwrap();
    assert_eq!(world.renew(&registry), ["ready capa"]);
    assert_ne!(revision(&registry, "capa"), first);
}

#[test]
fn a_place_looks_the_same_until_something_of_it_changes() {
    let world = World::new();
    world.site("na/um", "1");
    world.write("na/um/target/x", "1");
    let target = Target::refused(&world.at("na"), &world.at("na/um"));
    let look = || Spot::of(&target, &world.at("data")).mark;
    let first = look();
    world.write("na/um/.a.djo.swp", "1");
    world.write("na/um/target/x", "2");
    assert_eq!(look(), first, "what is not the site's");
    let mut marks = HashSet::from([first]);
    // The same size, and within the same second.
    for round in 0..3 {
        std::thread::sleep(Duration::from_millis(20));
        world.site("na/um", &round.to_string());
        assert!(marks.insert(look()));
    }
    world.write("na/um/core/b.djo", "");
    assert!(marks.insert(look()));
    fs::remove_file(world.at("na/um/core/b.djo")).unwrap();
    assert!(marks.insert(look()));
}

/// Where the system tells of nothing.
#[test]
fn what_cannot_be_heard_is_looked_at() {
    let world = World::new();
    world.site("na/um", "1");
    let registry = Arc::new(world.served());
    // Saved after it was read, and before anybody listened.
    world.site("na/um", "2");
    let mut lookout = Lookout::new(Arc::clone(&registry), Arc::clone(&world.told) as _, None);
    world.told.take();
    lookout.turn_now();
    assert_eq!(world.told.take(), ["ready um"]);
    for answer in ["3", "4"] {
        std::thread::sleep(Duration::from_millis(20));
        world.site("na/um", answer);
        lookout.turn_now();
        assert_eq!(world.told.take(), ["ready um"]);
    }
    lookout.turn_now();
    assert_eq!(world.told.take(), [""; 0]);
}
