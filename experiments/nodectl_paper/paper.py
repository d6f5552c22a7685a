"""The list of the Nodectl paper's experiments: what ``make reproduce PAPER=nodectl`` runs."""

from __future__ import annotations

from experiments.nodectl_paper.table3_time_to_bdp import TimeToBdp
from experiments.reproduction.experiment import Paper

PAPER = Paper(
    name="nodectl",
    title="A Transmission Rate Control Method for Active Congestion Reduction (Nodectl): measured beside published",
    experiments=(TimeToBdp(),),
)
