//! Whose a host is. A site's own name is always its own; a host that a site serves stays with it for as long as it asks for it, over
//! restarts too, and for a while after it is gone; only then does the order of the sites count. So no newcomer can take another's visitors,
//! their cookies or their credentials, nor lie in wait for the moment in which another is replaced.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

/// For how long the hosts of a site that is gone are kept for it, in seconds: for a deployment, or a disk that comes late.
pub(super) const PATIENCE: u64 = 60 * 60;

/// A site's claim: its name and the hosts it asks for, `NAME.localhost` first.
#[derive(Clone, Debug)]
pub(super) struct Claim<'a> {
    /// The site's name.
    pub(super) name: &'a str,
    /// The hosts, in lower case.
    pub(super) hosts: Vec<String>,
}

/// Who owns each host.
#[derive(Debug, Default)]
pub(super) struct Owners(HashMap<String, Owner>);

/// Whose a host is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owner {
    /// The site's name.
    pub(super) site: String,
    /// When it was first found to be gone, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) gone: Option<u64>,
}

impl Owner {
    fn there(site: &str) -> Self {
        Self { site: site.to_owned(), gone: None }
    }

    fn localhost(&self) -> String {
        format!("{}.localhost", self.site)
    }
}

impl Owners {
    /// Settles the claims of all sites on disk, loadable or not. `before` is who owned what until now, and `patience` for how many seconds
    /// the hosts of who is gone are kept.
    pub(super) fn settle(claims: &[Claim<'_>], before: &Owners, now: u64, patience: u64) -> Self {
        let mut owners = HashMap::new();
        for claim in claims {
            let own = Owner::there(claim.name);
            owners.insert(own.localhost(), own);
        }
        for claim in claims {
            for host in claim.hosts.iter().filter(|host| before.owner(host) == Some(claim.name)) {
                owners.entry(host.clone()).or_insert_with(|| Owner::there(claim.name));
            }
        }
        let there: HashSet<_> = claims.iter().map(|claim| claim.name).collect();
        for (host, owner) in before.0.iter().filter(|(_, owner)| !there.contains(owner.site.as_str())) {
            let gone = owner.gone.unwrap_or(now).min(now);
            if now - gone < patience {
                owners.entry(host.clone()).or_insert_with(|| Owner { gone: Some(gone), ..owner.clone() });
            }
        }
        for claim in claims {
            for host in &claim.hosts {
                owners.entry(host.clone()).or_insert_with(|| Owner::there(claim.name));
            }
        }
        Self(owners)
    }

    /// What was recorded.
    pub(super) fn from_record(hosts: impl IntoIterator<Item = (String, Owner)>) -> Self {
        Self(hosts.into_iter().collect())
    }

    /// What is to be recorded: all but the names that are their sites' own in any case.
    pub(super) fn of_record(&self) -> impl Iterator<Item = (&String, &Owner)> {
        self.0.iter().filter(|(host, owner)| **host != owner.localhost())
    }

    /// The site that a host belongs to, be it gone.
    pub(super) fn owner(&self, host: &str) -> Option<&str> {
        self.0.get(host).map(|owner| owner.site.as_str())
    }

    /// The hosts of each site.
    pub(super) fn by_site(&self) -> HashMap<&str, Vec<&String>> {
        let mut by_site = HashMap::<_, Vec<_>>::new();
        for (host, owner) in &self.0 {
            by_site.entry(owner.site.as_str()).or_default().push(host);
        }
        by_site
    }

    /// The first of some hosts that belongs to another site, and to whom.
    pub(super) fn conflict<'a>(&'a self, name: &str, hosts: &'a [String]) -> Option<(&'a str, &'a Owner)> {
        hosts.iter().find_map(|host| self.0.get(host).filter(|owner| owner.site != name).map(|owner| (host.as_str(), owner)))
    }

    /// All hosts of sites that are there.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &String> {
        self.0.iter().filter(|(_, owner)| owner.gone.is_none()).map(|(host, _)| host)
    }

    fn is_served(&self, host: &str) -> bool {
        self.0.get(host).is_some_and(|owner| owner.gone.is_none())
    }

    /// Keeps what was owned and is not any more out of others' hands: its visitors may come back with what they were given.
    pub(super) fn retire(&self, now: &Owners, retired: &mut HashSet<String>) {
        retired.extend(self.hosts().filter(|host| !now.is_served(host)).cloned());
        retired.retain(|host| !now.is_served(host));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn claim<'a>(name: &'a str, more: &[&str]) -> Claim<'a> {
        let own = format!("{name}.localhost");
        Claim { name, hosts: std::iter::once(own).chain(more.iter().map(|host| (*host).to_owned())).collect() }
    }

    fn settle(claims: &[Claim<'_>], before: &Owners) -> Owners {
        Owners::settle(claims, before, 1000, 60)
    }

    #[test]
    fn a_sites_name_is_its_own_whoever_comes_first() {
        let claims = [claim("aaa", &["banco.localhost"]), claim("banco", &[])];
        let owners = settle(&claims, &Owners::default());
        assert_eq!(owners.owner("banco.localhost"), Some("banco"));
        assert_eq!(owners.conflict("aaa", &claims[0].hosts), Some(("banco.localhost", &Owner::there("banco"))));
        assert_eq!(owners.conflict("banco", &claims[1].hosts), None);
    }

    #[test]
    fn who_serves_a_host_keeps_it() {
        let before = settle(&[claim("banco", &["b.test"])], &Owners::default());
        let owners = settle(&[claim("aaa", &["b.test"]), claim("banco", &["b.test"])], &before);
        assert_eq!(owners.owner("b.test"), Some("banco"));
        let given_up = settle(&[claim("aaa", &["b.test"]), claim("banco", &[])], &owners);
        assert_eq!(given_up.owner("b.test"), Some("aaa"));
    }

    #[test]
    fn who_is_gone_keeps_its_hosts_for_a_while() {
        let before = Owners::settle(&[claim("banco", &["b.test"])], &Owners::default(), 1000, 60);
        let lurking = [claim("aaa", &["b.test"])];
        let gone = Owners::settle(&lurking, &before, 1000, 60);
        assert_eq!(gone.conflict("aaa", &lurking[0].hosts).unwrap().1, &Owner { site: "banco".into(), gone: Some(1000) });
        let back = Owners::settle(&[lurking[0].clone(), claim("banco", &["b.test"])], &gone, 1059, 60);
        assert_eq!(back.0["b.test"], Owner::there("banco"));
        let still_gone = Owners::settle(&lurking, &gone, 1059, 60);
        assert_eq!(still_gone.owner("b.test"), Some("banco"), "it is not counted anew");
        assert_eq!(Owners::settle(&lurking, &still_gone, 1060, 60).owner("b.test"), Some("aaa"));
        assert_eq!(Owners::settle(&lurking, &before, 1000, 0).owner("b.test"), Some("aaa"), "without patience");
    }

    #[test]
    fn a_host_that_is_gone_is_nobodys() {
        let before = settle(&[claim("banco", &["b.test"]), claim("mau", &[])], &Owners::default());
        let after = settle(&[claim("mau", &[])], &before);
        let mut retired = HashSet::new();
        before.retire(&after, &mut retired);
        let mut names: Vec<_> = retired.iter().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["b.test", "banco.localhost"]);
        after.retire(&before, &mut retired);
        assert!(retired.is_empty(), "it came back");
    }
}
