"""The list of the Nodectl paper's experiments: what ``make reproduce PAPER=nodectl`` runs."""

from __future__ import annotations

from experiments.nodectl_paper.ablation import Ablation
from experiments.nodectl_paper.differences import Differences
from experiments.nodectl_paper.negotiation_loss import NegotiationLoss
from experiments.nodectl_paper.open_choices import open_choices
from experiments.nodectl_paper.other_schemes import other_schemes
from experiments.nodectl_paper.table3_time_to_bdp import TimeToBdp
from experiments.nodectl_paper.table4_utilization import Utilization
from experiments.nodectl_paper.table5_fluctuation import Fluctuation
from experiments.nodectl_paper.table6_loss import Loss
from experiments.nodectl_paper.table7_staggered import Staggered
from experiments.nodectl_paper.table8_shared_bottleneck import SharedBottleneck
from experiments.nodectl_paper.table9_network import NetworkThroughput
from experiments.reproduction.experiment import Paper

PAPER = Paper(
    name="nodectl",
    title="A Transmission Rate Control Method for Active Congestion Reduction (Nodectl): measured beside published",
    experiments=(
        TimeToBdp(),
        Utilization(),
        Fluctuation(),
        Loss(),
        Staggered(),
        SharedBottleneck(),
        NetworkThroughput(),
        Ablation(),
        NegotiationLoss(),
        Differences(),
    ),
    sections=(other_schemes, open_choices),
)
