//! Rounds at whole multiples of their period, whenever the program was started: a late one does not shift the ones after it.

/// When the next round begins: after `now_ns`, both by CLOCK_MONOTONIC.
pub(crate) fn next_ns(now_ns: u64, period_ns: u64) -> u64 {
    let period_ns = period_ns.max(1);
    (now_ns / period_ns).saturating_add(1).saturating_mul(period_ns)
}

#[cfg(test)]
mod tests {
    use super::next_ns;

    #[test]
    fn a_round_begins_at_a_multiple_of_its_period() {
        assert_eq!(next_ns(0, 10), 10);
        assert_eq!(next_ns(9, 10), 10);
        assert_eq!(next_ns(10, 10), 20);
        assert_eq!(next_ns(35, 10), 40);
    }

    #[test]
    fn no_period_is_too_long_or_too_short() {
        assert_eq!(next_ns(5, u64::MAX), u64::MAX);
        assert_eq!(next_ns(u64::MAX, 3), u64::MAX);
        assert_eq!(next_ns(5, 0), 6);
    }
}
