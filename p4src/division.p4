// Exact unsigned division, 64 by 32 bits, rounded down: P4 has none.
//
// Restoring division, as on paper: the dividend's bits move one by one, highest first, from the left end of `quotient`
// into `remainder`. Where the divisor fits, it is taken out and the quotient gets a 1 at its right end. P4 has no
// loops that every compiler takes, so the steps are unrolled: 8 times 8 applications of one step.
#ifndef NODECTL_DIVISION_P4
#define NODECTL_DIVISION_P4

control DivisionStep(inout bit<64> quotient, inout bit<33> remainder, in bit<32> divisor) {
    apply {
        remainder = remainder[31:0] ++ quotient[63:63];
        quotient = quotient << 1;
        if (remainder >= (bit<33>) divisor) {
            remainder = remainder - (bit<33>) divisor;
            quotient = quotient | 1;
        }
    }
}

control EightDivisionSteps(inout bit<64> quotient, inout bit<33> remainder, in bit<32> divisor) {
    DivisionStep() step;
    apply {
        step.apply(quotient, remainder, divisor);
        step.apply(quotient, remainder, divisor);
        step.apply(quotient, remainder, divisor);
        step.apply(quotient, remainder, divisor);
        step.apply(quotient, remainder, divisor);
        step.apply(quotient, remainder, divisor);
        step.apply(quotient, remainder, divisor);
        step.apply(quotient, remainder, divisor);
    }
}

// quotient = dividend / divisor, remainder = dividend mod divisor. A divisor of 0 gives a quotient of all ones.
control Division(in bit<64> dividend, in bit<32> divisor, out bit<64> quotient, out bit<32> remainder) {
    EightDivisionSteps() eight_steps;
    bit<33> rest;
    apply {
        quotient = dividend;
        rest = 0;
        eight_steps.apply(quotient, rest, divisor);
        eight_steps.apply(quotient, rest, divisor);
        eight_steps.apply(quotient, rest, divisor);
        eight_steps.apply(quotient, rest, divisor);
        eight_steps.apply(quotient, rest, divisor);
        eight_steps.apply(quotient, rest, divisor);
        eight_steps.apply(quotient, rest, divisor);
        eight_steps.apply(quotient, rest, divisor);
        remainder = rest[31:0];
    }
}

// The same for a dividend of 32 bits, in half the steps.
control ShortDivision(in bit<32> dividend, in bit<32> divisor, out bit<32> quotient, out bit<32> remainder) {
    EightDivisionSteps() eight_steps;
    bit<64> bits;
    bit<33> rest;
    apply {
        bits = dividend ++ 32w0;
        rest = 0;
        eight_steps.apply(bits, rest, divisor);
        eight_steps.apply(bits, rest, divisor);
        eight_steps.apply(bits, rest, divisor);
        eight_steps.apply(bits, rest, divisor);
        quotient = bits[31:0];
        remainder = rest[31:0];
    }
}

#endif
