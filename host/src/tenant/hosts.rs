//! Whose a host is. A site's own name is always its own; a host that a site serves stays with it for as long as it asks for it;
//! only then does the order of the sites count. So no newcomer can take another's visitors, their cookies or their credentials.

use std::collections::{HashMap, HashSet};

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
pub(super) struct Owners(HashMap<String, String>);

impl Owners {
    /// Settles the claims of all sites on disk, loadable or not. `before` is who owned what until now.
    pub(super) fn settle(claims: &[Claim<'_>], before: &Owners) -> Self {
        let mut owners = HashMap::new();
        for claim in claims {
            owners.insert(format!("{}.localhost", claim.name), claim.name.to_owned());
        }
        for claim in claims {
            for host in claim.hosts.iter().filter(|host| before.owner(host) == Some(claim.name)) {
                owners.entry(host.clone()).or_insert_with(|| claim.name.to_owned());
            }
        }
        for claim in claims {
            for host in &claim.hosts {
                owners.entry(host.clone()).or_insert_with(|| claim.name.to_owned());
            }
        }
        Self(owners)
    }

    /// The site that a host belongs to.
    pub(super) fn owner(&self, host: &str) -> Option<&str> {
        self.0.get(host).map(String::as_str)
    }

    /// The first of some hosts that belongs to another site, and to whom.
    pub(super) fn conflict<'a>(&'a self, name: &str, hosts: &'a [String]) -> Option<(&'a str, &'a str)> {
        hosts.iter().find_map(|host| self.owner(host).filter(|owner| *owner != name).map(|owner| (host.as_str(), owner)))
    }

    /// All hosts that anyone owns.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Keeps what was owned and is not any more out of others' hands: its visitors may come back with what they were given.
    pub(super) fn retire(&self, now: &Owners, retired: &mut HashSet<String>) {
        retired.extend(self.hosts().filter(|host| now.owner(host).is_none()).cloned());
        retired.retain(|host| now.owner(host).is_none());
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

    #[test]
    fn a_sites_name_is_its_own_whoever_comes_first() {
        let claims = [claim("aaa", &["banco.localhost"]), claim("banco", &[])];
        let owners = Owners::settle(&claims, &Owners::default());
        assert_eq!(owners.owner("banco.localhost"), Some("banco"));
        assert_eq!(owners.conflict("aaa", &claims[0].hosts), Some(("banco.localhost", "banco")));
        assert_eq!(owners.conflict("banco", &claims[1].hosts), None);
    }

    #[test]
    fn who_serves_a_host_keeps_it() {
        let before = Owners::settle(&[claim("banco", &["b.test"])], &Owners::default());
        let owners = Owners::settle(&[claim("aaa", &["b.test"]), claim("banco", &["b.test"])], &before);
        assert_eq!(owners.owner("b.test"), Some("banco"));
        let given_up = Owners::settle(&[claim("aaa", &["b.test"]), claim("banco", &[])], &owners);
        assert_eq!(given_up.owner("b.test"), Some("aaa"));
    }

    #[test]
    fn a_host_that_is_gone_is_nobodys() {
        let before = Owners::settle(&[claim("banco", &["b.test"]), claim("mau", &[])], &Owners::default());
        let after = Owners::settle(&[claim("mau", &[])], &before);
        let mut retired = HashSet::new();
        before.retire(&after, &mut retired);
        let mut names: Vec<_> = retired.iter().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["b.test", "banco.localhost"]);
        after.retire(&before, &mut retired);
        assert!(retired.is_empty(), "it came back");
    }
}
