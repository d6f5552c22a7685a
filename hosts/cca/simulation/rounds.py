"""A connection without a network: whole windows, acknowledged packet by packet after an RTT that the test chooses."""

from __future__ import annotations

from hosts.cca.simulation.frame import Frame, FrameConnection


class Rounds:
    """A sender that always fills its window, and the acknowledgements and losses that it meets.

    Args:
        text: the scheme as people write it; or a frame, for several connections that share its maps.
        window, threshold: those at the beginning, in packets; it is in congestion avoidance unless a larger threshold is given.
        rtt_us: of the handshake, and of each round unless another is given.
        mptcp_connection: the connection that it is a subflow of; 0: plain TCP.
    """

    def __init__(
        self,
        text: str | Frame,
        window: int,
        threshold: int | None = None,
        rtt_us: int = 40_000,
        mss_bytes: int = 1000,
        mptcp_connection: int = 0,
    ) -> None:
        frame = Frame(text) if isinstance(text, str) else text
        self.now_us = 1_000_000
        self.rtt_us = rtt_us
        self._under_way = 0
        self.connection = FrameConnection(frame, mss_bytes, rtt_us, self.now_us, mptcp_connection=mptcp_connection)
        self.connection.set_window(window, threshold)

    @property
    def window(self) -> int:
        """Packets."""
        return self.connection.window

    def round(self, rtt_us: int | None = None, packets: int | None = None, at_once: int = 1) -> int:
        """A whole window is acknowledged, ``at_once`` packets at a time, which lets out the next ones; returns the window then.

        If the application has no more than ``packets`` for each round, they are sent at once, and nothing else until the next.
        """
        rtt = rtt_us or self.rtt_us
        self._fill(packets)
        count = self._under_way
        self.now_us += rtt
        for first in range(0, count, at_once):
            acked = min(at_once, count - first)
            self._under_way -= acked
            self.connection.acked(self.now_us, acked, acked, (rtt, rtt))
            if packets is None:
                self._fill()
        return self.connection.window

    def _fill(self, packets: int | None = None) -> None:
        """Sends up to the window, or no more than ``packets``."""
        connection = self.connection
        connection.before_sending(self.now_us)
        room = connection.window - self._under_way
        count = room if packets is None else min(room, packets)
        for _ in range(count):
            connection.sent(self.now_us, is_new=True)
            self._under_way += 1
        connection.sending_over(self.now_us, is_limited=count >= room)

    def rounds(self, number: int, rtt_us: int | None = None, packets: int | None = None) -> list[int]:
        """The windows after each of so many rounds."""
        return [self.round(rtt_us, packets) for _ in range(number)]

    def send_window(self) -> int:
        """Sends up to the window, which nothing acknowledges yet; returns how many packets are under way."""
        self._fill()
        self.now_us += self.rtt_us
        return self._under_way

    def forget_what_is_under_way(self) -> None:
        """To be called when the caller has itself acknowledged all of a window."""
        self._under_way = 0

    def lose_one(self) -> None:
        """The first packet of a window is lost; it is sent again, and everything is acknowledged."""
        count = self.send_window()
        for sacked in range(1, count):
            self.connection.acked(self.now_us, 0, 1, (0, self.rtt_us), sacked_out=sacked, lost_out=int(sacked >= 3 or sacked == count - 1))
        self.connection.sent(self.now_us, is_new=False)
        self.now_us += self.rtt_us
        self._under_way = 0
        self.connection.acked(self.now_us, count, 1, (0, 0))

    def time_out(self) -> None:
        """A window is lost altogether, and the retransmission timer runs out."""
        self.send_window()
        self.now_us += 1_000_000
        self.connection.timed_out(self.now_us)

    def acknowledge_all(self) -> None:
        """The packets sent last were received after all: one acknowledgement covers them."""
        self.now_us += self.rtt_us
        count, self._under_way = self._under_way, 0
        self.connection.acked(self.now_us, count, count, (0, 0))
