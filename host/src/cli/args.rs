//! What can be asked. The English help stands here, the Portuguese one in `localize`.

use std::{
    net::{IpAddr, SocketAddr, ToSocketAddrs as _},
    path::PathBuf,
};

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum, builder::BoolishValueParser};
use ipnet::IpNet;

use super::{commands::agent::Address, language::Language};
use crate::{
    memory::half_of_machine,
    options::{ServeOptions, TlsFiles, default_agent_conc},
    site::config::{MaxLimit, size},
};

/// Serves djo sites to people and to agents, each in a sandbox of its own.
#[derive(Debug, Parser)]
#[command(name = "djo-host", version, subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Args {
    /// How log lines are written to standard error; RUST_LOG says which.
    #[arg(long, global = true, value_enum, default_value = "text", env = "DJO_LOG", value_name = "FORMAT")]
    pub(super) log: LogFormat,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub(super) enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serves a folder of sites, or single ones.
    #[command(after_help = "Example: djo-host serve sites --addr 0.0.0.0:8080 --default exemplo")]
    Serve(ServeArgs),
    /// Compiles a site to one component.
    #[command(after_help = "Example: djo-host build sites/exemplo -o exemplo.wasm")]
    Build(BuildArgs),
    /// Checks a site and shows what is wrong with it.
    #[command(after_help = "Example: djo-host check sites/exemplo")]
    Check(CheckArgs),
    /// Shows what a component offers and needs.
    #[command(after_help = "Example: djo-host inspect exemplo.wasm --json")]
    Inspect(InspectArgs),
    /// Decodes a JSON input by a JSON Schema, as an action would.
    #[command(after_help = "Example: echo '{\"titulo\":\"Oi\"}' | djo-host validate --schema entrada.json")]
    Validate(ValidateArgs),
    /// Shows a site as an agent sees it: what it offers or, with a path, what that answers.
    #[command(after_help = "Example: djo-host agent --post '{\"texto\":\"oi\"}' localhost:8080/posts/2/comentarios")]
    Agent(AgentArgs),
    /// Speaks MCP over standard input and output for a site that is served elsewhere.
    #[command(after_help = "Example: djo-host mcp localhost:8080")]
    Mcp(McpArgs),
    /// Makes a new site, which builds and serves at once.
    #[command(after_help = "Example: djo-host new loja --template api")]
    New(NewArgs),
}

#[derive(Debug, ClapArgs)]
pub(super) struct ServeArgs {
    /// Sites, or folders of sites: a folder with rotas.djo, one whose site.toml names a component, a .wasm.
    #[arg(default_value = ".", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Where to listen; port 0 takes a free one.
    #[arg(long, env = "DJO_ADDR", default_value = "127.0.0.1:8080", value_parser = parse_addr)]
    addr: SocketAddr,
    /// For authors: details in errors, answers checked, sources watched.
    #[arg(long, env = "DJO_DEV", value_parser = BoolishValueParser::new())]
    dev: bool,
    /// The site for hosts that no site names.
    #[arg(long, env = "DJO_DEFAULT", value_name = "SITE", overrides_with = "default")]
    default: Option<String>,
    /// Where stores and compiled code are kept.
    #[arg(long, env = "DJO_DATA", value_name = "DIR", default_value = ".djo")]
    data: PathBuf,
    /// Machine code of components that stays in memory; what was longest of no use is read back from the data folder.
    #[arg(long, env = "DJO_CODE_MEMORY", value_name = "SIZE", default_value = "512MiB", value_parser = parse_size)]
    code_memory: u64,
    /// Memory that all sites share, for what their instances grow to and for long bodies; by default half of the machine's.
    #[arg(long, env = "DJO_MEMORY", value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// The most that any site may have of a limit, whatever its site.toml says, as memory_mb=256; may be given again.
    #[arg(long, env = "DJO_MAX_LIMITS", value_name = "NAME=VALUE", value_delimiter = ',')]
    max_limits: Vec<MaxLimit>,
    /// Agent calls that run at once; by default 2 per core.
    #[arg(long, env = "DJO_AGENT_CONC", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    agent_conc: Option<u32>,
    /// Agent requests a second for one client; 0 is no limit.
    #[arg(long, env = "DJO_AGENT_RATE", value_name = "N", default_value_t = 50)]
    agent_rate: u32,
    /// A proxy, or a network of them, that is believed about the client's address; may be given again.
    #[arg(long, env = "DJO_TRUST_PROXY", value_name = "CIDR", value_delimiter = ',', value_parser = parse_network)]
    trust_proxy: Vec<IpNet>,
    /// Where metrics and health are served.
    #[arg(long, env = "DJO_ADMIN", value_name = "ADDR", value_parser = parse_addr)]
    admin: Option<SocketAddr>,
    /// The certificate chain (PEM), to speak TLS.
    #[arg(long, env = "DJO_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key (PEM).
    #[arg(long, env = "DJO_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Refuses to start when one site is bad.
    #[arg(long, env = "DJO_STRICT", value_parser = BoolishValueParser::new())]
    strict: bool,
}

impl From<ServeArgs> for ServeOptions {
    fn from(args: ServeArgs) -> Self {
        Self {
            paths: args.paths,
            addr: args.addr,
            dev: args.dev,
            default_site: args.default,
            data: args.data,
            code_memory: args.code_memory,
            memory: args.memory.unwrap_or_else(half_of_machine),
            max_limits: args.max_limits,
            agent_conc: args.agent_conc.map_or_else(default_agent_conc, |n| n as usize),
            agent_rate: args.agent_rate,
            trust_proxy: args.trust_proxy,
            admin: args.admin,
            tls: args.tls_cert.zip(args.tls_key).map(|(cert, key)| TlsFiles { cert, key }),
            strict: args.strict,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(super) struct BuildArgs {
    /// The site's folder.
    #[arg(value_name = "SITE")]
    pub(super) site: PathBuf,
    /// The file to write; by default SITE.wasm in the current folder, for a site in Rust the component of its site.toml.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// For other hosts: imports nothing beyond the wasi:http/proxy world. docs/componentes.md says what is left out there.
    #[arg(long)]
    pub(super) portable: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct CheckArgs {
    /// The site's folder.
    #[arg(value_name = "SITE")]
    pub(super) site: PathBuf,
    /// The diagnostics as JSON, to standard output.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct InspectArgs {
    /// The component.
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Everything, as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ValidateArgs {
    /// The JSON Schema.
    #[arg(long, value_name = "FILE")]
    pub(super) schema: PathBuf,
    /// The input's file; without one, or with `-`, standard input.
    #[arg(value_name = "INPUT")]
    pub(super) input: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct AgentArgs {
    /// The body as it came, and nothing else.
    #[arg(long)]
    pub(super) raw: bool,
    /// Calls an action: sends this as application/json.
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(super) post: Option<String>,
    /// For https://: a file of authorities (PEM) to trust in place of this machine's.
    #[arg(long, env = "DJO_CA", value_name = "FILE")]
    pub(super) ca: Option<PathBuf>,
    /// The site, or something in it; http:// is assumed.
    #[arg(value_name = "URL", value_parser = parse_url)]
    pub(super) address: Address,
}

#[derive(Debug, ClapArgs)]
pub(super) struct McpArgs {
    /// For https://: a file of authorities (PEM) to trust in place of this machine's.
    #[arg(long, env = "DJO_CA", value_name = "FILE")]
    pub(super) ca: Option<PathBuf>,
    /// The site: HOST[:PORT], or the whole address of its door.
    #[arg(value_name = "URL", value_parser = parse_url)]
    pub(super) address: Address,
}

#[derive(Debug, ClapArgs)]
pub(super) struct NewArgs {
    /// The site's folder, which must not be there yet, or be empty; its last part is the site's name.
    #[arg(value_name = "NAME")]
    pub(super) folder: PathBuf,
    /// What to start from: a blog for people and agents, actions and reads for programs alone, or a site in Rust.
    #[arg(long, value_enum, default_value = "blog", value_name = "TEMPLATE")]
    pub(super) template: Template,
    /// Where a site in Rust has its SDK from: a folder or a git repository; by default, the checkout that this program lies in.
    #[arg(long, value_name = "FOLDER|URL")]
    pub(super) sdk: Option<String>,
}

/// What a new site starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub(super) enum Template {
    Blog,
    Api,
    Rust,
}

fn parse_url(text: &str) -> Result<Address, String> {
    Address::parse(text).map_err(|_| {
        let language = Language::of_environment();
        language
            .pick(
                "an address is HOST[:PORT][/PATH], like localhost:8080/posts",
                "um endereço é HOST[:PORTA][/CAMINHO], como localhost:8080/posts",
            )
            .to_owned()
    })
}

/// `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, or `:8080` for all addresses.
fn parse_addr(text: &str) -> Result<SocketAddr, String> {
    let wanted = || {
        let language = Language::of_environment();
        language.pick("an address is HOST:PORT, like 127.0.0.1:8080", "um endereço é HOST:PORTA, como 127.0.0.1:8080").to_owned()
    };
    if let Some(port) = text.strip_prefix(':') {
        let port = port.parse().map_err(|_| wanted())?;
        return Ok(SocketAddr::from(([0, 0, 0, 0], port)));
    }
    if let Ok(addr) = text.parse() {
        return Ok(addr);
    }
    let mut found: Vec<SocketAddr> = text.to_socket_addrs().map_err(|_| wanted())?.collect();
    found.sort_by_key(SocketAddr::is_ipv6);
    found.first().copied().ok_or_else(wanted)
}

/// `256MiB`, `1GiB`, `65536`.
fn parse_size(text: &str) -> Result<u64, String> {
    size::parse(text).ok_or_else(|| {
        let language = Language::of_environment();
        language
            .pick("a size is bytes, or a number with KiB, MiB or GiB", "um tamanho é em bytes, ou um número com KiB, MiB ou GiB")
            .to_owned()
    })
}

/// `10.0.0.0/8`, or one address.
fn parse_network(text: &str) -> Result<IpNet, String> {
    let one = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse::<IpNet>().or_else(|_| one()).map_err(|_| {
        let language = Language::of_environment();
        language.pick("a network is ADDRESS/BITS, like 10.0.0.0/8", "uma rede é ENDEREÇO/BITS, como 10.0.0.0/8").to_owned()
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn the_page_for_operators_has_every_flag_of_serve() {
        let page = include_str!("../../../docs/operar.md");
        let command = Args::command();
        let serve = command.find_subcommand("serve").unwrap();
        for flag in serve.get_arguments().filter(|argument| argument.get_long().is_some_and(|name| name != "help")) {
            let (name, variable) = (flag.get_long().unwrap(), flag.get_env().unwrap().to_str().unwrap());
            assert!(page.contains(&format!("`--{name}")) && page.contains(&format!("`{variable}`")), "{name}, {variable}");
        }
    }

    #[test]
    fn flags_become_options() {
        let args = Args::try_parse_from([
            "djo-host",
            "serve",
            "a",
            "b",
            "--addr",
            ":9",
            "--dev",
            "--default",
            "a",
            "--data",
            "d",
            "--code-memory",
            "64MiB",
            "--memory",
            "1GiB",
            "--max-limits",
            "memory_mb=256,max_body=2MiB",
            "--agent-conc",
            "3",
            "--agent-rate",
            "0",
            "--trust-proxy",
            "10.0.0.0/8",
            "--trust-proxy",
            "::1,127.0.0.1",
            "--admin",
            "[::1]:1",
            "--tls-cert",
            "c",
            "--tls-key",
            "k",
            "--strict",
        ]);
        let Command::Serve(args) = args.unwrap().command else { panic!("another command") };
        let options = ServeOptions::from(args);
        assert_eq!(options.paths, [PathBuf::from("a"), PathBuf::from("b")]);
        assert_eq!(options.addr, "0.0.0.0:9".parse().unwrap());
        assert_eq!((options.dev, options.strict, options.agent_conc, options.agent_rate), (true, true, 3, 0));
        assert_eq!((options.code_memory, options.memory), (64 << 20, 1 << 30));
        assert_eq!(options.max_limits, ["memory_mb=256", "max_body=2MiB"].map(|limit| limit.parse().unwrap()));
        assert_eq!(options.default_site.as_deref(), Some("a"));
        assert_eq!(options.trust_proxy, ["10.0.0.0/8", "::1/128", "127.0.0.1/32"].map(|network| network.parse().unwrap()));
        assert_eq!(options.admin, Some("[::1]:1".parse().unwrap()));
        assert_eq!(options.tls, Some(TlsFiles { cert: "c".into(), key: "k".into() }));
    }

    #[test]
    fn the_defaults_are_those_of_the_library() {
        let Command::Serve(args) = Args::try_parse_from(["djo-host", "serve"]).unwrap().command else { panic!("another command") };
        assert_eq!(format!("{:?}", ServeOptions::from(args)), format!("{:?}", ServeOptions::default()));
    }

    #[test]
    fn values_are_checked() {
        let bad: [&[&str]; 11] = [
            &["--addr", "8080"],
            &["--addr", "127.0.0.1"],
            &["--addr", ":99999"],
            &["--code-memory", "64MB"],
            &["--memory", "half"],
            &["--max-limits", "memory_mb=0"],
            &["--agent-conc", "0"],
            &["--agent-rate", "-1"],
            &["--trust-proxy", "10.0.0.0/33"],
            &["--tls-cert", "c"],
            &["--log", "xml"],
        ];
        for flags in bad {
            assert!(Args::try_parse_from(["djo-host", "serve"].iter().chain(flags)).is_err(), "{flags:?}");
        }
        assert_eq!(parse_addr("localhost:80").unwrap(), "127.0.0.1:80".parse().unwrap());
    }
}
