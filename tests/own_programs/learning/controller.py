"""Learns by Thrift and BMv2's notifications who is behind which port."""

import json
import struct
from pathlib import Path

import bmpy_utils
import nnpy
from bm_runtime.simple_pre_lag import SimplePreLAG
from bm_runtime.standard import Standard
from bm_runtime.standard.ttypes import BmAddEntryOptions, BmMatchParam, BmMatchParamExact, BmMatchParamType

HEADER = struct.Struct("<4sQiiQi")
SAMPLE = struct.Struct(">6sH")


def key(value: bytes) -> list:
    return [BmMatchParam(type=BmMatchParamType.EXACT, exact=BmMatchParamExact(value))]


topology = json.loads(Path("topology.json").read_text())
(switch,) = [node for node in topology["nodes"] if node.get("isP4Switch")]
ports = [link["port2"] for link in topology["links"] if link["node2"] == switch["id"]]
services = [("standard", Standard.Client), ("simple_pre_lag", SimplePreLAG.Client)]
tables, multicast = bmpy_utils.thrift_connect("localhost", switch["thrift_port"], services)

for port in ports:
    multicast.bm_mc_mgrp_create(0, port)
    others = "".join("1" if other in ports and other != port else "0" for other in range(max(ports), -1, -1))
    multicast.bm_mc_node_associate(0, port, multicast.bm_mc_node_create(0, 0, others, ""))
    tables.bm_mt_add_entry(
        0, "MyIngress.others", key(struct.pack(">H", port)), "MyIngress.flood", [struct.pack(">H", port)], BmAddEntryOptions()
    )

notifications = nnpy.Socket(nnpy.AF_SP, nnpy.SUB)
notifications.connect(tables.bm_mgmt_get_info().notifications_socket)
notifications.setsockopt(nnpy.SUB, nnpy.SUB_SUBSCRIBE, "LEA|")
print(f"{switch['id']} is ready, its controller's interface is {switch['cpu_ctl_intf']}, port {switch['cpu_port_num']}", flush=True)
while True:
    message = notifications.recv()
    topic, device_id, context, learn_list, buffer, count = HEADER.unpack_from(message)
    for source, port in SAMPLE.iter_unpack(message[HEADER.size :]):
        print(f"{source.hex(':')} is behind port {port}", flush=True)
        tables.bm_mt_add_entry(0, "MyIngress.known", key(source), "NoAction", [], BmAddEntryOptions())
        tables.bm_mt_add_entry(
            0, "MyIngress.destinations", key(source), "MyIngress.forward", [struct.pack(">H", port)], BmAddEntryOptions()
        )
    tables.bm_learning_ack_buffer(context, learn_list, buffer)
