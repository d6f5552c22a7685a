"""Controller packet metadata of translated types, also of a header that the program declares and never has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from finsy.proto import p4r

from tests.p4runtime.conftest import CPU_PORT, Pair, Program, compile_testbed

PORT_NAME = '@p4runtime_translation("", string)'
WIDE_PORT = '@p4runtime_translation("", 32)'


def translated(directory: Path, translation: str, has_packet_in: bool) -> Program:
    """All that P4Runtime can translate is of type port_t; whether the packet-in header is one of the program's headers."""
    member = "in_t inside;" if has_packet_in else ""
    made = "h.inside = { (port_t) s.ingress_port, 7w3 };" if has_packet_in else ""
    emitted = "p.emit(h.inside);" if has_packet_in else ""
    source = directory / "translated.p4"
    source.write_text(f"""#include <core.p4>
#include <v1model.p4>
{translation} type bit<9> port_t;
@controller_header("packet_in") header in_t {{ port_t port; bit<7> reason; }}
@controller_header("packet_out") header out_t {{ port_t port; bit<1> submit; bit<6> pad; }}
header b_t {{ bit<8> kind; bit<8> rest; }}
struct H {{ {member} out_t outside; b_t b; }}
struct M {{ @field_list(1) port_t port; }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{
    value_set<port_t>(4) known;
    state start {{
        m.port = (port_t) s.ingress_port;
        transition select(s.ingress_port) {{ {CPU_PORT}: outside; default: inside; }}
    }}
    state outside {{ p.extract(h.outside); transition inside; }}
    state inside {{ p.extract(h.b); transition select(m.port) {{ known: accept; default: accept; }} }}
}}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
    register<port_t>(2) last;
    action to(port_t port) {{ s.egress_spec = (bit<9>) port; }}
    table exactly {{ key = {{ m.port: exact; }} actions = {{ to; NoAction; }} }}
    table optionally {{ key = {{ m.port: optional; }} actions = {{ to; NoAction; }} default_action = to((port_t) 9w5); }}
    apply {{
        last.write(0, m.port);
        exactly.apply();
        optionally.apply();
        if (h.outside.isValid()) {{
            s.egress_spec = (bit<9>) h.outside.port;
            h.outside.setInvalid();
        }} else {{
            s.egress_spec = {CPU_PORT};
            {made}
        }}
    }}
}}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ {emitted} p.emit(h.b); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
""")
    return compile_testbed(directory, source)


# Where P4Info has all widths, a header is taken off though the program never has it, as by BMv2's server: not tried here.
@pytest.mark.parametrize(
    ("translation", "has_packet_in"),
    [("", True), (PORT_NAME, True), (WIDE_PORT, True), (PORT_NAME, False), (WIDE_PORT, False)],
)
def test_packets_to_and_from_the_controller(pair: Pair, tmp_path: Path, translation: str, has_packet_in: bool) -> None:
    program = translated(tmp_path, translation, has_packet_in)
    port_1: Any = b"1" if translation == PORT_NAME else b"\x01"
    with pair.client() as client, pair.client(2) as neighbour:
        for one in (client, neighbour):
            one.arbitrate()
            one.set_pipeline(program.config)
        message = p4r.PacketOut(payload=b"\x07\x08")
        for number, value in enumerate((port_1, b"\0", b"\0"), start=1):
            message.metadata.add(metadata_id=number, value=value)
        neighbour.send(packet=message)
        packet = client.receive("packet")
        assert packet.payload == b"\x07\x08"
        expected = [port_1, b"\x03"] if has_packet_in else [b"", b""]
        assert [(field.metadata_id, field.value) for field in packet.metadata] == [(1, expected[0]), (2, expected[1])]
