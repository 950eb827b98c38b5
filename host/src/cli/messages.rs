//! What the commands say to people, in both languages.

mod errors;

use std::{io, net::SocketAddr, path::Path, time::Duration};

pub(super) use errors::{build_error, serve_error, site_error};

use rustls::pki_types::pem;

use super::{commands::agent::FetchError, language::Language};
use crate::tls::RootsError;
use crate::{
    build::Kind,
    options::SiteReady,
    site::{EntryError, FileError, config, config::Withheld, discover, file::shown},
};

/// `3 routes`, `1 rota`.
fn count(language: Language, number: usize, english: [&str; 2], portuguese: [&str; 2]) -> String {
    let form = usize::from(number != 1);
    format!("{number} {}", language.pick(english[form], portuguese[form]))
}

/// Bytes as a person reads them: `812 B`, `41.3 KiB`; the comma is Portuguese.
pub(super) fn size(language: Language, bytes: usize) -> String {
    const KIB: f64 = 1024.0;
    let bytes_as_float = bytes as f64;
    let text = match bytes {
        0..1024 => return format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes_as_float / KIB),
        _ => format!("{:.1} MiB", bytes_as_float / KIB / KIB),
    };
    if language == Language::Portuguese { text.replace('.', ",") } else { text }
}

/// A duration as a person reads it: `12 ms`, `1.3 s`.
pub(super) fn duration(language: Language, took: Duration) -> String {
    if took < Duration::from_secs(1) {
        return format!("{} ms", took.as_millis());
    }
    let text = format!("{:.1} s", took.as_secs_f64());
    if language == Language::Portuguese { text.replace('.', ",") } else { text }
}

/// One line for a site that is served.
pub(super) fn site_ready(language: Language, site: &SiteReady) -> String {
    let parts = [
        site.hosts.join(", "),
        count(language, site.routes, ["route", "routes"], ["rota", "rotas"]),
        count(language, site.actions, ["action", "actions"], ["ação", "ações"]),
        size(language, site.size),
        duration(language, site.took),
    ];
    let withheld = site.withheld.iter().map(|Withheld { name, asked, given }| match language {
        Language::English => format!("{name} is {given}, not {asked} as asked"),
        Language::Portuguese => format!("{name} é {given}, não {asked} como pedido"),
    });
    format!("{}: {}", site.name, parts.into_iter().chain(withheld).collect::<Vec<_>>().join(" · "))
}

/// A site that was left out.
pub(super) fn site_refused(language: Language, name: &str) -> String {
    match language {
        Language::English => format!("{name}: left out"),
        Language::Portuguese => format!("{name}: ficou de fora"),
    }
}

/// A site whose next revision cannot be served.
pub(super) fn site_kept(language: Language, name: &str) -> String {
    match language {
        Language::English => format!("{name}: the last good version goes on"),
        Language::Portuguese => format!("{name}: continua a última versão boa"),
    }
}

/// Where requests are accepted.
pub(super) fn listening(language: Language, addr: SocketAddr, tls: bool) -> String {
    let scheme = if tls { "https" } else { "http" };
    format!("{} {scheme}://{addr}", language.pick("serving at", "servindo em"))
}

/// The first signal came.
pub(super) fn stopping(language: Language) -> &'static str {
    language.pick(
        "stopping: what runs may finish; a second signal exits at once",
        "encerrando: o que está rodando termina; um segundo sinal sai na hora",
    )
}

/// What the system says about a file, in words where the words are known.
fn io_error(language: Language, error: &io::Error) -> String {
    if let Some(error) = of_file(error) {
        return file_error(language, error);
    }
    match error.kind() {
        io::ErrorKind::NotFound => language.pick("not found", "não existe").into(),
        io::ErrorKind::PermissionDenied => language.pick("permission denied", "sem permissão").into(),
        io::ErrorKind::NotADirectory => language.pick("is not a folder", "não é uma pasta").into(),
        io::ErrorKind::StorageFull => language.pick("no space is left", "não há mais espaço").into(),
        io::ErrorKind::ReadOnlyFilesystem => language.pick("may only be read", "só pode ser lido").into(),
        io::ErrorKind::InvalidFilename => language.pick("the name is too long", "o nome é longo demais").into(),
        io::ErrorKind::IsADirectory => language.pick("is a folder", "é uma pasta").into(),
        io::ErrorKind::AddrInUse => language.pick("the address is in use", "o endereço está em uso").into(),
        io::ErrorKind::AddrNotAvailable => language.pick("the address is not of this machine", "o endereço não é desta máquina").into(),
        // The library has no stable kind for it.
        _ if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            language.pick("links that lead in a circle", "links que andam em círculo").into()
        }
        _ => match error.get_ref().and_then(|inner| inner.downcast_ref()) {
            Some(too_much) if language == Language::Portuguese => errors::too_much(too_much),
            _ => error.to_string(),
        },
    }
}

/// What is known of a site's file that cannot be read.
fn of_file(error: &io::Error) -> Option<&FileError> {
    error.get_ref().and_then(|inner| inner.downcast_ref())
}

/// A file of a site that is not read.
fn file_error(language: Language, error: &FileError) -> String {
    match error {
        FileError::Io { path, source } => cannot_read(language, &shown(path), source),
        _ if language == Language::English => error.to_string(),
        FileError::NotRegular(path) => format!("{}: não é um arquivo comum", shown(path)),
        FileError::Outside { path, folder } => format!("{}: leva para fora de {}", shown(path), shown(folder)),
        FileError::TooLarge { path, size, most } => format!("{}: tem {size} bytes; o máximo é {most}", shown(path)),
    }
}

/// A file that cannot be read.
pub(super) fn cannot_read(language: Language, path: &str, error: &io::Error) -> String {
    match of_file(error) {
        Some(error) => file_error(language, error),
        None => format!("{path}: {}", io_error(language, error)),
    }
}

/// A file that is larger than what is read of one.
pub(super) fn too_large(language: Language, path: &str, max: u64) -> String {
    match language {
        Language::English => format!("{path}: larger than {max} bytes"),
        Language::Portuguese => format!("{path}: maior que {max} bytes"),
    }
}

/// Why there is no usable site at a path.
pub(super) fn entry_error(language: Language, error: &EntryError) -> String {
    match error {
        EntryError::Io { path, source } => cannot_read(language, &shown(path), source),
        EntryError::File(error) => file_error(language, error),
        _ if language == Language::English => error.to_string(),
        EntryError::Name { path, .. } => format!(
            "{}: este nome não serve para um site: use letras de a a z, números, `-`, `_` e pontos simples, até 63, com letra ou número nas pontas",
            shown(path)
        ),
        // Already Portuguese.
        EntryError::Config { .. } | EntryError::Wanted { .. } => error.to_string(),
        EntryError::Unseen { path, folder } => format!("{}: não dá para ver {}", shown(path), shown(folder)),
        EntryError::NotASite(path) => format!(
            "{}: não há um site aqui: nem {}, nem um {} com `component`, nem um .wasm",
            shown(path),
            discover::ROUTES,
            config::FILE_NAME
        ),
        EntryError::Kept { path, name, other } => {
            format!("{}: o nome `{name}` fica guardado por uma hora para {}, que sumiu", shown(path), shown(other))
        }
        EntryError::Taken { path, name, other } => {
            format!("{}: o nome `{name}` já é de {}", shown(path), shown(other))
        }
    }
}

/// Work that takes a while.
pub(super) fn compiling(language: Language, site: &Path) -> String {
    format!("{} {}…", language.pick("compiling", "compilando"), site.display())
}

/// The same, where nothing is made of it.
pub(super) fn checking(language: Language, site: &Path) -> String {
    format!("{} {}…", language.pick("checking", "verificando"), site.display())
}

/// A component was written.
pub(super) fn built(language: Language, file: &Path, bytes: usize, took: Duration) -> String {
    let (bytes, took) = (size(language, bytes), duration(language, took));
    match language {
        Language::English => format!("{}: {bytes}, built in {took}", file.display()),
        Language::Portuguese => format!("{}: {bytes}, pronto em {took}", file.display()),
    }
}

/// What a portable component does without on other hosts.
pub(super) fn portable(language: Language) -> &'static str {
    language.pick(
        "on other hosts: no doors for agents, no Idempotency-Key, and data that ends with the instance (docs/componentes.md)",
        "em outros hosts: sem portas para agentes, sem Idempotency-Key, e com dados que acabam com a instância (docs/componentes.md)",
    )
}

/// A file that cannot be written.
pub(super) fn cannot_write(language: Language, path: &Path, error: &io::Error) -> String {
    let what = language.pick("cannot be written", "não pode ser escrito");
    format!("{}: {what}: {}", path.display(), io_error(language, error))
}

/// The command's own output went nowhere.
pub(super) fn cannot_write_output(language: Language, error: &io::Error) -> String {
    let what = language.pick("the output cannot be written", "a saída não pode ser escrita");
    format!("{what}: {}", io_error(language, error))
}

/// A site that is a component already.
pub(super) fn not_sources(language: Language, path: &Path) -> String {
    match language {
        Language::English => format!("{}: this site is a component, not djo sources", path.display()),
        Language::Portuguese => format!("{}: este site é um componente, não código djo", path.display()),
    }
}

/// A crate whose `site.toml` does not say where its component is.
pub(super) fn crate_without_component(language: Language, path: &Path) -> String {
    let rule = language.pick(
        "a site in Rust needs a site.toml that says where its component goes: component = \"site.wasm\"",
        "um site em Rust precisa de um site.toml que diga onde fica o componente: component = \"site.wasm\"",
    );
    format!("{}: {rule}", path.display())
}

/// Cargo could not be run.
pub(super) fn cargo_missing(language: Language, error: &io::Error) -> String {
    let what = language.pick(
        "cargo could not be run; Rust comes with rustup (https://rustup.rs)",
        "o cargo não roda; o Rust vem com o rustup (https://rustup.rs)",
    );
    format!("{what}: {error}")
}

/// Cargo ran, and found something wrong.
pub(super) fn cargo_failed(language: Language, path: &Path) -> String {
    let hint = language.pick(
        "it does not compile; without the target: rustup target add wasm32-wasip2",
        "não compila; se falta o alvo: rustup target add wasm32-wasip2",
    );
    format!("{}: {hint}", path.display())
}

/// Cargo made no site of it.
pub(super) fn no_component(language: Language, path: &Path) -> String {
    let what = language.pick(
        "cargo made no component that answers requests: the crate needs crate-type = [\"cdylib\"] and a module with #[djo::site]",
        "o cargo não fez um componente que atenda pedidos: o crate precisa de crate-type = [\"cdylib\"] e de um módulo com #[djo::site]",
    );
    format!("{}: {what}", path.display())
}

/// What a file is.
pub(super) fn kind(language: Language, kind: Kind) -> &'static str {
    match kind {
        Kind::Site(_) => language.pick("djo site for this host's runtime", "site djo para o runtime deste host"),
        Kind::TypedDoor => language.pick("site with the typed door", "site com a porta tipada"),
        Kind::Http => language.pick("wasi:http 0.2 component", "componente wasi:http 0.2"),
        Kind::HttpP3 => language.pick("wasi:http 0.3 component", "componente wasi:http 0.3"),
        Kind::OtherComponent => language.pick("component that answers no requests", "componente que não atende requisições"),
        Kind::CoreModule => language.pick("core module: no host here runs it", "módulo core: nenhum host aqui o roda"),
    }
}

/// A site without problems.
pub(super) fn sound(language: Language, site: &Path, files: usize) -> String {
    let files = count(language, files, ["file", "files"], ["arquivo", "arquivos"]);
    format!("{}: {files}, {}", site.display(), language.pick("no problems", "nenhum problema"))
}

/// How many problems a site has.
pub(super) fn problems(language: Language, site: &Path, errors: usize) -> String {
    format!("{}: {}", site.display(), count(language, errors, ["error", "errors"], ["erro", "erros"]))
}

/// A schema that cannot be used.
pub(super) fn bad_schema(language: Language, path: &Path, reason: &str) -> String {
    match language {
        Language::English => format!("{}: not a usable JSON Schema: {reason}", path.display()),
        Language::Portuguese => format!("{}: não é um JSON Schema utilizável: {reason}", path.display()),
    }
}

/// Sites are being loaded.
pub(super) fn loading(language: Language) -> String {
    language.pick("loading the sites…", "carregando os sites…").to_owned()
}

/// A request is under way.
pub(super) fn waiting_for(language: Language, authority: &str) -> String {
    format!("{} {authority}…", language.pick("waiting for", "esperando"))
}

/// A site that did not answer.
pub(super) fn no_answer(language: Language, authority: &str, error: &FetchError) -> String {
    let reason = match error {
        FetchError::TimedOut => language.pick("no answer in time", "sem resposta a tempo").to_owned(),
        FetchError::Connect(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            language.pick("nothing listens there", "ninguém atende nesse endereço").to_owned()
        }
        // The system's resolver has no kind of its own for what it did not find.
        FetchError::Connect(error) if error.to_string().contains("lookup address") => {
            language.pick("no such host", "este host não existe, ou o nome não pôde ser consultado").to_owned()
        }
        FetchError::Connect(error) => io_error(language, error),
        FetchError::Roots(RootsError::None) => language
            .pick("no certificate of an authority was found on this machine", "nenhum certificado de autoridade nesta máquina")
            .to_owned(),
        FetchError::Roots(RootsError::File { path, source: pem::Error::Io(error) }) => format!("{path}: {}", io_error(language, error)),
        FetchError::Roots(RootsError::File { path, .. }) => {
            format!("{path}: {}", language.pick("holds no certificate in PEM", "não tem um certificado em PEM"))
        }
        FetchError::Roots(RootsError::Certificate { path, .. }) => {
            format!("{path}: {}", language.pick("is no certificate of an authority", "não é o certificado de uma autoridade"))
        }
        FetchError::Tls(error) => format!("{}: {error}", language.pick("no secure connection", "sem conexão segura")),
        FetchError::Http(error) => format!("{}: {error}", language.pick("no HTTP answer", "sem resposta HTTP")),
    };
    format!("{authority}: {reason}")
}

/// A site without anything for agents.
pub(super) fn no_manifest(language: Language) -> &'static str {
    language.pick(
        "no manifest: no route of this site has an agent face, and it has no action",
        "sem manifesto: nenhuma rota deste site tem face de agente, e não há action",
    )
}

/// Nobody of that name is served there.
pub(super) fn no_such_site(language: Language, authority: &str) -> String {
    match language {
        Language::English => format!("{authority}: no site answers to this host; try NAME.{authority}, or serve with --default NAME"),
        Language::Portuguese => {
            format!("{authority}: nenhum site atende por este host; tente NOME.{authority}, ou sirva com --default NOME")
        }
    }
}

/// Something else answers where the manifest should be.
pub(super) fn not_a_manifest(language: Language, url: &str) -> String {
    format!("{url}: {}", language.pick("not a manifest of djo", "não é um manifesto da djo"))
}

/// A site was made.
pub(super) fn created(language: Language, folder: &Path, files: usize, is_built_first: bool) -> String {
    let files = count(language, files, ["file", "files"], ["arquivo", "arquivos"]);
    let next = language.pick("now", "agora");
    let folder = folder.display();
    let build = if is_built_first { format!("djo-host build {folder} && ") } else { String::new() };
    format!("{folder}: {files}\n{next}: {build}djo-host serve {folder} --dev")
}

/// A site in Rust needs the SDK, and nobody said where it is.
pub(super) fn where_is_the_sdk(language: Language) -> String {
    let rule = language.pick(
        "say where the Rust SDK is: --sdk FOLDER (guest-sdk of a checkout) or --sdk URL (a git repository)",
        "diga onde está o SDK de Rust: --sdk PASTA (guest-sdk de uma cópia do código) ou --sdk URL (um repositório git)",
    );
    rule.to_owned()
}

/// Where the SDK should be, it is not.
pub(super) fn no_sdk_there(language: Language, given: &str) -> String {
    format!("{given}: {}", language.pick("the Rust SDK (guest-sdk) is not there", "o SDK de Rust (guest-sdk) não está aí"))
}

/// Something is where a new site should go.
pub(super) fn already_there(language: Language, folder: &Path) -> String {
    format!("{}: {}", folder.display(), language.pick("is there already; nothing was written", "já existe; nada foi escrito"))
}

/// A name that no site can have.
pub(super) fn bad_site_name(language: Language, folder: &Path) -> String {
    let rule = language.pick(
        "this name cannot be a site's: use letters a to z, digits, `-`, `_` and single dots, at most 63, with a letter or digit at both ends",
        "este nome não serve para um site: use letras de a a z, números, `-`, `_` e pontos simples, até 63, com letra ou número nas pontas",
    );
    format!("{}: {rule}", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_one_line() {
        let site = SiteReady {
            name: "blog".into(),
            hosts: vec!["blog.localhost".into(), "blog.com.br".into()],
            routes: 8,
            actions: 1,
            size: 42_291,
            withheld: Vec::new(),
            took: Duration::from_micros(12_900),
        };
        assert_eq!(site_ready(Language::English, &site), "blog: blog.localhost, blog.com.br · 8 routes · 1 action · 41.3 KiB · 12 ms");
        assert_eq!(site_ready(Language::Portuguese, &site), "blog: blog.localhost, blog.com.br · 8 rotas · 1 ação · 41,3 KiB · 12 ms");
        let site = SiteReady { withheld: vec![Withheld { name: "memory_mb", asked: 4096, given: 64 }], ..site };
        assert!(site_ready(Language::English, &site).ends_with(" · 12 ms · memory_mb is 64, not 4096 as asked"));
    }

    #[test]
    fn sizes_and_times_fit_people() {
        assert_eq!(size(Language::English, 0), "0 B");
        assert_eq!(size(Language::English, 1023), "1023 B");
        assert_eq!(size(Language::Portuguese, 3 << 20), "3,0 MiB");
        assert_eq!(duration(Language::Portuguese, Duration::from_millis(1250)), "1,2 s");
        assert_eq!(duration(Language::English, Duration::from_millis(999)), "999 ms");
    }

    #[test]
    fn addresses_are_links() {
        assert_eq!(listening(Language::Portuguese, SocketAddr::from(([127, 0, 0, 1], 8080)), false), "servindo em http://127.0.0.1:8080");
        assert_eq!(listening(Language::English, SocketAddr::from(([127, 0, 0, 1], 8443)), true), "serving at https://127.0.0.1:8443");
    }
}
