"""The Nodectl controller: an asyncio P4Runtime client that works off the switches' allocation lists.

The decisions are made in a core without I/O and without a clock of its own (`switch_state` and what it imports):
event in, packet-out entries and log lines out. `session` is the thin shell that connects it to one switch over finsy,
`app` runs the sessions of a network. docs/protocol/wire-format.md describes events and packet-outs.
"""
