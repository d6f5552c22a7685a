"""The Nodectl controller: an asyncio P4Runtime client that works off the switches' allocation lists.

A core without I/O and without a clock of its own makes the decisions (`switch_state` and the modules that it imports).
Events go in; packet-out entries and log lines come out. `session` is the thin shell that connects the core to one switch over
finsy; `app` runs the sessions of a network. docs/protocol/wire-format.md describes events and packet-outs.
"""
