"""Reproducing a paper: cells that are measured one by one, kept in files, and shown beside what was published.

Nothing in here knows any particular paper. A paper is a package beside this one (``experiments/nodectl_paper``): a module a
table, each with an :class:`~experiments.reproduction.experiment.Experiment`, and a ``PAPER`` that lists them.
"""
