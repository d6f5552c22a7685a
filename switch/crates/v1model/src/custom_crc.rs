//! CRCs with parameters of the control plane's choice (BMv2's `crc16_custom` and `crc32_custom`).

use crate::types::CrcParameters;

/// A CRC, ready to be computed.
#[derive(Debug)]
pub(crate) struct CustomCrc {
    width: u32,
    parameters: CrcParameters,
    /// The remainder of each first byte, most significant bit first.
    table: [u64; 256],
}

impl CustomCrc {
    /// `width` is 8 to 64 bits; bits of the parameters beyond it do not count.
    pub fn new(width: u32, parameters: CrcParameters) -> Self {
        let top = 1 << (width - 1);
        let mask = mask(width);
        let remainder = |byte: u64| {
            (0..8).fold(byte << (width - 8), |rest, _| {
                let shifted = rest << 1 & mask;
                if rest & top == 0 { shifted } else { shifted ^ (parameters.polynomial & mask) }
            })
        };
        Self { width, parameters, table: std::array::from_fn(|byte| remainder(byte as u64)) }
    }

    /// The value for a byte string.
    pub fn compute(&self, data: &[u8]) -> u64 {
        let CrcParameters { initial, final_xor, reflect_data, reflect_remainder, .. } = self.parameters;
        let mask = mask(self.width);
        let rest = data.iter().fold(initial & mask, |rest, byte| {
            let byte = if reflect_data { byte.reverse_bits() } else { *byte };
            let first = (rest >> (self.width - 8)) as u8 ^ byte;
            rest << 8 & mask ^ self.table[usize::from(first)]
        });
        let rest = if reflect_remainder { rest.reverse_bits() >> (64 - self.width) } else { rest };
        rest ^ (final_xor & mask)
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries of the catalogue of parametrised CRC algorithms, with the check value over "123456789".
    #[test]
    fn catalogue() {
        let check = |width, polynomial, initial, reflect, final_xor| {
            let parameters =
                CrcParameters { polynomial, initial, final_xor, reflect_data: reflect, reflect_remainder: reflect };
            CustomCrc::new(width, parameters).compute(b"123456789")
        };
        assert_eq!(check(16, 0x8005, 0, true, 0), 0xbb3d, "CRC-16/ARC");
        assert_eq!(check(16, 0x1021, 0xffff, false, 0), 0x29b1, "CRC-16/IBM-3740");
        assert_eq!(check(16, 0x1021, 0xffff, true, 0xffff), 0x906e, "CRC-16/IBM-SDLC");
        assert_eq!(check(16, 0x3d65, 0, false, 0xffff), 0xc2b7, "CRC-16/EN-13757");
        assert_eq!(check(32, 0x04c1_1db7, 0xffff_ffff, true, 0xffff_ffff), 0xcbf4_3926, "CRC-32/ISO-HDLC");
        assert_eq!(check(32, 0x04c1_1db7, 0xffff_ffff, false, 0xffff_ffff), 0xfc89_1918, "CRC-32/BZIP2");
        assert_eq!(check(32, 0x1edc_6f41, 0xffff_ffff, true, 0xffff_ffff), 0xe306_9283, "CRC-32/ISCSI");
        assert_eq!(check(8, 0x07, 0, false, 0), 0xf4, "CRC-8/SMBUS");
        assert_eq!(check(64, 0x1b, u64::MAX, true, u64::MAX), 0xb909_56c7_75a4_1001, "CRC-64/GO-ISO");
    }

    #[test]
    fn one_side_reflected() {
        let parameters = CrcParameters {
            polynomial: 0x8005,
            initial: 0,
            final_xor: 0,
            reflect_data: true,
            reflect_remainder: false,
        };
        let turned = CustomCrc::new(16, parameters).compute(b"123456789");
        assert_eq!(turned, u64::from(0xbb3d_u16.reverse_bits()));
    }

    #[test]
    fn parameters_that_are_too_wide() {
        let parameters = CrcParameters {
            polynomial: 0xf_1021,
            initial: 0xf_ffff,
            final_xor: 0xf_0000,
            reflect_data: false,
            reflect_remainder: false,
        };
        assert_eq!(CustomCrc::new(16, parameters).compute(b"123456789"), 0x29b1);
    }
}
