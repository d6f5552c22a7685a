"""Default entries over P4Runtime: every way to keep a table's actions by every way to declare its default, with and without a
direct counter and a direct meter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import grpc
import pytest
from finsy.proto import p4r

from tests.p4runtime.client import Client, WriteFailed
from tests.p4runtime.conftest import Pair, Program, compile_testbed

OK = grpc.StatusCode.OK
INVALID = grpc.StatusCode.INVALID_ARGUMENT
MISSING = grpc.StatusCode.NOT_FOUND
DENIED = grpc.StatusCode.PERMISSION_DENIED
UNIMPLEMENTED = grpc.StatusCode.UNIMPLEMENTED
RATES = p4r.MeterConfig(cir=1, cburst=1, pir=2, pburst=2)
HOLDERS = {"plain": "", "profile": "action_profile(8)", "selector": "action_selector(HashAlgorithm.crc16, 8, 16)"}
DEFAULTS = {"none": "", "changeable": "default_action = to(5);", "constant": "const default_action = stop();"}


@dataclass(frozen=True)
class Table:
    """One table of the program."""

    holder: str
    default: str
    direct: bool

    @property
    def name(self) -> str:
        return f"{self.holder}_{self.default}{'_direct' if self.direct else ''}"

    def source(self) -> str:
        holder, name = HOLDERS[self.holder], self.name
        objects = f"{holder} of_{name};" if holder else ""
        properties = f"implementation = of_{name};" if holder else ""
        read = ""
        if self.direct:
            objects += f" direct_counter(CounterType.packets) seen_{name}; direct_meter<bit<2>>(MeterType.packets) rate_{name};"
            properties += f" counters = seen_{name}; meters = rate_{name};"
            read = f"rate_{name}.read(m.colour);"
        selector = "h.b.rest: selector;" if self.holder == "selector" else ""
        action = f"action {name}_to(bit<9> port) {{ {read} s.egress_spec = port; }}"
        default = DEFAULTS[self.default].replace("to(", f"{name}_to(")
        return f"""{objects} {action}
    table {name} {{
        key = {{ h.b.kind: exact; {selector} }} actions = {{ {name}_to; stop; NoAction; }} {properties} {default}
    }}"""


TABLES = [Table(holder, default, direct) for holder, default, direct in product(HOLDERS, DEFAULTS, (False, True))]


@pytest.fixture(scope="module")
def defaults(tmp_path_factory: pytest.TempPathFactory) -> Program:
    directory = tmp_path_factory.mktemp("defaults")
    source = directory / "defaults.p4"
    tables = "\n    ".join(table.source() for table in TABLES)
    applied = " ".join(f"{table.name}.apply();" for table in TABLES)
    source.write_text(f"""#include <core.p4>
#include <v1model.p4>
header b_t {{ bit<8> kind; bit<8> rest; }}
struct H {{ b_t b; }}
struct M {{ bit<2> colour; }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{ state start {{ p.extract(h.b); transition accept; }} }}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
    action stop() {{ mark_to_drop(s); }}
    {tables}
    apply {{ {applied} }}
}}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h.b); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
""")
    return compile_testbed(directory, Path(source))


@pytest.fixture
def controller(pair: Pair, defaults: Program) -> Iterator[Client]:
    with pair.client() as client:
        client.arbitrate()
        client.set_pipeline(defaults.config)
        yield client


def code(client: Client, message: p4r.TableEntry | p4r.DirectMeterEntry) -> grpc.StatusCode:
    try:
        client.modify(message)
    except WriteFailed as failed:
        [found] = failed.codes
        return found
    return OK


def test_every_default_by_every_way(controller: Client, defaults: Program) -> None:
    names = defaults.names
    for table in TABLES:
        query = p4r.TableEntry(table_id=names[f"I.{table.name}"], is_default_action=True, counter_data=p4r.CounterData())
        [initial] = controller.read(query)
        expected = {"none": "NoAction", "changeable": f"I.{table.name}_to", "constant": "I.stop"}[table.default]
        assert initial.action.action.action_id == names[expected], table
        assert initial.is_const == (table.default == "constant")
        call = names.action(f"I.{table.name}_to", 6)
        ways = {"action": p4r.TableAction(action=call)}
        if table.holder != "plain":
            profile = names[f"I.of_{table.name}"]
            controller.insert(p4r.ActionProfileMember(action_profile_id=profile, member_id=7, action=call))
            if table.holder == "selector":
                group = p4r.ActionProfileGroup(action_profile_id=profile, group_id=7)
                group.members.add(member_id=7, weight=1)
                controller.insert(group)
        ways["member"] = p4r.TableAction(action_profile_member_id=7)
        ways["missing member"] = p4r.TableAction(action_profile_member_id=8)
        ways["group"] = p4r.TableAction(action_profile_group_id=7)
        ways["missing group"] = p4r.TableAction(action_profile_group_id=8)
        taken = {"plain": ["action"], "profile": ["action", "member"], "selector": ["action", "member", "group"]}[table.holder]
        for way, action in ways.items():
            asked = p4r.TableEntry(table_id=query.table_id, is_default_action=True, action=action, metadata=b"mine")
            with_rates = p4r.TableEntry(table_id=query.table_id, is_default_action=True, action=action, meter_config=RATES)
            if table.default == "constant":
                wanted = DENIED
            elif way in taken:
                wanted = OK
            elif way.removeprefix("missing ") in taken:
                wanted = MISSING
            else:
                wanted = INVALID
            # Of meters of default entries there are none; a refused update changes nothing.
            refused = DENIED if table.default == "constant" else UNIMPLEMENTED if table.direct else INVALID
            assert code(controller, with_rates) is refused, (table, way)
            assert controller.read(query) == [initial], (table, way)
            assert code(controller, asked) is wanted, (table, way)
            [found] = controller.read(query)
            if wanted is not OK:
                assert found == initial, (table, way)
                continue
            assert (found.action, found.metadata) == (action, b"mine"), (table, way)
            reset = p4r.TableEntry(table_id=query.table_id, is_default_action=True)
            assert code(controller, reset) is OK, (table, way)
            assert controller.read(query) == [initial], (table, way)
        meter = p4r.DirectMeterEntry(table_entry=p4r.TableEntry(table_id=query.table_id, is_default_action=True))
        assert code(controller, meter) is (OK if table.direct else INVALID), table
        meter.config.CopyFrom(RATES)
        assert code(controller, meter) is (UNIMPLEMENTED if table.direct else INVALID), table


def test_a_member_and_a_group_that_a_default_names_stay(controller: Client, defaults: Program) -> None:
    names = defaults.names
    table, profile = names["I.selector_none"], names["I.of_selector_none"]
    member = p4r.ActionProfileMember(action_profile_id=profile, member_id=1, action=names.action("I.selector_none_to", 6))
    group = p4r.ActionProfileGroup(action_profile_id=profile, group_id=1)
    controller.insert(member, group)
    for message, action in (
        (member, p4r.TableAction(action_profile_member_id=1)),
        (group, p4r.TableAction(action_profile_group_id=1)),
    ):
        controller.modify(p4r.TableEntry(table_id=table, is_default_action=True, action=action))
        with pytest.raises(WriteFailed) as raised:
            controller.delete(message)
        assert raised.value.codes == [grpc.StatusCode.FAILED_PRECONDITION]
        controller.modify(p4r.TableEntry(table_id=table, is_default_action=True))
        controller.delete(message)


def test_a_one_shot_default_is_read_as_written(controller: Client, defaults: Program) -> None:
    names = defaults.names
    asked = p4r.TableEntry(table_id=names["I.selector_none"], is_default_action=True)
    actions = asked.action.action_profile_action_set
    actions.action_profile_actions.add(action=names.action("I.selector_none_to", 1), weight=1)
    actions.action_selection_mode = actions.RANDOM
    controller.modify(asked)
    [found] = controller.read(p4r.TableEntry(table_id=asked.table_id, is_default_action=True))
    assert found == asked


def test_defaults_by_member_outlive_a_commit_and_a_reconciliation(controller: Client, defaults: Program) -> None:
    names = defaults.names
    table, profile = names["I.profile_changeable"], names["I.of_profile_changeable"]
    query = p4r.TableEntry(table_id=table, is_default_action=True)
    controller.set_pipeline(defaults.config, "VERIFY_AND_SAVE")
    call = names.action("I.profile_changeable_to", 6)
    controller.insert(p4r.ActionProfileMember(action_profile_id=profile, member_id=1, action=call))
    by_member = p4r.TableEntry(table_id=table, is_default_action=True, action=p4r.TableAction(action_profile_member_id=1))
    controller.modify(by_member)
    controller.set_pipeline(None, "COMMIT")
    assert controller.read(query) == [by_member]
    controller.set_pipeline(defaults.config, "RECONCILE_AND_COMMIT")
    assert controller.read(query) == [by_member]
