//! Checksums and hashes over byte strings, as BMv2 computes them.

/// An algorithm, by BMv2's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Csum16,
    Crc16,
    Crc32,
    CrcCcitt,
    Crc8Custom,
    Crc16Custom,
    Crc32Custom,
    Crc64Custom,
    Xor16,
    Xor32,
    Identity,
    Random,
    HashEx,
    Xxh64,
    RoundRobin,
    RoundRobinConsistent,
    Toeplitz,
}

impl Algorithm {
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "csum16" | "cksum16" => Self::Csum16,
            "crc16" => Self::Crc16,
            "crc32" => Self::Crc32,
            "crcCCITT" => Self::CrcCcitt,
            "crc8_custom" => Self::Crc8Custom,
            "crc16_custom" => Self::Crc16Custom,
            "crc32_custom" => Self::Crc32Custom,
            "crc64_custom" => Self::Crc64Custom,
            "xor16" => Self::Xor16,
            "xor32" => Self::Xor32,
            "identity" => Self::Identity,
            "random" => Self::Random,
            "hash_ex" => Self::HashEx,
            "xxh64" | "bmv2_hash" => Self::Xxh64,
            "round_robin" => Self::RoundRobin,
            "round_robin_consistent" => Self::RoundRobinConsistent,
            "toeplitz" => Self::Toeplitz,
            _ => return None,
        })
    }

    /// Bits of a CRC whose parameters the control plane may change.
    pub fn custom_width(self) -> Option<u32> {
        match self {
            Self::Crc16Custom => Some(16),
            Self::Crc32Custom => Some(32),
            _ => None,
        }
    }

    /// The value for a byte string. `counter` is the calculation's own, for round robin; `random` a random number.
    pub fn compute(self, data: &[u8], counter: &mut u64, random: impl FnOnce() -> u64) -> u64 {
        match self {
            Self::Csum16 => u64::from(csum16(data)),
            Self::Crc16 | Self::Crc16Custom => crc_reflected(&CRC16, data, 0),
            Self::Crc32 | Self::Crc32Custom => crc_reflected(&CRC32, data, 0xffff_ffff) ^ 0xffff_ffff,
            Self::CrcCcitt => u64::from(crc_ccitt(data)),
            Self::Crc8Custom => u64::from(crc8(data)),
            Self::Crc64Custom => crc_reflected(&CRC64, data, 0),
            Self::Xor16 => xor_words(data, 2),
            Self::Xor32 => xor_words(data, 4),
            Self::Identity => data.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
            Self::Random => random(),
            Self::HashEx => u64::from(hash_ex(data)),
            Self::Xxh64 | Self::RoundRobinConsistent => xxh64(data),
            Self::RoundRobin => {
                *counter = counter.wrapping_add(1);
                counter.wrapping_sub(1)
            }
            // The key is all zeros unless the control plane sets one, which BMv2 only allows over its own RPC.
            Self::Toeplitz => 0,
        }
    }
}

/// The Internet checksum (RFC 1071): the one's complement of the one's complement sum of 16-bit words.
pub(crate) fn csum16(data: &[u8]) -> u16 {
    let mut sum = 0u64;
    let (words, rest) = data.as_chunks::<4>();
    for word in words {
        sum += u64::from(u32::from_be_bytes(*word));
    }
    match *rest {
        [a] => sum += u64::from(a) << 24,
        [a, b] => sum += u64::from(a) << 24 | u64::from(b) << 16,
        [a, b, c] => sum += u64::from(a) << 24 | u64::from(b) << 16 | u64::from(c) << 8,
        _ => {}
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// Table of a CRC that shifts right: `polynomial` has its bits reversed.
const fn reflected_table(polynomial: u64) -> [u64; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = index as u64;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { value >> 1 ^ polynomial } else { value >> 1 };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
}

/// 0x8005 reversed.
static CRC16: [u64; 256] = reflected_table(0xa001);
/// 0x04c11db7 reversed.
static CRC32: [u64; 256] = reflected_table(0xedb8_8320);
/// 0x1b reversed.
static CRC64: [u64; 256] = reflected_table(0xd800_0000_0000_0000);

fn crc_reflected(table: &[u64; 256], data: &[u8], initial: u64) -> u64 {
    data.iter().fold(initial, |crc, byte| crc >> 8 ^ table[usize::from(crc as u8 ^ byte)])
}

/// CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xffff.
fn crc_ccitt(data: &[u8]) -> u16 {
    data.iter().fold(0xffff, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte) << 8, |c, _| if c & 0x8000 != 0 { c << 1 ^ 0x1021 } else { c << 1 })
    })
}

/// CRC-8: polynomial 0x07, initial value 0.
fn crc8(data: &[u8]) -> u8 {
    data.iter().fold(0, |crc, byte| (0..8).fold(crc ^ byte, |c, _| if c & 0x80 != 0 { c << 1 ^ 0x07 } else { c << 1 }))
}

/// Exclusive or of the words, the last one filled with zeros.
fn xor_words(data: &[u8], bytes: usize) -> u64 {
    data.chunks(bytes).fold(0, |sum, chunk| {
        let word = chunk.iter().fold(0, |w, byte| w << 8 | u64::from(*byte));
        sum ^ word << ((bytes - chunk.len()) * 8)
    })
}

/// BMv2's `hash_ex`: FNV-1a over signed characters with a final mix.
fn hash_ex(data: &[u8]) -> u32 {
    let mut hash = data
        .iter()
        .fold(2_166_136_261u32, |hash, byte| (hash ^ i32::from(*byte as i8) as u32).wrapping_mul(16_777_619));
    hash = hash.wrapping_add(hash << 13);
    hash ^= hash >> 7;
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 17;
    hash.wrapping_add(hash << 5)
}

const XXH: [u64; 5] =
    [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63, 0x27d4_eb2f_1656_67c5];

/// XXH64 with seed 0 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
fn xxh64(data: &[u8]) -> u64 {
    let round = |acc: u64, lane: u64| acc.wrapping_add(lane.wrapping_mul(XXH[1])).rotate_left(31).wrapping_mul(XXH[0]);
    let lane = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    let mut rest = data;
    let mut hash = if data.len() >= 32 {
        let mut acc = [XXH[0].wrapping_add(XXH[1]), XXH[1], 0, 0u64.wrapping_sub(XXH[0])];
        while rest.len() >= 32 {
            let (stripe, tail) = rest.split_at(32);
            for (a, bytes) in acc.iter_mut().zip(stripe.chunks(8)) {
                *a = round(*a, lane(bytes));
            }
            rest = tail;
        }
        let mut hash = acc[0]
            .rotate_left(1)
            .wrapping_add(acc[1].rotate_left(7))
            .wrapping_add(acc[2].rotate_left(12))
            .wrapping_add(acc[3].rotate_left(18));
        for a in acc {
            hash = (hash ^ round(0, a)).wrapping_mul(XXH[0]).wrapping_add(XXH[3]);
        }
        hash
    } else {
        XXH[4]
    };
    hash = hash.wrapping_add(data.len() as u64);
    while rest.len() >= 8 {
        let (bytes, tail) = rest.split_at(8);
        hash = (hash ^ round(0, lane(bytes))).rotate_left(27).wrapping_mul(XXH[0]).wrapping_add(XXH[3]);
        rest = tail;
    }
    if rest.len() >= 4 {
        let (bytes, tail) = rest.split_at(4);
        let word = u64::from(bytes.try_into().map_or(0, u32::from_le_bytes));
        hash = (hash ^ word.wrapping_mul(XXH[0])).rotate_left(23).wrapping_mul(XXH[1]).wrapping_add(XXH[2]);
        rest = tail;
    }
    for byte in rest {
        hash = (hash ^ u64::from(*byte).wrapping_mul(XXH[4])).rotate_left(11).wrapping_mul(XXH[0]);
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(XXH[1]);
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(XXH[2]);
    hash ^ hash >> 32
}

#[cfg(test)]
#[path = "hash_tests.rs"]
mod tests;
