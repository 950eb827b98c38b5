//! The help in Portuguese. The English one stands beside the arguments; here is its translation, and a test that none is missing.

use clap::{Arg, ArgAction, Command, builder::StyledStr};

use super::language::Language;

/// Descriptions by command and argument; without an argument, of the command itself.
const PORTUGUESE: &[(&str, &str, &str)] = &[
    ("djo-host", "", "Serve sites djo a pessoas e a agentes, cada um na sua própria sandbox."),
    ("djo-host", "log", "Como as linhas do log são escritas na saída de erro; RUST_LOG diz quais"),
    ("serve", "", "Serve uma pasta de sites, ou sites avulsos"),
    ("serve", "paths", "Sites, ou pastas de sites: uma pasta com rotas.djo, uma cujo site.toml nomeia um componente, um .wasm"),
    ("serve", "addr", "Onde escutar; a porta 0 pega uma livre"),
    ("serve", "dev", "Para autores: detalhes nos erros, respostas conferidas, fontes vigiadas"),
    ("serve", "default", "O site para os hosts que nenhum site nomeia"),
    ("serve", "data", "Onde ficam os stores e o código compilado"),
    (
        "serve",
        "code_memory",
        "Código de máquina de componentes que fica em memória; o que há mais tempo não serve é relido da pasta de dados",
    ),
    (
        "serve",
        "memory",
        "Memória que todos os sites dividem, para o que as instâncias crescem e para corpos longos; o padrão é a metade da máquina",
    ),
    (
        "serve",
        "max_limits",
        "O máximo de um limite para qualquer site, diga o que disser o seu site.toml, como memory_mb=256; pode repetir",
    ),
    ("serve", "agent_conc", "Chamadas de agente ao mesmo tempo; o padrão é 2 por núcleo"),
    ("serve", "agent_rate", "Requisições de agente por segundo de cada cliente; 0 desliga o limite"),
    ("serve", "trust_proxy", "Um proxy, ou uma rede deles, em cuja palavra sobre o endereço do cliente se acredita; pode repetir"),
    ("serve", "admin", "Onde servir métricas e saúde"),
    ("serve", "tls_cert", "A cadeia de certificados (PEM), para falar TLS"),
    ("serve", "tls_key", "A chave privada do certificado (PEM)"),
    ("serve", "strict", "Não começa se algum site estiver ruim"),
    ("build", "", "Compila um site em um componente"),
    ("build", "site", "A pasta do site"),
    ("build", "output", "O arquivo a escrever; o padrão é SITE.wasm, na pasta atual, e de um site em Rust o componente do site.toml"),
    ("build", "portable", "Para outros hosts: não importa nada além do mundo wasi:http/proxy; docs/componentes.md diz o que fica de fora"),
    ("check", "", "Confere um site e mostra o que há de errado"),
    ("check", "site", "A pasta do site"),
    ("check", "json", "Os diagnósticos em JSON, na saída padrão"),
    ("inspect", "", "Mostra o que um componente oferece e do que precisa"),
    ("inspect", "file", "O componente"),
    ("inspect", "json", "Tudo, em JSON"),
    ("validate", "", "Decodifica uma entrada JSON por um JSON Schema, como uma action faria"),
    ("validate", "schema", "O JSON Schema"),
    ("validate", "input", "O arquivo da entrada; sem ele, ou com `-`, a entrada padrão"),
    ("agent", "", "Mostra um site como um agente o vê: o que ele oferece ou, com um caminho, o que o caminho responde"),
    ("agent", "raw", "O corpo como veio, e mais nada"),
    ("agent", "post", "Chama uma action: envia isto como application/json"),
    ("agent", "ca", "Para https://: um arquivo de autoridades (PEM) em que confiar no lugar das desta máquina"),
    ("agent", "address", "O site, ou algo nele; sem http://, ele é assumido"),
    ("mcp", "", "Fala MCP pela entrada e pela saída padrão, por um site que está no ar em outro lugar"),
    ("mcp", "ca", "Para https://: um arquivo de autoridades (PEM) em que confiar no lugar das desta máquina"),
    ("mcp", "address", "O site, HOST[:PORTA], ou o endereço inteiro da porta"),
    ("new", "", "Cria um site novo, que compila e atende na hora"),
    ("new", "folder", "A pasta do site, que ainda não existe, ou está vazia; a última parte é o nome dele"),
    ("new", "template", "De onde partir: um blog para pessoas e agentes, leituras e ações só para programas, ou um site em Rust"),
    (
        "new",
        "sdk",
        "De onde um site em Rust tem o SDK: uma pasta ou um repositório git; o padrão é a cópia do código em que este programa está",
    ),
];

const HELP: [&str; 2] = ["Shows this help", "Mostra esta ajuda"];
const VERSION: [&str; 2] = ["Shows the version", "Mostra a versão"];

/// Gives a command, and all beneath it, the words of a language.
pub(super) fn localize(command: Command, language: Language) -> Command {
    let command = command.disable_help_subcommand(true);
    let has_version = command.get_version().is_some();
    let mut command = with_own_flags(command, language, has_version);
    if language == Language::Portuguese {
        let name = command.get_name().to_owned();
        command = command.subcommand_help_heading("Comandos").subcommand_value_name("COMANDO");
        command = command.mut_args(|arg| translate(arg, &name)).help_template(TEMPLATE);
        if let Some(about) = text(&name, "") {
            command = command.about(about);
        }
        if let Some(example) = command.get_after_help().map(StyledStr::to_string) {
            command = command.after_help(example.replace("Example:", "Exemplo:"));
        }
    }
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, |sub| localize(sub, language)))
}

const TEMPLATE: &str = "{about-with-newline}\nUso: {usage}\n\n{all-args}{after-help}";

/// clap's own `--help` and `--version` speak English alone.
fn with_own_flags(command: Command, language: Language, has_version: bool) -> Command {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).help(language.pick(HELP[0], HELP[1]));
    let version = Arg::new("version").short('V').long("version").action(ArgAction::Version).help(language.pick(VERSION[0], VERSION[1]));
    let command = command.disable_help_flag(true).arg(help);
    if has_version { command.disable_version_flag(true).arg(version) } else { command }
}

fn translate(arg: Arg, command: &str) -> Arg {
    let id = arg.get_id().to_string();
    let heading = if arg.is_positional() { "Argumentos" } else { "Opções" };
    let Some(help) = text(command, &id).or_else(|| text("djo-host", &id)) else {
        return arg.help_heading(heading);
    };
    let mut help = help.to_owned();
    let mut add = |name: &str, value: String| {
        if !value.is_empty() {
            help.push_str(&format!(" [{name}: {value}]"));
        }
    };
    let takes_value = arg.get_action().takes_values();
    if takes_value {
        add("valores", arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect::<Vec<_>>().join(", "));
        add("padrão", arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(", "));
    }
    add("ambiente", arg.get_env().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default());
    let arg = arg.help(help).help_heading(heading).hide_env(true);
    if takes_value { arg.hide_default_value(true).hide_possible_values(true) } else { arg }
}

fn text(command: &str, id: &str) -> Option<&'static str> {
    PORTUGUESE.iter().find(|(of, argument, _)| *of == command && *argument == id).map(|(_, _, text)| *text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args::Args;

    #[test]
    fn everything_is_translated_and_nothing_else() {
        let mut needed = vec![("djo-host".to_owned(), String::new())];
        let root = Args::command();
        needed.extend(root.get_arguments().map(|arg| ("djo-host".to_owned(), arg.get_id().to_string())));
        for command in root.get_subcommands() {
            let name = command.get_name().to_owned();
            needed.push((name.clone(), String::new()));
            needed.extend(command.get_arguments().map(|arg| (name.clone(), arg.get_id().to_string())));
        }
        let mut there: Vec<_> = PORTUGUESE.iter().map(|(command, id, _)| ((*command).to_owned(), (*id).to_owned())).collect();
        needed.sort();
        there.sort();
        assert_eq!(there, needed);
    }

    #[test]
    fn every_command_has_an_example_in_its_help() {
        for (language, words) in [
            (Language::English, ["Example: djo-host", "Usage: ", "Shows this help"]),
            (Language::Portuguese, ["Exemplo: ", "Uso: ", "Mostra esta ajuda"]),
        ] {
            let mut command = localize(Args::command(), language);
            command.build();
            let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
            assert!(names.len() >= 5, "{names:?}");
            for name in names {
                let help = command.find_subcommand_mut(&name).unwrap().render_long_help().to_string();
                for word in words {
                    assert!(
                        help.contains(word) || word == "Example: djo-host" && help.contains("| djo-host"),
                        "{name} has no {word:?}:\n{help}"
                    );
                }
                if language == Language::Portuguese {
                    for word in ["Usage", "Options", "Arguments", "[default", "env:", "possible", "Print"] {
                        assert!(!help.contains(word), "{name} has {word:?}:\n{help}");
                    }
                }
            }
        }
    }
}
