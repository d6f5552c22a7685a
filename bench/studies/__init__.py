"""Studies: programs that print a table of a page, or draw its pictures. No run needs them. Each is ``python -m bench.studies.NAME``.

| study | what it prints | takes |
|---|---|---|
| `cca_pictures` | docs/pictures/cca, by transfers over an emulated link; root (`make cca-pictures`) | 15 minutes |
| `controller_latency` | how long the controller takes to reduce everybody (docs/controller.md, docs/scale.md) | 3 minutes |
| `controller_costs` | what computing costs the controller, for virtual time (docs/timing.md) | 5 minutes |
| `store_study` | how many records fit into a store (docs/scale.md) | 10 s |
| `sharing_study` | who shares a link in simulated time (docs/congestion-controls.md) | 3 minutes |
| `arrival_study` | what Algorithm 1's parameters change under churn (docs/churn.md) | up to an hour |
| `time_left_study` | how long commands take, and what their bars had said (docs/index.md) | what they take |
| `port_use_study` | what a port's capacity waits for under churn (docs/churn.md) | up to an hour |

Times are of a busy machine with two processors. ``simulated_network/`` is what the last two run in, ``controller_bed/`` what those of the
controller are made of, ``emulated_transfers/`` what the pictures are measured with; tests use all three.
"""
