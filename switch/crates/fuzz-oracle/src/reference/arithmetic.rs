//! Arithmetic on numbers of up to 128 bits (P4_16 specification, "Operations on fixed-width bit types" and "on fixed-width signed
//! integers"). A number is a `u128` whose bits above its width are zero; signed ones are in two's complement.

/// All ones.
pub fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The lowest `width` bits.
pub fn wrap(value: u128, width: u32) -> u128 {
    value & mask(width)
}

/// The number that two's complement stands for.
pub fn signed(value: u128, width: u32) -> i128 {
    if width == 0 {
        return 0;
    }
    let above = 128 - width;
    ((value << above) as i128) >> above
}

/// Two's complement of a number.
pub fn unsigned(value: i128, width: u32) -> u128 {
    wrap(value as u128, width)
}

/// The least and greatest number of `int<width>`.
fn signed_bounds(width: u32) -> (i128, i128) {
    let greatest = (mask(width) >> 1) as i128;
    (-greatest - 1, greatest)
}

/// `a |+| b` of `bit<width>`.
pub fn saturating_add(a: u128, b: u128, width: u32) -> u128 {
    a.saturating_add(b).min(mask(width))
}

/// `a |+| b` of `int<width>`.
pub fn saturating_add_signed(a: u128, b: u128, width: u32) -> u128 {
    let (least, greatest) = signed_bounds(width);
    unsigned(signed(a, width).saturating_add(signed(b, width)).clamp(least, greatest), width)
}

/// `a |-| b` of `int<width>`.
pub fn saturating_sub_signed(a: u128, b: u128, width: u32) -> u128 {
    let (least, greatest) = signed_bounds(width);
    unsigned(signed(a, width).saturating_sub(signed(b, width)).clamp(least, greatest), width)
}

/// `a << by`: zeros come in, also if `by` is more than the width.
pub fn shift_left(a: u128, by: u128, width: u32) -> u128 {
    if by >= u128::from(width) { 0 } else { wrap(a << by, width) }
}

/// `a >> by` of `bit<width>`: zeros come in.
pub fn shift_right(a: u128, by: u128, width: u32) -> u128 {
    if by >= u128::from(width) { 0 } else { a >> by }
}

/// `a >> by` of `int<width>`: copies of the sign come in.
pub fn shift_right_signed(a: u128, by: u128, width: u32) -> u128 {
    let by = by.min(u128::from(width.max(1) - 1)) as u32;
    unsigned(signed(a, width) >> by, width)
}

/// `value[high:low]`
pub fn slice(value: u128, high: u32, low: u32) -> u128 {
    wrap(value >> low, high - low + 1)
}

/// `value` with `part` in place of `value[high:low]`.
pub fn with_slice(value: u128, high: u32, low: u32, part: u128) -> u128 {
    let hole = mask(high - low + 1) << low;
    value & !hole | part << low & hole
}
