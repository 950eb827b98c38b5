//! The way of a path through links: each of them may be changed, and then leads elsewhere.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// Links that are followed: as many as Linux follows.
const MAX_LINKS: usize = 40;

/// Every link on the way of a path, and where it leads to in the end, be anything there or not. Each but for its own last part has no links.
pub(crate) fn trail(path: &Path) -> Vec<PathBuf> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut links = Vec::new();
    let mut at = PathBuf::new();
    let mut rest = Vec::new();
    let ahead = |rest: &mut Vec<PathBuf>, path: &Path| rest.extend(path.components().rev().map(|part| PathBuf::from(part.as_os_str())));
    ahead(&mut rest, &path);
    while let Some(part) = rest.pop() {
        match part.components().next() {
            Some(Component::ParentDir) => {
                at.pop();
            }
            Some(Component::CurDir) | None => {}
            // A root, too: what is absolute begins anew.
            Some(_) => {
                at.push(&part);
                if let Ok(target) = fs::read_link(&at)
                    && links.len() < MAX_LINKS
                {
                    links.push(at.clone());
                    at.pop();
                    ahead(&mut rest, &target);
                }
            }
        }
    }
    links.push(at);
    links
}

#[cfg(test)]
#[cfg(unix)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn all_links_on_the_way_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |path: &str| root.join(path);
        fs::create_dir_all(at("releases/2/sites/a")).unwrap();
        symlink("releases/2", at("current")).unwrap();
        symlink(at("current/sites"), at("sites")).unwrap();
        symlink("../sites/a", at("releases/a")).unwrap();
        symlink("round", at("round")).unwrap();
        let end = at("releases/2/sites/a");
        assert_eq!(trail(&end), std::slice::from_ref(&end));
        assert_eq!(trail(&at("sites/a")), [at("sites"), at("current"), end.clone()]);
        assert_eq!(trail(&at("releases/a")), [at("releases/a"), at("sites"), at("current"), end]);
        assert_eq!(trail(&at("current/nada/x")), [at("current"), at("releases/2/nada/x")], "it need not be there");
        assert_eq!(trail(&at("round")).len(), MAX_LINKS + 1);
    }
}
