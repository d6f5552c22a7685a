/* The core library of P4_16: what every architecture builds on.
 * Declared from the language specification (version 1.2.5), section "core library". */

#ifndef _CORE_P4_
#define _CORE_P4_

/* Errors of parsing. Programs may add their own. */
error {
    NoError,               // all is well
    PacketTooShort,        // extract() wants more bits than the packet has
    NoMatch,               // no case of a select matches
    StackOutOfBounds,      // a header stack has no such element
    HeaderTooShort,        // more bits than the varbit field can take
    ParserTimeout,         // the parser ran for too long
    ParserInvalidArgument  // an operation got a value that the target cannot handle
}

/* The packet as the parser reads it: bytes, and a cursor counted in bits. */
extern packet_in {
    // Reads a header of fixed size and moves on behind it.
    void extract<T>(out T hdr);
    // Reads a header with one varbit field, which gets the given number of bits.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);
    // Reads without moving.
    T lookahead<T>();
    // Moves on.
    void advance(in bit<32> sizeInBits);
    // Length of the packet in bytes.
    bit<32> length();
}

/* The packet as the deparser writes it. */
extern packet_out {
    // Appends a header if it is valid; of stacks, unions and structures all parts.
    void emit<T>(in T hdr);
}

/* Ends parsing with the given error if the condition does not hold. */
extern void verify(in bool check, in error toSignal);

/* Does nothing. */
@noWarn("unused")
action NoAction() {}

/* How a table's key is compared. Architectures may add their own. */
match_kind {
    exact,    // equal
    ternary,  // equal where the mask has ones
    lpm       // the longest prefix wins
}

/* Checked while compiling: if the condition does not hold, the message is reported. */
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

#endif
