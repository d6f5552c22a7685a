// The states with which every variant begins to parse. They stand inside the parser (parser.p4, parser_v2.p4).

// A packet of the controller's is told by its first bytes and not by its port, since a recirculated packet has lost its port.
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
