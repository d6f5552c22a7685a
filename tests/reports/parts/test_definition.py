"""A file's definition of its report: wrong keys are refused with file, key and reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from tests.reports.parts.made_up import experiment


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ('[metrics]\nx = { metric = "no_such" }', "`metrics`: x: there is no metric 'no_such'; there are allocated_count"),
        ('[metrics]\nx = { of = "A" }', "`metrics`: x: the key `metric` is missing"),
        ('[metrics]\nx = { metric = "mean_mbps" }', "`metrics`: x: the parameter 'of' is missing"),
        ('[metrics]\nx = { metric = "messages", kind = "a" }', "unknown parameter 'kind'; metric 'messages' takes kinds"),
        ('[[tables]]\ncaption = "c"\nvalue = "x"\nrow = ["a"]', r"table \[\[tables\]\] 1, key `row`: unknown key; is `rows` meant"),
        ('[[tables]]\ncaption = "c"\nvalue = "x"\nvalues = ["y"]', "both `value` and `values`"),
        ('[[tables]]\ncaption = "c"\nvalue = "x"\nrows = ["delay"]', r"table \[\[tables\]\] 1: the grid has no variable 'delay'"),
        ('[[tables]]\ncaption = "c"\nvalue = "x"\npublished = { table = "t", row = "{delay}" }', "'delay' is not among `rows`"),
        ('[[tables]]\ncaption = "c"\nvalue = "x"\nform = "{:.1f}"', r"table \[\[tables\]\] 1, key `form`"),
        ('[[bars]]\nscheme = "reno"\nvalue = "x"', "either at_least or at_most"),
        ('[[bars]]\nscheme = "reno"\nvalue = "x"\nat_most = 1\nper = ["a"]', r"table \[\[bars\]\] 1: the grid has no variable 'a'"),
        ('[[figures]]\nname = "a b"\ncaption = "c"\ntopology = true', r"table \[\[figures\]\] 1, key `name`"),
        ('[[figures]]\nname = "a"\ncaption = "c"', "either panels, or topology"),
        ('[[figures]]\nname = "a"\ncaption = "c"\npanels = [{ x = "rate_mbps" }]', "either x and y, or series, or boxes"),
        ('[[figures]]\nname = "a"\ncaption = "c"\npanels = [{ boxes = ["low", "high"] }]', "it names 2 values; a box is made of 5"),
        ('[[claims]]\ntext = "t"\nsource = "s"\nvalues = {}\nrule = "1"', r"table \[\[claims\]\] 1, key `values`"),
        ('[[ratios]]\nname = "r"\nvalue = "x"\nbelow = { a = 1 }', r"table \[\[ratios\]\] 1: a ratio has either above and below, or over"),
        ('[[ratios]]\nname = "r"\nvalue = "x"\nover = "reno"\nbelow = { a = 1 }', r"table \[\[ratios\]\] 1: .* not both"),
        (
            '[[ratios]]\nname = "r"\nvalue = "x"\nabove = { a = 1 }\nbelow = { a = 2 }',
            r"table \[\[ratios\]\] 1: the grid has no variable 'a'",
        ),
    ],
)
def test_wrong_definitions_are_refused(tmp_path: Path, report: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        experiment(tmp_path, report + "\n")
    assert "made_up.toml" in str(caught.value)
