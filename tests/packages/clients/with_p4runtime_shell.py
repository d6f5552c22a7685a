"""p4runtime-shell beside the package: it loads the program, writes an entry and reads it."""

from __future__ import annotations

import nodectl_p4
import p4runtime_sh.shell as sh


def main() -> None:
    """Compile, run, control."""
    program = nodectl_p4.compile("one.p4")
    with nodectl_p4.Switch(device_id=1) as switch:
        config = sh.FwdPipeConfig(str(program.p4info_path), str(program.json_path))
        sh.setup(device_id=1, grpc_addr=switch.address, election_id=(0, 1), config=config)
        try:
            entry = sh.TableEntry("MyIngress.go")(action="MyIngress.forward")
            entry.match["h.h.x"] = "7"
            entry.action["port"] = "2"
            entry.insert()
            assert len(list(sh.TableEntry("MyIngress.go").read())) == 1
        finally:
            sh.teardown()
        assert switch.show("table", "go")[0]["h.h.x"] == "7"


if __name__ == "__main__":
    main()
