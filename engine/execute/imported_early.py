"""Modules that runs need sooner or later, imported before the first one: kernels are copied when they are there.

The controller's bring P4Runtime's library, gRPC. It is imported here and used in forks alone, since no process forks well that has used it.
"""

from __future__ import annotations

import common.fine_timers
import controller.capacity_change
import controller.command_line
import controller.entries.place
import hosts.command_line
import hosts.fork_server
import hosts.receiver
import hosts.sender
import hosts.shared_agents
import hosts.variants.deployable
import hosts.variants.fair_level
import hosts.variants.paper
import topo.controller_process
import topo.described_routes
import topo.fork_server
import topo.testbed

__all__ = ["common", "controller", "hosts", "topo"]
