"""A ptf test as older P4Runtime test suites write them: a stream and requests without any election id."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import text_format
from p4.config.v1 import p4info_pb2
from p4.v1 import p4runtime_pb2 as p4r
from p4.v1 import p4runtime_pb2_grpc as p4r_grpc
from ptf import testutils
from ptf.base_tests import BaseTest

TIMEOUT_S = 10.0


class TableTest(BaseTest):
    """Loads the program, opens a stream, writes and reads."""

    def setUp(self) -> None:
        super().setUp()
        self.p4info = text_format.Parse(Path(testutils.test_param_get("p4info")).read_text(), p4info_pb2.P4Info())
        self.stub = p4r_grpc.P4RuntimeStub(grpc.insecure_channel(testutils.test_param_get("grpcaddr")))
        request = p4r.SetForwardingPipelineConfigRequest(device_id=1, action="VERIFY_AND_COMMIT")
        request.config.p4info.CopyFrom(self.p4info)
        request.config.p4_device_config = Path(testutils.test_param_get("config")).read_bytes()
        self.stub.SetForwardingPipelineConfig(request, timeout=TIMEOUT_S)
        self.outgoing: queue.Queue[Any] = queue.Queue()
        self.incoming: queue.Queue[Any] = queue.Queue()
        responses = self.stub.StreamChannel(self.requests())
        self.reader = threading.Thread(target=lambda: [self.incoming.put(response) for response in responses])
        self.reader.start()
        hello = p4r.StreamMessageRequest()
        hello.arbitration.device_id = 1
        self.outgoing.put(hello)
        assert self.incoming.get(timeout=TIMEOUT_S).HasField("arbitration")

    def requests(self) -> Iterator[Any]:
        while (message := self.outgoing.get()) is not None:
            yield message

    def tearDown(self) -> None:
        self.outgoing.put(None)
        self.reader.join(TIMEOUT_S)
        super().tearDown()

    def named(self, kind: str, name: str) -> int:
        return next(item.preamble.id for item in getattr(self.p4info, kind) if item.preamble.name == name)

    def runTest(self) -> None:  # noqa: N802 (unittest's name)
        entry = p4r.TableEntry(table_id=self.named("tables", "the_ingress.route"))
        entry.match.add(field_id=1).lpm.CopyFrom(p4r.FieldMatch.LPM(value=b"\x0a\x00\x00\x00", prefix_len=8))
        entry.action.action.action_id = self.named("actions", "the_ingress.forward")
        entry.action.action.params.add(param_id=1, value=b"\x01")
        for kind in ("INSERT", "MODIFY", "DELETE"):
            request = p4r.WriteRequest(device_id=1)
            request.updates.add(type=kind).entity.table_entry.CopyFrom(entry)
            self.stub.Write(request, timeout=TIMEOUT_S)
            request = p4r.ReadRequest(device_id=1)
            request.entities.add().table_entry.table_id = entry.table_id
            read = [entity.table_entry for response in self.stub.Read(request, timeout=TIMEOUT_S) for entity in response.entities]
            assert read == ([] if kind == "DELETE" else [entry]), read
