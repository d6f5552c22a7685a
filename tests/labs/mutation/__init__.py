"""Mutation tests of the labs: each small change of a solution must fail a check, with a message about that place."""
