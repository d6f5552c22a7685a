//! A laid-out program as files of a folder of its own.

use crate::layout::Layout;
use p4_syntax::{Diagnostics, Options, SourceMap, ast};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder that goes with this.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("fuzz-oracle-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Parses a program with the files that it includes.
///
/// # Errors
/// The files cannot be written.
pub fn parse(layout: &Layout, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> std::io::Result<ast::Program> {
    let mut options = Options::default();
    let folder = if layout.files.is_empty() { None } else { Some(Folder::new()?) };
    if let Some(Folder(path)) = &folder {
        for (name, text) in &layout.files {
            std::fs::write(path.join(name), text)?;
        }
        options.include_dirs.push(path.clone());
    }
    Ok(p4_syntax::parse_text("fuzz.p4", &layout.main, &options, sources, diagnostics))
}
