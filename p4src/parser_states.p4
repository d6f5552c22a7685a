// How every variant begins to parse. Stands inside the parser (parser.p4, parser_v2.p4).

// What the controller sends is told by its first bytes and not by its port: a recirculated packet has lost that.
// Ingress checks that nobody else sent it.
state start {
    transition select(packet.lookahead<bit<48>>()) {
        PACKET_OUT_MAGIC: parse_packet_out;
        default: parse_ethernet;
    }
}

state parse_packet_out {
    packet.extract(hdr.packet_out);
    packet.extract(hdr.entry);
    transition accept;
}

state parse_ethernet {
    packet.extract(hdr.ethernet);
    transition select(hdr.ethernet.ether_type) {
        ETHERTYPE_IPV4: parse_ipv4;
        default: accept;
    }
}
