//! Loading BMv2 JSON.

use std::path::Path;
use std::sync::Arc;

use v1model::Program;

use crate::LaunchError;

/// Reads and checks a BMv2 JSON file.
///
/// # Errors
/// The file cannot be read, or is not a program this switch runs.
pub fn load(path: &Path) -> Result<Arc<Program>, LaunchError> {
    let json = std::fs::read_to_string(path).map_err(|source| LaunchError::File { path: path.into(), source })?;
    let program = Program::from_json(&json).map_err(|source| LaunchError::Program { path: path.into(), source })?;
    Ok(Arc::new(program))
}
