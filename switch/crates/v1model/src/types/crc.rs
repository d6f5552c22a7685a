//! Parameters of cyclic redundancy checks.

/// A CRC that the control plane describes, as the catalogue of parametrised CRC algorithms does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrcParameters {
    /// The polynomial without its highest term, most significant bit first.
    pub polynomial: u64,
    /// The remainder before the first byte.
    pub initial: u64,
    /// The result is combined with it by exclusive or.
    pub final_xor: u64,
    /// The bits of each byte come least significant first.
    pub reflect_data: bool,
    /// The bits of the remainder are turned round before the final exclusive or.
    pub reflect_remainder: bool,
}
