//! What went wrong in the library, for the person who started the command. The English is what each error says of itself; here is the
//! Portuguese. What an author wrote is told in Portuguese in any case, as is all that concerns the language.

use rustls::pki_types::pem;

use super::{count, entry_error, file_error, io_error};
use crate::{
    build::{BuildError, Part},
    cli::language::Language,
    sandbox::{ComponentError, SandboxError},
    server::{ServeError, TlsError},
    site::{MAX_DEPTH, TooMuch, file::shown},
    tenant::{LoadError, SiteError},
    text::one_line,
};

const PORTUGUESE: Language = Language::Portuguese;

/// Why a site is refused.
pub(in crate::cli) fn site_error(language: Language, error: &SiteError) -> String {
    match error {
        SiteError::Io(error) => io_error(language, error),
        SiteError::Entry(error) => entry_error(language, error),
        SiteError::File(error) => file_error(language, error),
        _ if language == Language::English => error.to_string(),
        SiteError::NotBuilt { component, folder } => {
            format!("{} não existe: faça com `djo-host build {}`", shown(component), shown(folder))
        }
        SiteError::Compile(diagnostics) => diagnostics.clone(),
        SiteError::TooLarge { size, most } => format!("o componente tem {size} bytes; o máximo é {most}"),
        SiteError::Component(error) => format!("o componente não pode ser lido: {}", build_error(language, error)),
        SiteError::NoDoor => {
            "o componente não tem porta: não exporta djo:site/handler@0.1 com um contrato, nem wasi:http/incoming-handler@0.2".to_owned()
        }
        SiteError::Code(error) => component_error(error),
        SiteError::NoFolder => "o site não tem pasta".to_owned(),
        SiteError::HostTaken { host, other } => format!("o host `{host}` é do site `{other}`"),
        SiteError::HostKept { host, other } => format!("o host `{host}` fica guardado por uma hora para o site `{other}`, que sumiu"),
        SiteError::BrokeOff => "o site não pôde ser carregado: isto é um defeito do djo-host".to_owned(),
        SiteError::Contract(reason) => format!("o contrato é inválido: {reason}"),
    }
}

fn component_error(error: &ComponentError) -> String {
    match error {
        ComponentError::Invalid(error) => format!("o componente não é válido: {error}"),
        ComponentError::Import(name) => format!("o componente precisa de `{name}`, que nenhum site recebe"),
        ComponentError::Compile(error) => format!("o componente não compila: {error:#}"),
        ComponentError::Link(error) => format!("o componente não combina com este host: {error:#}"),
        ComponentError::Read(error) => format!("o componente não pode ser relido: {}", io_error(PORTUGUESE, error)),
        ComponentError::Changed => "o arquivo do componente mudou desde que o site foi carregado".to_owned(),
        ComponentError::BrokeOff => "o componente não pôde ser preparado".to_owned(),
    }
}

/// Why a component cannot be made or read.
pub(in crate::cli) fn build_error(language: Language, error: &BuildError) -> String {
    match error {
        _ if language == Language::English => error.to_string(),
        BuildError::TooLarge { what, found, most } => format!("{}: {found} bytes; num componente cabem {most}", part(*what)),
        BuildError::SameFile(path) => format!("dois arquivos estáticos se chamam `{path}`"),
        BuildError::Files => "os arquivos estáticos do componente não podem ser lidos".to_owned(),
        BuildError::Compose(error) => format!("o runtime e o programa não se compõem: {error:#}"),
        BuildError::NotAComponent => "não é um componente WebAssembly".to_owned(),
        BuildError::Malformed(error) => format!("não é WebAssembly bem formado: {error}"),
        BuildError::TooMany { what, found, most } => format!("{}: {found}; o máximo é {most}", part(*what)),
    }
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Image => "o programa do site",
        Part::Contract => "o contrato do site",
        Part::StaticFiles => "arquivos estáticos",
        Part::Contracts => "contratos",
        Part::FileSections => "seções de arquivos estáticos",
        Part::Imports => "importações",
        Part::Exports => "exportações",
        Part::NestedParts => "partes aninhadas",
        Part::Levels => "níveis de aninhamento",
        Part::Sections => "seções",
    }
}

/// Why serving did not start, or ended.
pub(in crate::cli) fn serve_error(language: Language, error: &ServeError) -> String {
    match error {
        _ if language == Language::English => error.to_string(),
        ServeError::Sandbox(SandboxError::Engine(error)) => format!("a sandbox não pôde ser preparada: {error:#}"),
        ServeError::Sandbox(SandboxError::Runtime(error)) => format!("o runtime djo não pôde ser carregado: {error:#}"),
        ServeError::Sandbox(SandboxError::Threads(error)) => {
            format!("não há threads para execuções longas: {}", io_error(language, error))
        }
        ServeError::Sandbox(SandboxError::Compilers(error)) => format!("não há threads para compilar: {error}"),
        ServeError::Load(LoadError::Strict(refused)) => {
            let sites = count(language, *refused, ["", ""], ["site não pode ser servido", "sites não podem ser servidos"]);
            format!("{sites} (--strict)")
        }
        ServeError::Load(LoadError::Abandoned) => "o carregamento foi abandonado".to_owned(),
        ServeError::Load(LoadError::NoSite) => "não há site para servir".to_owned(),
        ServeError::Load(LoadError::NoDefault(name)) => format!("não há um site `{name}` para ser o padrão"),
        ServeError::Data { folder, source } if source.kind() == std::io::ErrorKind::ResourceBusy => {
            format!("a pasta de dados {}: outro djo-host a usa", folder.display())
        }
        ServeError::Data { folder, source } => format!("a pasta de dados {}: {}", folder.display(), io_error(language, source)),
        ServeError::Tls(TlsError::File { path, source: pem::Error::Io(error) }) => format!("{path}: {}", io_error(language, error)),
        ServeError::Tls(TlsError::File { path, .. }) => format!("{path}: não tem, em PEM, o que se espera dele"),
        ServeError::Tls(TlsError::NoCertificate(path)) => format!("{path}: não tem certificado, em PEM"),
        ServeError::Tls(TlsError::Certificate(error)) => format!("o certificado não pode ser usado: {error}"),
        ServeError::Listen { addr, source } => format!("não é possível escutar em {addr}: {}", io_error(language, source)),
    }
}

/// A folder that holds more than is read of one.
pub(super) fn too_much(error: &TooMuch) -> String {
    match error {
        TooMuch::Files(most) => format!("mais de {most} arquivos"),
        TooMuch::Bytes(most) => format!("mais de {most} bytes"),
        TooMuch::Entries(most) => format!("mais de {most} entradas"),
        TooMuch::Depth(path) => format!("{}: mais de {MAX_DEPTH} pastas, uma dentro da outra", one_line(path)),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn english_is_what_an_error_says_of_itself() {
        let error = SiteError::Component(BuildError::TooMany { what: Part::Sections, found: 3, most: 2 });
        assert_eq!(site_error(Language::English, &error), "the component cannot be read: 3 sections; at most 2 are possible");
        assert_eq!(site_error(PORTUGUESE, &error), "o componente não pode ser lido: seções: 3; o máximo é 2");
    }

    #[test]
    fn a_reason_of_the_system_is_translated_too() {
        let taken = || io::Error::from(io::ErrorKind::AddrInUse);
        let error = ServeError::Listen { addr: ([127, 0, 0, 1], 80).into(), source: taken() };
        assert_eq!(serve_error(PORTUGUESE, &error), "não é possível escutar em 127.0.0.1:80: o endereço está em uso");
        let error = SiteError::Io(TooMuch::Files(10).into());
        assert_eq!(site_error(PORTUGUESE, &error), "mais de 10 arquivos");
        assert_eq!(site_error(Language::English, &error), "more than 10 files");
        let strict = |refused| serve_error(PORTUGUESE, &ServeError::Load(LoadError::Strict(refused)));
        assert_eq!(
            (strict(1), strict(2)),
            ("1 site não pode ser servido (--strict)".into(), "2 sites não podem ser servidos (--strict)".into())
        );
    }
}
