//! The compiler's own include files as files that an editor can open.

use p4_syntax::preprocess::{EMBEDDED, EMBEDDED_FOLDER};
use std::io;
use std::path::{Path, PathBuf};

/// The folder for them: in the user's cache, or else among temporary files.
fn folder() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("nodectl-p4").join(concat!("p4include-", env!("CARGO_PKG_VERSION")))
}

/// The path of a file of a program; a file embedded in the compiler need not be there yet.
pub fn location(name: &str) -> PathBuf {
    match own(name) {
        Some((own, _)) => folder().join(own),
        None => p4_syntax::plain_path(Path::new(name)),
    }
}

/// As [`location`]; a file embedded in the compiler is written there first.
///
/// # Errors
/// It cannot be written.
pub fn path(name: &str) -> io::Result<PathBuf> {
    match own(name) {
        Some((own, text)) => written(&folder(), own, text),
        None => Ok(location(name)),
    }
}

/// The compiler's own file of that name: name and text.
fn own(name: &str) -> Option<(&'static str, &'static str)> {
    let own = name.strip_prefix(EMBEDDED_FOLDER)?.trim_start_matches('/');
    EMBEDDED.iter().find(|(known, _)| *known == own).copied()
}

fn written(folder: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    let path = folder.join(name);
    if std::fs::read_to_string(&path).is_ok_and(|there| there == text) {
        return Ok(path);
    }
    std::fs::create_dir_all(folder)?;
    // Another server may write it too: whole, or not at all.
    let partial = folder.join(format!(".{name}.{}", std::process::id()));
    std::fs::write(&partial, text)?;
    let mut permissions = std::fs::metadata(&partial)?.permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&partial, permissions)?;
    std::fs::rename(&partial, &path)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_whole_and_written_once() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let first = written(folder.path(), "a.p4", "one")?;
        assert_eq!(std::fs::read_to_string(&first)?, "one");
        assert!(std::fs::metadata(&first)?.permissions().readonly());
        assert_eq!(written(folder.path(), "a.p4", "two")?, first);
        assert_eq!(std::fs::read_to_string(&first)?, "two");
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
        Ok(())
    }
}
