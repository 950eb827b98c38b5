//! From an allowed origin to the addresses that may be connected to. A name is resolved once, every address that comes is judged, and
//! what was judged is what is connected to: a name that changes its mind in between (rebinding) gains nothing.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use djo_contract::fetch::Origin;
use tokio::sync::Semaphore;

use super::address::{Place, place};
use super::error::FetchError;

/// Addresses of one name that are tried.
const MOST: usize = 4;

/// Names that a site may ask for at once.
pub(super) const LOOKUPS_OF_SITE: usize = 8;
/// And all sites together: an eighth of the threads that wait for what blocks.
static LOOKUPS: Semaphore = Semaphore::const_new(64);
/// How long a call waits until its name is resolved.
const PATIENCE: Duration = Duration::from_secs(5);

/// Addresses that a call to an origin may end at: only [`pinned`] makes them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pinned(Vec<SocketAddr>);

impl Pinned {
    /// In the order in which they are to be tried; never none.
    pub(super) fn addresses(&self) -> &[SocketAddr] {
        &self.0
    }
}

/// Resolves and judges. The origin is one that the owner named: where it names an address itself, or this machine, that place is meant;
/// a name that others may point anywhere leads to the public internet or nowhere. One address out of place spoils the name.
pub(super) async fn pinned<F>(origin: &Origin, lookup: impl FnOnce(String, u16) -> F) -> Result<Pinned, FetchError>
where
    F: Future<Output = Result<Vec<SocketAddr>, FetchError>>,
{
    let literal = origin.host.parse::<IpAddr>().ok();
    let found = match literal {
        Some(address) => vec![SocketAddr::new(address, origin.port)],
        None => lookup(origin.host.clone(), origin.port).await?,
    };
    let this_machine = origin.host == "localhost" || origin.host.ends_with(".localhost");
    for address in &found {
        let allowed = match place(address.ip()) {
            Place::Public => !this_machine,
            Place::Loopback => literal.is_some() || this_machine,
            Place::Private => literal.is_some(),
            Place::Never => false,
        };
        if !allowed {
            return Err(FetchError::Prohibited { host: origin.host.clone(), address: address.ip() });
        }
    }
    if found.is_empty() {
        return Err(FetchError::NotFound(origin.host.clone()));
    }
    // The port is the origin's, whatever a resolver says.
    Ok(Pinned(found.into_iter().take(MOST).map(|address| SocketAddr::new(address.ip(), origin.port)).collect()))
}

/// The resolver of this machine, for a site that asks as often at once as its semaphore lets it.
pub(super) async fn lookup(host: String, port: u16, of_site: &Arc<Semaphore>) -> Result<Vec<SocketAddr>, FetchError> {
    let name = host.clone();
    bounded(name, of_site, move || Ok((host, port).to_socket_addrs()?.collect())).await
}

/// Asks on a thread of those that wait for files and code, too. A question cannot be taken back: its thread, and with it its places among
/// the site's and among all, is free when the answer is there, whether anyone still waits for it or not.
async fn bounded(
    name: String,
    of_site: &Arc<Semaphore>,
    ask: impl FnOnce() -> io::Result<Vec<SocketAddr>> + Send + 'static,
) -> Result<Vec<SocketAddr>, FetchError> {
    let answer = async {
        let places = (Arc::clone(of_site).acquire_owned().await, LOOKUPS.acquire().await);
        let asked = tokio::task::spawn_blocking(move || {
            let _places = places;
            ask()
        });
        asked.await
    };
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(Ok(Ok(found))) => Ok(found),
        Ok(_) => Err(FetchError::NotFound(name)),
        Err(_) => Err(FetchError::Unresolved { host: name, time: PATIENCE }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// What a call to an origin is pinned to when its name resolves to these.
    async fn pin(origin: &str, addresses: &[&str]) -> Result<Vec<String>, FetchError> {
        let found = addresses.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 1)).collect();
        let pinned = pinned(&Origin::parse(origin).unwrap(), |_, _| async { Ok(found) }).await?;
        Ok(pinned.addresses().iter().map(ToString::to_string).collect())
    }

    #[tokio::test]
    async fn a_name_leads_to_the_internet_or_nowhere() {
        assert_eq!(pin("https://a.com", &["8.8.8.8", "2606:4700::1111"]).await.unwrap(), ["8.8.8.8:443", "[2606:4700::1111]:443"]);
        for inside in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00:ec2::254", "::ffff:10.0.0.1", "0.0.0.0"] {
            assert!(matches!(pin("https://a.com", &[inside]).await, Err(FetchError::Prohibited { .. })), "{inside}");
            assert!(matches!(pin("https://a.com", &["8.8.8.8", inside]).await, Err(FetchError::Prohibited { .. })), "behind: {inside}");
        }
        assert!(matches!(pin("https://a.com", &[]).await, Err(FetchError::NotFound(_))));
    }

    #[tokio::test]
    async fn an_owner_means_the_address_that_is_named() {
        assert_eq!(pin("http://127.0.0.1:81", &[]).await.unwrap(), ["127.0.0.1:81"]);
        assert_eq!(pin("http://10.0.0.5:9000", &[]).await.unwrap(), ["10.0.0.5:9000"]);
        assert_eq!(pin("http://[fd12::1]", &[]).await.unwrap(), ["[fd12::1]:80"]);
        assert_eq!(pin("http://localhost:81", &["::1", "127.0.0.1"]).await.unwrap(), ["[::1]:81", "127.0.0.1:81"]);
        assert_eq!(pin("http://blog.localhost", &["127.0.0.1"]).await.unwrap(), ["127.0.0.1:80"]);
        for never in ["http://169.254.169.254", "http://[fd00:ec2::254]", "http://[::ffff:169.254.169.254]", "http://0.0.0.0"] {
            assert!(matches!(pin(never, &[]).await, Err(FetchError::Prohibited { .. })), "{never}");
        }
        for elsewhere in ["10.0.0.1", "8.8.8.8"] {
            assert!(matches!(pin("http://localhost", &[elsewhere]).await, Err(FetchError::Prohibited { .. })), "{elsewhere}");
        }
    }

    #[tokio::test]
    async fn a_name_is_asked_for_once() {
        let asked = AtomicUsize::new(0);
        let changing = |_, _| async {
            let answer = ["8.8.8.8:1", "127.0.0.1:1"][asked.fetch_add(1, Ordering::Relaxed)];
            Ok(vec![answer.parse().unwrap()])
        };
        let pinned = pinned(&Origin::parse("http://a.com").unwrap(), changing).await.unwrap();
        assert_eq!((pinned.addresses(), asked.into_inner()), (&["8.8.8.8:80".parse().unwrap()][..], 1));
    }

    #[tokio::test]
    async fn names_without_an_answer_take_no_more_threads_than_a_site_may_have() {
        let (of_site, of_other) = (Arc::new(Semaphore::new(2)), Arc::new(Semaphore::new(2)));
        let asked = Arc::new(AtomicUsize::new(0));
        let (release, released) = std::sync::mpsc::channel::<()>();
        let released = Arc::new(std::sync::Mutex::new(released));
        for _ in 0..10 {
            let (asked, released) = (Arc::clone(&asked), Arc::clone(&released));
            let slow = bounded("a.com".into(), &of_site, move || {
                asked.fetch_add(1, Ordering::Relaxed);
                let _ = released.lock().unwrap().recv();
                Ok(Vec::new())
            });
            // Whoever waited leaves: the thread goes on.
            assert!(tokio::time::timeout(Duration::from_millis(20), slow).await.is_err());
        }
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        let late = tokio::time::timeout(2 * PATIENCE, bounded("a.com".into(), &of_site, || Ok(Vec::new()))).await.unwrap();
        assert!(matches!(late, Err(FetchError::Unresolved { host, .. }) if host == "a.com"));
        let found = vec!["8.8.8.8:1".parse().unwrap()];
        let other = found.clone();
        assert_eq!(bounded("b.com".into(), &of_other, move || Ok(other)).await.unwrap(), found, "another site goes on");
        drop(release);
        assert!(bounded("a.com".into(), &of_site, || Ok(Vec::new())).await.is_ok());
    }
}
