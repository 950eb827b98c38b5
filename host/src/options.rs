//! What `serve` is asked to do, and what it reports while it does it.

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use ipnet::IpNet;

use crate::{
    memory::half_of_machine,
    site::config::{MaxLimit, Withheld},
    tenant::SiteError,
};

/// Bytes of machine code of components that stay in memory where nothing else is said: 512 MiB.
pub const CODE_MEMORY: u64 = 512 << 20;

/// Everything that `serve` needs to know. The command line fills it; an embedding program starts from [`ServeOptions::default`].
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Sites, or folders of sites, in the order given. Default: the current folder.
    pub paths: Vec<PathBuf>,
    /// Where to listen; port 0 takes a free one. Default: `127.0.0.1:8080`.
    pub addr: SocketAddr,
    /// For authors: details in errors, answers checked against `returns`, sources watched closely. Default: off.
    pub dev: bool,
    /// The site for hosts that no site names. Default: none, unless only one site is served.
    pub default_site: Option<String>,
    /// Stores and compiled code. Nothing is written elsewhere. Default: `./.djo`.
    pub data: PathBuf,
    /// Bytes of machine code of components that stay in memory; beyond it, what was longest of no use is read back when it is needed again.
    /// The code that djo sites share is not counted. Default: [`CODE_MEMORY`].
    pub code_memory: u64,
    /// Bytes that all sites share: what their instances grow to, and long bodies of requests and answers while they are held. Default:
    /// [`half_of_machine`].
    pub memory: u64,
    /// The most that any site may have of these limits, whatever its `site.toml` says. Default: no more than a `site.toml` can say.
    pub max_limits: Vec<MaxLimit>,
    /// Agent calls that run at once in the process, at least 1. Default: 2 per core.
    pub agent_conc: usize,
    /// Agent requests a second for one client, with a burst of twice that; 0 is no limit. Default: 50.
    pub agent_rate: u32,
    /// Peers whose `Forwarded` and `X-Forwarded-For` are believed. Default: none.
    pub trust_proxy: Vec<IpNet>,
    /// Where metrics and health are served. Default: nowhere.
    pub admin: Option<SocketAddr>,
    /// Certificate and key, when the server speaks TLS itself. Default: none.
    pub tls: Option<TlsFiles>,
    /// One bad site refuses the start. Default: off, a bad site is reported and left out.
    pub strict: bool,
}

/// A certificate chain and its key, both PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The chain, leaf first.
    pub cert: PathBuf,
    /// The leaf's private key.
    pub key: PathBuf,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            paths: vec![PathBuf::from(".")],
            addr: SocketAddr::from(([127, 0, 0, 1], 8080)),
            dev: false,
            default_site: None,
            data: PathBuf::from(".djo"),
            code_memory: CODE_MEMORY,
            memory: half_of_machine(),
            max_limits: Vec::new(),
            agent_conc: default_agent_conc(),
            agent_rate: 50,
            trust_proxy: Vec::new(),
            admin: None,
            tls: None,
            strict: false,
        }
    }
}

impl ServeOptions {
    /// Tells whether a peer's word about the client's address is believed.
    pub fn trusts(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.trust_proxy.iter().any(|network| network.contains(&peer))
    }
}

/// Two agent calls per core.
pub fn default_agent_conc() -> usize {
    std::thread::available_parallelism().map_or(2, |cores| cores.get() * 2)
}

/// One site that is ready to be served.
#[derive(Clone, Debug)]
pub struct SiteReady {
    /// Its name: `NAME.localhost` is one of its hosts.
    pub name: String,
    /// The hosts it answers to.
    pub hosts: Vec<String>,
    /// How many routes it has, actions included.
    pub routes: usize,
    /// How many actions it publishes.
    pub actions: usize,
    /// Bytes of its component, or of its program image on the shared runtime.
    pub size: usize,
    /// Limits that were asked for and are not had.
    pub withheld: Vec<Withheld>,
    /// From reading its files to being able to answer.
    pub took: Duration,
}

/// Told what `serve` does, by whoever shows it to a person. All methods may be called from any thread.
pub trait ServeReporter: Send + Sync {
    /// A site can be served.
    fn site_ready(&self, site: &SiteReady);
    /// A site was left out; the error is for its author: rendered diagnostics, or one line.
    fn site_refused(&self, name: &str, error: &SiteError);
    /// A site's next revision cannot be served, so its last good one goes on; the error as for [`ServeReporter::site_refused`].
    fn site_kept(&self, name: &str, error: &SiteError);
    /// Requests are accepted at this address; `tls` says by which scheme.
    fn listening(&self, addr: SocketAddr, tls: bool);
    /// A signal came: what runs is finished, nothing new is accepted.
    fn stopping(&self);
}

/// Reports to no one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl ServeReporter for Silent {
    fn site_ready(&self, _: &SiteReady) {}
    fn site_refused(&self, _: &str, _: &SiteError) {}
    fn site_kept(&self, _: &str, _: &SiteError) {}
    fn listening(&self, _: SocketAddr, _: bool) {}
    fn stopping(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::unwrap_used)]
    fn a_mapped_peer_is_the_v4_peer() {
        let options = ServeOptions { trust_proxy: vec!["10.0.0.0/8".parse().unwrap()], ..ServeOptions::default() };
        assert!(options.trusts("10.1.2.3".parse().unwrap()));
        assert!(options.trusts("::ffff:10.1.2.3".parse().unwrap()));
        assert!(!options.trusts("11.1.2.3".parse().unwrap()));
        assert!(!ServeOptions::default().trusts("127.0.0.1".parse().unwrap()));
    }
}
