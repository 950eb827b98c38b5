//! `[limits]`: what a site may use, and what a component asks to be given of it.

use std::{ops::RangeInclusive, str::FromStr};

use djo_contract::model::Wanted;

use super::{SiteConfig, hosts, size};

/// The keys of `[limits]`.
pub(super) const KEYS: [&str; 8] =
    ["memory_mb", "timeout_ms", "cpu_ms", "max_body", "max_response", "store_mb", "outbound_calls", "concurrency"];

/// `[limits]`: what the site may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// MiB of memory for one request, 1 to 4096. Default: 64.
    pub memory_mb: u32,
    /// Milliseconds that one request may take, waiting included, 1 to 600,000. Default: 10,000.
    pub timeout_ms: u32,
    /// Milliseconds that the code of one request may compute, 1 to 600,000. Default: 5,000.
    pub cpu_ms: u32,
    /// Bytes of a request's body, up to 1 GiB. Default: 1 MiB.
    pub max_body: u64,
    /// Bytes of a response's body, 1 KiB to 1 GiB. Default: 8 MiB.
    pub max_response: u64,
    /// MiB of the site's store on disk, 1 to 1,048,576. Default: 256.
    pub store_mb: u32,
    /// Outbound calls of one request, 0 to 1000. Default: 16.
    pub outbound_calls: u32,
    /// Requests of the site that run at once, 1 to 10,000. Default: 64.
    pub concurrency: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_mb: 64,
            timeout_ms: 10_000,
            cpu_ms: 5_000,
            max_body: 1 << 20,
            max_response: 8 << 20,
            store_mb: 256,
            outbound_calls: 16,
            concurrency: 64,
        }
    }
}

/// One limit, and what it may be set to.
pub(super) enum Limit<'a> {
    /// A number.
    Count(&'a mut u32, RangeInclusive<u32>),
    /// Bytes.
    Size(&'a mut u64, RangeInclusive<u64>),
}

impl Limits {
    /// The limit of a name.
    pub(super) fn limit(&mut self, name: &str) -> Option<Limit<'_>> {
        Some(match name {
            "memory_mb" => Limit::Count(&mut self.memory_mb, 1..=4096),
            "timeout_ms" => Limit::Count(&mut self.timeout_ms, 1..=600_000),
            "cpu_ms" => Limit::Count(&mut self.cpu_ms, 1..=600_000),
            "max_body" => Limit::Size(&mut self.max_body, 0..=1 << 30),
            "max_response" => Limit::Size(&mut self.max_response, 1 << 10..=1 << 30),
            "store_mb" => Limit::Count(&mut self.store_mb, 1..=1 << 20),
            "outbound_calls" => Limit::Count(&mut self.outbound_calls, 0..=1000),
            "concurrency" => Limit::Count(&mut self.concurrency, 1..=10_000),
            _ => return None,
        })
    }

    fn get(&mut self, name: &str) -> Option<u64> {
        self.limit(name).map(|limit| match limit {
            Limit::Count(number, _) => u64::from(*number),
            Limit::Size(bytes, _) => *bytes,
        })
    }

    /// Sets a limit that a component asks for; `None` when it cannot be had.
    fn set(&mut self, name: &str, wanted: u64) -> Option<()> {
        match self.limit(name)? {
            Limit::Count(number, range) => *number = u32::try_from(wanted).ok().filter(|wanted| range.contains(wanted))?,
            Limit::Size(bytes, range) => *bytes = Some(wanted).filter(|wanted| range.contains(wanted))?,
        }
        Some(())
    }
}

/// `NAME=VALUE`: the most that any site of a host may have of a limit, whatever its `site.toml` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxLimit {
    name: &'static str,
    most: u64,
}

impl FromStr for MaxLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("NAME=VALUE, as memory_mb=256")?;
        let name = KEYS.into_iter().find(|known| *known == name.trim()).ok_or_else(|| format!("one of {}", KEYS.join(", ")))?;
        let most = size::parse(value).ok_or_else(|| format!("`{value}` is no number or size"))?;
        Limits::default().set(name, most).ok_or_else(|| format!("`{name}` cannot be {value}"))?;
        Ok(Self { name, most })
    }
}

/// More of a limit was asked for than is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld {
    /// Its key in `[limits]`.
    pub name: &'static str,
    /// What was asked for, in its unit.
    pub asked: u64,
    /// What the site has.
    pub given: u64,
}

impl SiteConfig {
    /// Holds the site to what its host gives any.
    pub fn hold_to(&mut self, most: &[MaxLimit]) {
        for name in KEYS {
            let given = most.iter().filter(|limit| limit.name == name).map(|limit| limit.most).min();
            let asked = self.limits.get(name);
            let (Some(given), Some(asked)) = (given, asked) else { continue };
            // Who has asked for nothing is given what there is.
            if asked > given && self.limits.set(name, given).is_some() && self.given.contains(&name) {
                self.withheld.push(Withheld { name, asked, given });
            }
        }
    }

    /// What a component built with these settings asks of its host.
    pub fn wanted(&self) -> Wanted {
        let (mut set, mut usual) = (self.limits.clone(), Limits::default());
        let changed = KEYS.into_iter().filter_map(|name| {
            let wanted = set.get(name)?;
            (usual.get(name) != Some(wanted)).then(|| (name.to_owned(), wanted))
        });
        Wanted { hosts: self.hosts.clone(), limits: changed.collect(), max_age: self.r#static.max_age }
    }

    /// Takes from what a component asks for all that its `site.toml` does not settle. Of a limit it may ask for less than is usual; more
    /// is not its own to say, nor is where it may call.
    ///
    /// # Errors
    /// The first thing that cannot be had, for the author.
    pub fn adopt(&mut self, wanted: &Wanted) -> Result<(), String> {
        for host in &wanted.hosts {
            let checked = hosts::host(host).map_err(|bad| format!("`{host}`: {}", bad.message()))?;
            if !self.given.contains(&"hosts") && !self.hosts.contains(&checked) {
                self.hosts.push(checked);
            }
        }
        for (name, number) in &wanted.limits {
            let mut limits = self.limits.clone();
            limits.set(name, *number).ok_or_else(|| match limits.limit(name) {
                Some(Limit::Count(_, range)) => format!("`{name}` vai de {} a {}, mas veio {number}", range.start(), range.end()),
                Some(Limit::Size(_, range)) => {
                    format!("`{name}` vai de {} a {}, mas veio {number}", size::show(*range.start()), size::show(*range.end()))
                }
                None => format!("limite desconhecido `{name}`"),
            })?;
            let Some(key) = KEYS.into_iter().find(|key| key == name && !self.given.contains(key)) else { continue };
            match self.limits.get(key) {
                Some(usual) if *number > usual => self.withheld.push(Withheld { name: key, asked: *number, given: usual }),
                _ => self.limits = limits,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_is_wanted_and_adopted() {
        let set = SiteConfig::parse(
            "hosts = [\"a.test\"]\n[limits]\nmemory_mb = 8\nmax_response = \"1MiB\"\ntimeout_ms = 10000\n[static]\nmax_age = 9",
        )
        .unwrap();
        let wanted = set.wanted();
        assert_eq!(wanted.max_age, Some(9));
        assert_eq!(wanted.limits, [("memory_mb".to_owned(), 8), ("max_response".to_owned(), 1 << 20)]);
        let mut alone = SiteConfig::default();
        alone.adopt(&wanted).unwrap();
        assert_eq!((alone.hosts, alone.limits), (set.hosts, set.limits));
        assert_eq!(alone.withheld, []);
        assert_eq!(SiteConfig::default().wanted(), Wanted::default());
    }

    #[test]
    fn a_component_raises_no_limit_of_its_own() {
        let asked = [("memory_mb", 4096), ("concurrency", 10_000), ("timeout_ms", 600_000), ("cpu_ms", 1)];
        let wanted = Wanted { limits: asked.map(|(name, number)| (name.to_owned(), number)).to_vec(), ..Wanted::default() };
        let mut alone = SiteConfig::default();
        alone.adopt(&wanted).unwrap();
        assert_eq!(alone.limits, Limits { cpu_ms: 1, ..Limits::default() });
        let withheld: Vec<_> = alone.withheld.iter().map(|withheld| (withheld.name, withheld.asked, withheld.given)).collect();
        assert_eq!(withheld, [("memory_mb", 4096, 64), ("concurrency", 10_000, 64), ("timeout_ms", 600_000, 10_000)]);
        let mut accepted = SiteConfig::parse("[limits]\nmemory_mb = 4096\nconcurrency = 10000\ntimeout_ms = 600000").unwrap();
        accepted.adopt(&wanted).unwrap();
        assert_eq!((accepted.limits.memory_mb, accepted.limits.concurrency, accepted.withheld), (4096, 10_000, vec![]));
    }

    #[test]
    fn a_host_gives_no_site_more_than_it_says() {
        let most: Vec<MaxLimit> = ["memory_mb=256", "max_body=2MiB", "store_mb=512"].iter().map(|text| text.parse().unwrap()).collect();
        let mut config = SiteConfig::parse("[limits]\nmemory_mb = 4096\nmax_body = \"1GiB\"").unwrap();
        config.hold_to(&most);
        assert_eq!(config.limits, Limits { memory_mb: 256, max_body: 2 << 20, ..Limits::default() });
        assert_eq!(config.withheld.len(), 2);
        let mut silent = SiteConfig::default();
        silent.hold_to(&["cpu_ms=100", "cpu_ms=50"].map(|text| text.parse().unwrap()));
        assert_eq!((silent.limits.cpu_ms, silent.withheld), (50, vec![]));
        for bad in ["", "memory_mb", "memory=1", "memory_mb=x", "memory_mb=0", "memory_mb=5000"] {
            assert!(bad.parse::<MaxLimit>().is_err(), "{bad}");
        }
    }

    #[test]
    fn its_site_toml_has_the_last_word() {
        let mut config = SiteConfig::parse("hosts = []\n[limits]\nmemory_mb = 64\n[static]\nmax_age = 60").unwrap();
        let wanted = Wanted { hosts: vec!["a.test".into()], limits: vec![("memory_mb".into(), 8), ("cpu_ms".into(), 1)], max_age: Some(7) };
        config.adopt(&wanted).unwrap();
        assert!(config.hosts.is_empty());
        assert_eq!(
            (config.max_age(Some(&wanted)), SiteConfig::default().max_age(Some(&wanted)), SiteConfig::default().max_age(None)),
            (60, 7, 3600)
        );
        assert_eq!((config.limits.memory_mb, config.limits.cpu_ms), (64, 1));
    }

    #[test]
    fn what_cannot_be_had_is_told() {
        let adopt = |hosts: &[&str], limits: &[(&str, u64)]| {
            let wanted = Wanted {
                hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
                limits: limits.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect(),
                max_age: None,
            };
            SiteConfig::default().adopt(&wanted).unwrap_err()
        };
        assert!(adopt(&["localhost"], &[]).contains("não escolhe um site"));
        assert_eq!(adopt(&[], &[("memory_mb", 5000)]), "`memory_mb` vai de 1 a 4096, mas veio 5000");
        assert_eq!(adopt(&[], &[("max_body", u64::MAX)]), "`max_body` vai de 0B a 1GiB, mas veio 18446744073709551615");
        assert_eq!(adopt(&[], &[("cores", 1)]), "limite desconhecido `cores`");
    }
}
