"""Names of schemes: as people write them, as the kernel is given them, and the messages about wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UserError
from hosts.cca.constants import constants_of
from hosts.cca.record import Registered, locked_record
from hosts.cca.scheme_names import parse_all, parse_scheme, socket_name, split_schemes, text_of
from hosts.cca.sources import KERNEL_ONLY, NAME_LENGTH_MAX, available
from protocol.variant import VariantName


@pytest.mark.parametrize(
    ("written", "text", "kernel_name"),
    [
        ("cubic", "cubic", "cubic"),
        ("linux:cubic", "cubic", "cubic"),
        ("linux:vegas", "linux:vegas", "vegas"),
        ("vegas", "vegas", "bpf_vegas"),
        ("nodectl", "nodectl", "bpf_nodectl"),
        ("dctcp", "dctcp", "bpf_dctcp"),
        ("linux:dctcp", "linux:dctcp", "dctcp"),
        ("rcp", "rcp", "bpf_rcp"),
        (" qtcolfair() ", "qtcolfair", "bpf_qtcolfair"),
    ],
)
def test_a_plain_name_is_ours_and_linux_the_kernels(written: str, text: str, kernel_name: str) -> None:
    scheme = parse_scheme(written)
    assert scheme.text == str(scheme) == text
    assert socket_name(scheme) == kernel_name
    assert scheme.from_kernel == (not kernel_name.startswith("bpf_"))
    assert parse_scheme(text) == scheme


def test_constants_have_one_canonical_form() -> None:
    scheme = parse_scheme("qtcolfair( probe_interval=5.0, alpha=1.50 )")
    assert scheme.text == "qtcolfair(alpha=1.5,probe_interval=5)"
    assert scheme.constants == {"alpha": 1.5, "probe_interval": 5.0}
    assert scheme.program_values == {"alpha": 1500, "probe_interval": 5000}
    assert scheme == parse_scheme("qtcolfair(alpha=1.5, probe_interval=5)")
    weight = parse_scheme("dctcp(g=0.1250)")
    assert (weight.text, weight.program_values) == ("dctcp(g=0.125)", {"g": 128})
    words = parse_scheme("hybla(rtt=present)")
    assert (words.text, words.constants, words.program_values) == ("hybla(rtt=present)", {"rtt": "present"}, {"rtt": 1})


@pytest.mark.parametrize("variant", VariantName)
def test_each_variant_of_nodectl_is_a_scheme(variant: VariantName) -> None:
    scheme = parse_scheme(f"nodectl(variant={variant})")
    assert scheme.constants == {"variant": variant}
    assert scheme.program_values == {"variant": list(VariantName).index(variant)}
    assert constants_of(available()["nodectl"])["variant"].words == tuple(VariantName)


def test_each_choice_of_constants_has_a_kernel_name_of_its_own() -> None:
    texts = [f"{name}(alpha={alpha})" for name in ("qtcol", "qtcolfair") for alpha in (1.1, 1.2, 1.5, 2)]
    names = {socket_name(parse_scheme(text)) for text in [*texts, *available()]}
    assert len(names) == len(texts) + len(available())
    assert all(len(name) <= NAME_LENGTH_MAX for name in names)
    assert socket_name(parse_scheme("qtcolfair(alpha=1.5)")) == "qtcolf_68f63c2e", "the same on every machine"


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        ("cubik", "there is no scheme cubik", "nodectl"),
        ("westwood", "there is no scheme westwood", "linux:NAME"),
        ("a b", "is no name of a scheme", "qtcolfair(alpha=1.5)"),
        ("qtcol(alpha=1.5", "is no name of a scheme", "linux:vegas"),
        ("qtcol(alpha)", "is no constant with a value", "alpha=1.5"),
        ("qtcol(beta=1)", "no constant called beta", "alpha (1.001 to 100), rtt (smoothed or last)"),
        ("qtcol(alpha=0.5)", "alpha=0.5 is out of range", "1.001 to 100"),
        ("dctcp(k=20)", "no constant called k", "it has: g"),
        ("dctcp(g=2)", "g=2 is out of range", "to 1"),
        ("rcp(alpha=1)", "no constant called alpha", "nothing can be set in rcp"),
        ("nodectl(variant=fast)", "variant=fast is not known", "variant can be paper, deployable or fair_level"),
        ("cubic(beta=1)", "nothing can be set in cubic", "only the testbed's own"),
        ("linux:a_name_of_16_byte", "is too long a name", "up to 15"),
    ],
)
def test_what_is_wrong_is_said(text: str, what: str, remedy: str) -> None:
    with pytest.raises(UserError) as raised:
        parse_scheme(text)
    assert what in raised.value.what
    assert remedy in str(raised.value)


def test_lists_of_schemes() -> None:
    words = split_schemes("nodectl, cubic qtcolfair(alpha=1.5, probe_interval=5),linux:vegas")
    assert words == ["nodectl", "cubic", "qtcolfair(alpha=1.5, probe_interval=5)", "linux:vegas"]
    assert [scheme.text for scheme in parse_all([*words, "linux:cubic"])] == [
        "nodectl", "cubic", "qtcolfair(alpha=1.5,probe_interval=5)", "linux:vegas",
    ]  # fmt: skip


def test_the_kernels_names_are_told_back(tmp_path: Path) -> None:
    record_file = tmp_path / "record.json"
    scheme = parse_scheme("qtcol(alpha=1.5)")
    with locked_record(record_file) as record:
        record[socket_name(scheme)] = Registered(socket_name(scheme), scheme.text, 1, "00")
    assert text_of(socket_name(scheme), record_file=record_file) == "qtcol(alpha=1.5)"
    assert text_of("bpf_vegas", record_file=record_file) == "vegas"
    assert text_of("vegas", record_file=record_file) == "linux:vegas"
    assert [text_of(name, record_file=record_file) for name in KERNEL_ONLY] == list(KERNEL_ONLY)


def test_nodectl_declares_what_it_needs_and_the_others_nothing() -> None:
    needs = parse_scheme("nodectl").needs
    assert needs.negotiates
    assert needs.p4_program == "p4src/nodectl.p4"
    assert needs.p4_program_path is not None
    assert not needs.ecn
    for text in ("qtcol", "qtcol(alpha=1.5)", "cubic", "linux:vegas"):
        other = parse_scheme(text).needs
        assert not other.negotiates
        assert other.p4_program is None


@pytest.mark.parametrize(
    ("declaration", "what"),
    [
        ("negotiate = true", "key `negotiate`: unknown key; is `negotiates` meant"),
        ('negotiates = "yes"', 'key `negotiates`: "yes" is not allowed; it takes true or false'),
        ("negotiates =", "Invalid value"),
    ],
)
def test_a_wrong_declaration_is_explained(declaration: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "mine.bpf.c").write_text("/* mine: a scheme */\nREGISTER(mine, 0)\n")
    (tmp_path / "mine.toml").write_text(declaration)
    with pytest.raises(UserError, match=what):
        _ = parse_scheme("mine", tmp_path).needs


def test_a_p4_program_may_stand_beside_its_scheme(tmp_path: Path) -> None:
    (tmp_path / "mine.bpf.c").write_text("/* mine: a scheme */\nREGISTER(mine, 0)\n")
    (tmp_path / "mine.toml").write_text('p4_program = "own.p4"')
    (tmp_path / "own.p4").write_text("")
    assert parse_scheme("mine", tmp_path).needs.p4_program_path == tmp_path / "own.p4"
