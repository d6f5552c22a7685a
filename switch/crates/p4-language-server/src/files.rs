//! Files and the URIs that editors call them by.

use lsp_types::Uri;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The file of a `file:` URI, absolute and without `.` and `..`; none of other schemes.
pub fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let encoded = &rest[rest.find('/')?..];
    let mut bytes = Vec::new();
    let mut left = encoded.bytes();
    while let Some(byte) = left.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let number = digit(left.next())? * 16 + digit(left.next())?;
            bytes.push(u8::try_from(number).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    let path = String::from_utf8(bytes).ok()?;
    Some(p4_syntax::plain_path(Path::new(&path)))
}

/// The URI of a file.
pub fn uri(path: &Path) -> Option<Uri> {
    let mut text = String::from("file://");
    for byte in path.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    Uri::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_there_and_back() {
        let there_and_back = |text: &str| uri(Path::new(text)).and_then(|uri| path(&uri));
        for text in ["/a/b.p4", "/with space/é#?%.p4"] {
            assert_eq!(there_and_back(text).as_deref(), Some(Path::new(text)));
        }
        let other = Uri::from_str("untitled:Untitled-1").ok();
        assert_eq!(other.and_then(|uri| path(&uri)), None);
    }
}
