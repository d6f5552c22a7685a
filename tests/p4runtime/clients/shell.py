"""p4runtime-shell: ADDRESS P4INFO JSON."""

from __future__ import annotations

import sys

import p4runtime_sh.shell as sh
from p4runtime_sh.p4runtime import P4RuntimeWriteException


def main() -> None:
    address, p4info, json = sys.argv[1:]
    sh.setup(device_id=1, grpc_addr=address, election_id=(0, 1), config=sh.FwdPipeConfig(p4info, json))
    try:
        entry = sh.TableEntry("the_ingress.route")(action="the_ingress.forward")
        entry.match["hdr.ipv4.dst"] = "10.0.0.0/8"
        entry.action["port"] = "1"
        entry.insert()
        try:
            entry.insert()
        except P4RuntimeWriteException as error:
            refusal = str(error)
        else:
            refusal = "nothing"
        assert "ALREADY_EXISTS" in refusal, refusal
        entry.action["port"] = "2"
        entry.modify()
        [read] = sh.TableEntry("the_ingress.route").read()
        assert "10.0.0.0" in str(read) or "0a 00 00 00" in str(read) or "\\n\\000\\000\\000" in str(read.msg()), read

        ternary = sh.TableEntry("the_ingress.acl")(action="the_ingress.drop", priority=1)
        ternary.match["hdr.ipv4.src"] = "10.1.0.0&&&255.255.0.0"
        ternary.insert()
        ternary.delete()

        member = sh.ActionProfileMember("the_ingress.hop_selector")(member_id=1, action="the_ingress.forward")
        member.action["port"] = "1"
        member.insert()
        group = sh.ActionProfileGroup("the_ingress.hop_selector")(group_id=1)
        group.add(1, 1)
        group.insert()
        group.delete()
        member.delete()

        multicast = sh.MulticastGroupEntry(1)
        multicast.add(1, 1).add(2, 2)
        multicast.insert()
        multicast.delete()
        session = sh.CloneSessionEntry(100)
        session.add(1, 1)
        session.insert()
        session.delete()

        counters = list(sh.CounterEntry("the_ingress.port_counter").read())
        assert len(counters) == 8, counters
        meter = sh.MeterEntry("the_ingress.port_meter")
        meter.index = 1
        meter.cir, meter.cburst, meter.pir, meter.pburst = 1, 2, 3, 4
        meter.modify()
        entry.delete()
    finally:
        sh.teardown()
    print("p4runtime-shell: entries, members, groups, sessions, counters, meters")


if __name__ == "__main__":
    main()
