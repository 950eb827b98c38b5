//! Who had which name and which host when the sites were last looked at, kept in the data folder: a restart takes nothing from anybody.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::hosts::{Owner, Owners};
use crate::private;
use crate::site::{Places, SiteName};

/// The file's name in the data folder. Removed while the host is stopped, it frees all names and hosts.
const FILE: &str = "owners.json";

/// The content of the file.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// Name to where its site lies.
    names: BTreeMap<String, String>,
    /// Host to whose it is. A site's own `NAME.localhost` is no matter of record.
    hosts: BTreeMap<String, Owner>,
    /// Name to where its site lay that is gone: its store may still be there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    gone: BTreeMap<String, Left>,
}

/// Where a site lay that is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Left {
    #[serde(serialize_with = "as_text")]
    pub(super) place: PathBuf,
    /// When it was first found to be gone, in seconds since 1970.
    pub(super) since: u64,
}

/// A place as the other ones are written: what is no text must not keep all else from being kept.
fn as_text<S: serde::Serializer>(place: &Path, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(&place.to_string_lossy())
}

/// The sites that are gone.
pub(super) type Gone = BTreeMap<SiteName, Left>;

impl Record {
    /// What was recorded. A record that cannot be read is as none, and said so.
    pub(super) fn load(data: &Path) -> Self {
        let file = data.join(FILE);
        let read = fs::read(&file).and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
        match read {
            Ok(record) => record,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::default(),
            Err(error) => {
                tracing::error!(file = %file.display(), %error, "whose the names and hosts are cannot be read: they are given out anew");
                Self::default()
            }
        }
    }

    pub(super) fn of(places: &Places, owners: &Owners, gone: &Gone) -> Self {
        Self {
            names: places.iter().map(|(name, place)| (name.to_string(), place.to_string_lossy().into_owned())).collect(),
            hosts: owners.of_record().map(|(host, owner)| (host.clone(), owner.clone())).collect(),
            gone: gone.iter().map(|(name, left)| (name.to_string(), left.clone())).collect(),
        }
    }

    /// Where the site of each name lay, whose each host was, and who was gone.
    pub(super) fn parts(&self) -> (Places, Owners, Gone) {
        let places = self.names.iter().filter_map(|(name, place)| Some((SiteName::new(name).ok()?, PathBuf::from(place)))).collect();
        let gone = self.gone.iter().filter_map(|(name, left)| Some((SiteName::new(name).ok()?, left.clone()))).collect();
        (places, Owners::from_record(self.hosts.clone()), gone)
    }

    /// Keeps it for the next start.
    ///
    /// # Errors
    /// When it cannot be written: then only the next start is the worse for it.
    pub(super) fn save(&self, data: &Path) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::from)?;
        private::create_folders(data)?;
        private::write(&data.join(FILE), &text)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_back_and_damage_is_none() {
        let data = tempfile::tempdir().unwrap();
        assert_eq!(Record::load(data.path()), Record::default());
        let places = Places::from([(SiteName::new("banco").unwrap(), PathBuf::from("sites/banco"))]);
        let hosts = [("b.test", None), ("c.test", Some(7))];
        let owner = |gone| Owner { site: "banco".to_owned(), gone };
        let owners = Owners::from_record(hosts.into_iter().map(|(host, gone)| (host.to_owned(), owner(gone))));
        let gone = Gone::from([(SiteName::new("loja").unwrap(), Left { place: PathBuf::from("na/loja"), since: 7 })]);
        let record = Record::of(&places, &owners, &gone);
        record.save(data.path()).unwrap();
        assert_eq!(Record::load(data.path()), record);
        assert_eq!((record.parts().0, record.parts().2), (places, gone));
        fs::write(data.path().join(FILE), "{").unwrap();
        assert_eq!(Record::load(data.path()), Record::default());
    }
}
