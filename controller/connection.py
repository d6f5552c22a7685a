"""The P4Runtime connection to one switch: open, become primary, load the pipeline, write entries."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from finsy import GRPCStatusCode, P4Client, P4ClientError, P4ConfigAction, P4RuntimeVersion, P4Schema
from finsy.proto import U128, p4r

from common.errors import UserError
from controller.clock import Clock
from controller.entries.entry import PlacedUpdate
from controller.entries.written import from_file
from controller.pipeline import clone_session, differences, table_entries, tables_to_read
from controller.slow_client import SlowClient
from scenario.network_description import SwitchDescription

ANSWER_TIMEOUT_S = 5.0
"""How long a server that accepted the connection may take to answer the arbitration."""

_T = TypeVar("_T")


class UnreachableError(Exception):
    """The switch is not there (any more): try again later. The text says what happened."""


class NotPrimaryError(UserError):
    """Another controller is in charge of the switch."""


class Connection:
    """One connection to one switch; used once, then closed.

    Args:
        switch: whose P4Runtime server it is.
        schema: of the program.
        election_id: this controller's.
        clock: times ``channel_s``.
        channel_s: delay that is added to everything in either direction, in seconds.
    """

    def __init__(self, switch: SwitchDescription, schema: P4Schema, election_id: int, clock: Clock, channel_s: float = 0.0) -> None:
        self._switch = switch
        self._schema = schema
        self._election_id = election_id
        client = P4Client(switch.grpc_addr)
        self._client = SlowClient(client, clock, channel_s) if channel_s else client

    async def open(self) -> None:
        """Connect and become the primary controller.

        Raises:
            UnreachableError: nobody listens at the address, or it went away.
            NotPrimaryError: another controller is in charge.
            UserError: the listener there is not this switch's P4Runtime server.
        """
        await self._probe()
        await self._client.open(schema=self._schema, complete_request=self._complete)
        try:
            answer = await asyncio.wait_for(self._arbitrate(), ANSWER_TIMEOUT_S)
        except TimeoutError:
            raise UnreachableError(f"{self._where}: something listens there but does not answer as a P4Runtime server") from None
        self.check_arbitration(answer)
        await self._learn_version()

    async def close(self) -> None:
        """Close the connection; harmless if it is not open."""
        await self._client.close()

    async def configure(self, switch: SwitchDescription) -> tuple[bool, int]:
        """Load the pipeline if it is not there, and write what differs: (pipeline was loaded, entries changed).

        A pipeline that is there (the same cookie) is left alone: loading it again would wipe the records.

        Raises:
            UnreachableError: the switch went away.
            UserError: it refused the pipeline or an entry.
        """
        config = self._schema.get_pipeline_config()
        is_loaded = await self._cookie() == config.cookie.cookie
        if not is_loaded:
            await self._ask(
                self._client.request(
                    p4r.SetForwardingPipelineConfigRequest(
                        device_id=self._switch.device_id, action=P4ConfigAction.VERIFY_AND_COMMIT.vt(), config=config
                    )
                ),
                "loading the pipeline",
            )
        changed = await self.write_entries(switch)
        described = None if switch.pipeline is None else switch.pipeline.updates
        own = [] if described is None else from_file(described)
        if not any(_is_of_replication(one) for one in own):
            await self._write_clone_session()
        if own and not is_loaded:
            changed += await self._write_updates(own)
        return not is_loaded, changed

    async def receive(self) -> p4r.StreamMessageResponse:
        """The next message of the stream. Raises UnreachableError if the stream ended."""
        return await self._ask(self._client.receive(), "the message stream")

    async def send(self, message: p4r.StreamMessageRequest) -> None:
        """Send a message on the stream. Raises UnreachableError if the stream ended."""
        await self._ask(self._client.send(message), "the message stream")

    def check_arbitration(self, answer: p4r.MasterArbitrationUpdate) -> None:
        """Raises NotPrimaryError if the arbitration message says that another controller is in charge."""
        if answer.status.code != GRPCStatusCode.OK.value:
            raise NotPrimaryError(
                f"{self._where}: another controller is in charge (election id {U128.decode(answer.election_id)}, "
                f"mine is {self._election_id}); stop it, or give a larger --election-id"
            )

    @property
    def _where(self) -> str:
        return f"{self._switch.name} at {self._switch.grpc_addr}"

    async def _probe(self) -> None:
        """A plain TCP connection first: it fails at once, with the reason, where gRPC would keep trying."""
        host, _, port = self._switch.grpc_addr.rpartition(":")
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        except TimeoutError:
            raise UnreachableError(f"{self._where}: no answer") from None
        except OSError as error:
            raise UnreachableError(f"{self._where}: {error.strerror or error}") from None
        writer.close()

    async def _arbitrate(self) -> p4r.MasterArbitrationUpdate:
        answer = await self._bid()
        if answer.status.code == GRPCStatusCode.NOT_FOUND.value:
            # Nobody is in charge, but somebody with a larger number was: take that number over.
            self._election_id = max(self._election_id, U128.decode(answer.election_id))
            answer = await self._bid()
        return answer

    async def _bid(self) -> p4r.MasterArbitrationUpdate:
        bid = p4r.MasterArbitrationUpdate(device_id=self._switch.device_id, election_id=U128.encode(self._election_id))
        await self.send(p4r.StreamMessageRequest(arbitration=bid))
        while True:
            message = await self.receive()
            if message.WhichOneof("update") == "arbitration":
                return message.arbitration

    async def _learn_version(self) -> None:
        try:
            reply = await self._client.request(p4r.CapabilitiesRequest())
            self._schema.set_p4runtime_version(P4RuntimeVersion.parse(reply.p4runtime_api_version))
        except P4ClientError as error:
            if error.code != GRPCStatusCode.UNIMPLEMENTED:
                raise self._translated(error, "asking for capabilities") from None

    async def _cookie(self) -> int | None:
        """Cookie of the pipeline that is loaded; None if there is none."""
        request = p4r.GetForwardingPipelineConfigRequest(
            device_id=self._switch.device_id,
            response_type=p4r.GetForwardingPipelineConfigRequest.ResponseType.COOKIE_ONLY,
        )
        try:
            reply = await self._client.request(request)
        except P4ClientError as error:
            if error.code == GRPCStatusCode.FAILED_PRECONDITION:
                return None
            raise self._translated(error, "asking for the pipeline") from None
        return reply.config.cookie.cookie if reply.config.HasField("cookie") else None

    async def write_entries(self, switch: SwitchDescription) -> int:
        """Make the tables what the description says: how many entries had to be changed.

        Raises:
            UnreachableError: the switch went away.
            UserError: it refused an entry.
        """
        present: list[p4r.TableEntry] = []
        request = p4r.ReadRequest(
            device_id=self._switch.device_id, entities=tables_to_read(self._schema, writes_routes=switch.writes_routes)
        )
        try:
            async for reply in self._client.request_iter(request):
                present += [entity.table_entry for entity in reply.entities]
        except P4ClientError as error:
            raise self._translated(error, "reading the tables") from None
        updates = differences(table_entries(self._schema, switch), present)
        if updates:
            await self._ask(self._client.request(self._write(updates)), "writing the tables")
        return len(updates)

    async def _write_updates(self, updates: list[PlacedUpdate]) -> int:
        """Write updates that come from somebody's files; the error names the place of the first one that the switch refuses."""
        try:
            await self._client.request(self._write([one.update for one in updates]))
        except P4ClientError as error:
            for number, detail in sorted(error.details.items()):
                if 0 <= number < len(updates):
                    raise updates[number].place.wrong(
                        f"{self._switch.name} refuses it: {detail.message or detail.canonical_code}"
                    ) from None
            raise self._translated(error, "writing the entries") from None
        return len(updates)

    async def _write_clone_session(self) -> None:
        entity = clone_session(self._schema)
        try:
            await self._client.request(self._write([p4r.Update(type=p4r.Update.INSERT, entity=entity)]))
        except P4ClientError as error:
            codes = {detail.canonical_code for detail in error.details.values()} | {error.code}
            if GRPCStatusCode.ALREADY_EXISTS not in codes:
                raise self._translated(error, "writing the clone session") from None
            modify = self._write([p4r.Update(type=p4r.Update.MODIFY, entity=entity)])
            await self._ask(self._client.request(modify), "writing the clone session")

    def _write(self, updates: list[p4r.Update]) -> p4r.WriteRequest:
        return p4r.WriteRequest(device_id=self._switch.device_id, updates=updates)

    def _complete(self, message: object) -> None:
        if isinstance(message, p4r.WriteRequest | p4r.SetForwardingPipelineConfigRequest):
            message.election_id.CopyFrom(U128.encode(self._election_id))

    async def _ask(self, call: Awaitable[_T], doing: str) -> _T:
        try:
            return await call
        except P4ClientError as error:
            raise self._translated(error, doing) from None
        except RuntimeError as error:  # finsy: the stream ended without a status
            raise UnreachableError(f"{self._where}: {doing} ended ({error})") from None

    def _translated(self, error: P4ClientError, doing: str) -> Exception:
        text = f"{self._where}: {doing}: {_reason(error)}"
        if error.is_election_id_used:
            return NotPrimaryError(
                f"{self._where}: another controller is in charge (with election id {self._election_id} too); "
                "stop it, or give a larger --election-id"
            )
        if error.code == GRPCStatusCode.PERMISSION_DENIED:
            return NotPrimaryError(f"{text}; another controller is in charge")
        if error.code in (
            GRPCStatusCode.UNAVAILABLE,
            GRPCStatusCode.CANCELLED,
            GRPCStatusCode.DEADLINE_EXCEEDED,
            GRPCStatusCode.ABORTED,
        ):
            return UnreachableError(text)
        return UserError(text)


def _reason(error: P4ClientError) -> str:
    details = [detail.message for detail in error.details.values() if detail.message]
    text = "; ".join([error.message, *details]) or error.code.name
    return " ".join(text.split())


def _is_of_replication(one: PlacedUpdate) -> bool:
    """Whether somebody has sessions and groups of their own."""
    return one.update.entity.HasField("packet_replication_engine_entry")
