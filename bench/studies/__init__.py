"""Studies: programs that print a table of a page, or draw its pictures. No run needs them. Each is ``python -m bench.studies.NAME``.

* ``cca_pictures``: docs/pictures/cca, by transfers over an emulated link; root (``make cca-pictures``); 15 minutes
* ``controller_latency``: the time in which the controller reduces everybody (docs/controller.md, docs/scale.md); 3 minutes
* ``controller_costs``: the controller's costs of computing, for virtual time (docs/timing.md); 5 minutes
* ``store_study``: the number of records that fit into a store (docs/scale.md); 10 s
* ``sharing_study``: the shares of a link in simulated time (docs/congestion-controls.md); 3 minutes
* ``arrival_study``: the effect of Algorithm 1's parameters under churn (docs/churn.md); up to an hour
* ``time_left_study``: the times of commands, beside the estimates of their bars (docs/index.md); as long as the commands
* ``port_use_study``: the reasons for a port's idle capacity under churn (docs/churn.md); up to an hour

Times are of a busy machine with two processors. The studies under churn run in ``simulated_network/``, those of the controller are made of
``controller_bed/``, and ``emulated_transfers/`` measures for the pictures; tests use all three.
"""
