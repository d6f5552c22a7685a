"""A P4_16 compiler and a v1model switch from Python: compile, look into P4Info, run a switch, test with packets.

    from nodectl_p4 import Switch, compile

    program = compile("router.p4")
    print([table.name for table in program.p4info.tables])
    with Switch(program) as switch:
        print(switch.address)          # P4Runtime
        print(switch.cli("table_dump ipv4_lpm"))

With pytest, each `.stf` file is a test (`nodectl_p4.pytest_plugin`).
"""

from .binaries import P4INCLUDE
from .compiler import CompileError, Program, compile  # noqa: A004 (it is what it does)
from .p4info import Action, Array, MatchField, P4Info, Parameter, Table
from .switch import Switch, SwitchError

__all__ = [
    "P4INCLUDE",
    "Action",
    "Array",
    "CompileError",
    "MatchField",
    "P4Info",
    "Parameter",
    "Program",
    "Switch",
    "SwitchError",
    "Table",
    "compile",
]
