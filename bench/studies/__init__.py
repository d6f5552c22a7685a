"""Studies: programs that print a table of a page. No test and no run needs them. Each is ``python -m bench.studies.NAME``.

| study | what it prints | takes |
|---|---|---|
| `store_study` | how many records fit into a store (docs/scale.md) | 10 s |
| `sharing_study` | who shares a link in simulated time (docs/congestion-controls.md) | some minutes |
| `arrival_study` | what Algorithm 1's parameters change under churn (docs/churn.md) | up to an hour |
| `port_use_study` | what a port's capacity waits for under churn (docs/churn.md) | up to an hour |

``simulated_network/`` is what the last two run in; tests use it too.
"""
