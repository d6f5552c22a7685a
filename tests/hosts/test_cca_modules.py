"""Schemes as modules: names, cache, the compiler's messages about a student's source, and the loader inside the user-mode kernel."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from common.errors import UserError
from common.whole_files import UNFINISHED
from hosts.cca import loader, module_registry, sources, subflow_rates
from hosts.cca.kernel_tree import KernelTree
from hosts.cca.make_output import messages_by_target
from hosts.cca.module_registry import FOLDER_VARIABLE, ModuleRegistry
from hosts.cca.module_source import module_source
from hosts.cca.modules import build, build_possible, module_path, place
from hosts.cca.record import read_record
from hosts.cca.registry import Origin
from hosts.cca.scheme_names import parse_all, parse_scheme, socket_name
from hosts.cca.subflow_rates import Ends, SubflowRates
from tests.harness.long_tests import only_long
from tests.hosts.kernel_for_modules import kernel_tree

TEMPLATE = (sources.SOURCE_FOLDER / "template.c").read_text()


def student(folder: Path, change: str = "", name: str = "mine") -> Path:
    """The template as a student's own scheme in another folder, with ``change`` for its equation."""
    text = TEMPLATE.replace("mycca", name)
    source = folder / f"{name}.bpf.c"
    source.write_text(re.sub(r"= ONE_PACKET;.*", f"= ONE_PACKET; {change}", text))
    return source


@pytest.fixture
def fake_kernel(tmp_path: Path) -> KernelTree:
    """A folder that looks like a kernel's."""
    folder = tmp_path / "objects"
    (folder / "include" / "generated").mkdir(parents=True)
    for name in (".config", "Module.symvers", "include/generated/utsrelease.h", "linux"):
        (folder / name).write_text(name)
    return KernelTree(folder)


def test_what_a_module_is_made_of_decides_where_it_is(fake_kernel: KernelTree, tmp_path: Path) -> None:
    source = student(tmp_path)

    def path(text: str = "mine", kernel: KernelTree = fake_kernel) -> Path:
        return module_path(parse_scheme(text, tmp_path), kernel, tmp_path / "cache")

    first = path()
    assert first.name == "bpf_mine.ko"
    assert path() == first
    source.write_text(source.read_text() + "\n")
    second = path()
    (tmp_path / "extra.h").write_text("")
    third = path()
    (fake_kernel.objects / "linux").write_text("another")
    fourth = path(kernel=KernelTree(fake_kernel.objects))
    assert len({first, second, third, fourth}) == 4
    assert module_path(parse_scheme("qtcol"), fake_kernel, tmp_path) != module_path(parse_scheme("qtcol(alpha=1.2)"), fake_kernel, tmp_path)


def test_constants_are_compiled_in() -> None:
    scheme = parse_scheme("qtcol(alpha=1.5,rtt=last)")
    text = module_source(socket_name(scheme), scheme.program_values, Path("/somewhere/qtcol.bpf.c"))
    assert text.splitlines() == [
        f'#define REGISTERED_NAME "{socket_name(scheme)}"',
        "#define SET_alpha 0, 1500",
        "#define SET_rtt 0, 1",
        '#include "/somewhere/qtcol.bpf.c"',
    ]


def test_what_is_in_the_cache_is_not_built(fake_kernel: KernelTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    schemes = parse_all(["vegas", "cubic", "qtcol(alpha=1.5)"])
    with pytest.raises(UserError, match="make is not installed"):
        build(schemes, fake_kernel, tmp_path / "cache")
    for scheme in (schemes[0], schemes[2]):
        path = module_path(scheme, fake_kernel, tmp_path / "cache")
        path.parent.mkdir(parents=True)
        path.write_text(scheme.text)
    files = build(schemes, fake_kernel, tmp_path / "cache")
    place(files, tmp_path / "placed")
    assert {path.name: path.read_text() for path in (tmp_path / "placed").iterdir()} == {
        "bpf_vegas.ko": "vegas", socket_name(schemes[2]) + ".ko": "qtcol(alpha=1.5)",
    }  # fmt: skip


def test_a_table_written_by_hand_is_for_bpf_alone(fake_kernel: KernelTree, tmp_path: Path) -> None:
    source = student(tmp_path)
    source.write_text(source.read_text().replace("REGISTER(mine,", "struct tcp_congestion_ops mine = {"))
    with pytest.raises(UserError, match="mine has a table of its own, which is for BPF alone: use CALLBACK and REGISTER"):
        build(parse_all(["mine"], tmp_path), fake_kernel, tmp_path / "cache")


def test_a_folder_that_is_no_kernel(fake_kernel: KernelTree, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no modules can be built"):  # its Makefile is missing
        build(parse_all(["vegas"]), fake_kernel, tmp_path / "cache")
    (fake_kernel.objects / "Module.symvers").unlink()
    with pytest.raises(UserError, match=r"is no built kernel: Module\.symvers: No such file"):
        build(parse_all(["vegas"]), KernelTree(fake_kernel.objects), tmp_path / "cache")


def test_of_several_that_want_the_same_one_builds(fake_kernel: KernelTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("PATH", "/nonexistent")
    (scheme,) = parse_all(["vegas"])
    path = module_path(scheme, fake_kernel, cache)
    cache.mkdir()
    with ThreadPoolExecutor() as pool:
        with (cache / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            wanted = pool.submit(build, [scheme], fake_kernel, cache)
            with pytest.raises(TimeoutError):
                wanted.result(timeout=0.2)
            path.parent.mkdir()
            path.write_text("built by another")
        assert wanted.result() == {scheme: path}  # without make, which is not there


@only_long
def test_a_checkout_may_be_moved(tmp_path: Path) -> None:
    built = kernel_tree().objects.parent
    moved = KernelTree(shutil.copytree(built, tmp_path / "moved", symlinks=True) / "objects")
    (file,) = build(parse_all(["vegas"]), moved, tmp_path / "cache").values()
    assert file.exists()
    (tmp_path / "moved" / "source" / "Makefile").write_text("$(error the sources beside the objects)\n")
    with pytest.raises(UserError, match="the sources beside the objects"):
        build(parse_all(["hybla"]), moved, tmp_path / "cache")


def test_a_folder_that_cannot_be_written(fake_kernel: KernelTree, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot build congestion controls in .*file/cache: Not a directory"):
        build(parse_all(["vegas"]), fake_kernel, tmp_path / "file" / "cache")


def test_messages_are_told_apart() -> None:
    output = (
        "make: Entering directory '/objects'\n"
        "  CC [M]  /work/bpf_good.o\n"
        "  CC [M]  /work/bpf_bad.o\n"
        "In file included from /work/bpf_bad.c:2:\n"
        "/home/me/bad.bpf.c:7:2: error: nothing\n"
        "    7 |  nothing;\n"
        "make[2]: *** [scripts/Makefile.build:243: /work/bpf_bad.o] Error 1\n"
        "  CC [M]  /work/bpf_loud.o\n"
        "/home/me/loud.bpf.c:7:2: warning: something\n"
        "  MODPOST /work/Module.symvers\n"
        'ERROR: modpost: "__muldf3" [/work/bpf_float.ko] undefined!\n'
    )
    assert messages_by_target(output, Path("/work")) == {
        "bpf_bad": "/home/me/bad.bpf.c:7:2: error: nothing\n    7 |  nothing;",
        "bpf_float": "the kernel has no function __muldf3 for modules",
    }


# With a kernel


@only_long
def test_the_same_module_from_another_folder(tmp_path: Path) -> None:
    tree = kernel_tree()
    contents = []
    for place_name in ("one", "another/further"):
        folder = tmp_path / place_name
        folder.mkdir(parents=True)
        student(folder)
        (path,) = build([parse_scheme("mine", folder)], tree, folder / "cache").values()
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]


def test_mistakes_in_students_sources(tmp_path: Path) -> None:
    """File and line are the student's own, and the others are built all the same."""
    changes = {
        "unknown": ("\n\tint mistake = nothing;", [r"unknown\.bpf\.c:\d+:\d+: error: .nothing. undeclared"]),
        "floating": (
            "growth = acked * 1.5 / tp->srtt_us;",
            ["floating.bpf.c does not compile as a module", "floating point cannot be used in the kernel"],
        ),
        "nobody": ("growth = bpf_nobody(1);", [r"nobody\.bpf\.c:\d+:\d+: error: implicit declaration of function .bpf_nobody"]),
        "fine": ("", []),
    }
    written = {name: student(tmp_path, change, name) for name, (change, _) in changes.items()}
    files, missing = build_possible(parse_all(changes, tmp_path), kernel_tree(), tmp_path / "cache")
    assert [scheme.text for scheme in files] == ["fine"]
    assert {entry.name for entry in missing} == changes.keys() - {"fine"}
    for entry in missing:
        for message in changes[entry.name][1]:
            assert re.search(message, entry.reason), entry.reason
        assert "floating" in entry.reason or str(written[entry.name]) in entry.reason
    assert not list((tmp_path / "cache").glob(f"{UNFINISHED}*"))


def test_a_state_that_is_too_large(tmp_path: Path) -> None:
    source = student(tmp_path)
    source.write_text(source.read_text().replace("__u64 credit;", "__u64 credit; __u64 more[13];"))
    with pytest.raises(UserError, match="a scheme's state has 104 bytes at most"):
        build(parse_all(["mine"], tmp_path), kernel_tree(), tmp_path / "cache")


def test_maps_and_helpers_of_a_students_scheme(tmp_path: Path) -> None:
    members = "__uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4); __type(key, __u32); __type(value, __u64);"
    maps = f'struct {{ {members} }} seen SEC(".maps");\n'
    use = "__u32 zero = 0; __u64 *count = bpf_map_lookup_elem(&seen, &zero); if (count) *count += bpf_ktime_get_ns();"
    use += ' *count ^= bpf_get_prandom_u32() + bpf_jiffies64() + bpf_get_smp_processor_id(); bpf_printk("%llu", *count);'
    source = student(tmp_path, use)
    source.write_text(source.read_text().replace("struct mine {", "#define BPF_MAP_TYPE_ARRAY 2\n" + maps + "struct mine {"))
    tree = kernel_tree()
    assert len(build(parse_all(["mine"], tmp_path), tree, tmp_path / "cache")) == 1
    source.write_text(source.read_text().replace("type, BPF_MAP_TYPE_ARRAY", "type, BPF_MAP_TYPE_LRU_HASH"))
    with pytest.raises(UserError, match="a map is a BPF_MAP_TYPE_HASH or a BPF_MAP_TYPE_ARRAY"):
        build(parse_all(["mine"], tmp_path), tree, tmp_path / "cache")


# Inside the kernel, which is played here: `insmod` and `rmmod` change the list of names


class FakeKernel:
    """A kernel that knows the names of loaded modules; ``refusal``: the errno of every call; 0: calls succeed."""

    def __init__(self, folder: Path) -> None:
        self.names = ["reno", "cubic"]
        self.loaded = folder / "modules"
        self.refusal = 0
        self._note()

    def call(self, number: int, *arguments: int | bytes) -> int:
        if self.refusal:
            return self.refusal
        first = arguments[0]
        if isinstance(first, int):
            self.names.append(Path(f"/proc/self/fd/{first}").readlink().stem)
        else:
            self.names.remove(first.decode())
        self._note()
        return 0

    def _note(self) -> None:
        self.loaded.write_text("".join(f"{name} 16384 0 - Live 0x0\n" for name in self.names if name not in ("reno", "cubic")))


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKernel:
    """The process is in a user-mode kernel whose folder has modules of vegas and bic."""
    fake = FakeKernel(tmp_path)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "ko"))
    monkeypatch.setattr(module_registry, "_LOADED_FILE", fake.loaded)
    monkeypatch.setattr(module_registry, "_system_call", fake.call)
    monkeypatch.setattr(loader, "kernel_names", lambda: list(fake.names))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (tmp_path / "ko").mkdir()
    for name in ("bpf_vegas", "bpf_bic"):
        (tmp_path / "ko" / f"{name}.ko").write_text(name)
    return fake


def test_the_loader_loads_modules_where_there_are_some(kernel: FakeKernel, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    assert loader.register(["vegas", "bic"], record_file=record) == ["vegas", "bic"]
    assert loader.register(["vegas"], record_file=record) == []
    assert kernel.names == ["reno", "cubic", "bpf_vegas", "bpf_bic"]
    assert read_record(record)["bpf_vegas"].map_id is None
    assert loader.usable_names(record_file=record) == ["reno", "cubic", "vegas", "bic"]
    origins = {entry.text: entry.origin for entry in loader.list_all(record_file=record)}
    assert (origins["vegas"], origins["cubic"], origins["qtcol"]) == (Origin.MODULE, Origin.KERNEL, Origin.NOT_LOADED)
    added, missing = loader.register_possible(["bic", "qtcol"], record_file=record)
    assert added == []
    assert missing[0].name == "qtcol"
    assert "was not built for this kernel" in missing[0].reason
    assert loader.unregister(["vegas"], record_file=record) == [loader.Removed("vegas", in_use=False)]
    (tmp_path / "ko" / "bpf_bic.ko").write_text("another")
    assert loader.register(["bic"], record_file=record) == [], "replaced"
    assert kernel.names == ["reno", "cubic", "bpf_bic"]


def test_a_module_in_use_stays(kernel: FakeKernel, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    loader.register(["vegas"], record_file=record)
    kernel.refusal = errno.EAGAIN
    assert loader.unregister(record_file=record) == [loader.Removed("vegas", in_use=True, stays=True)]
    (tmp_path / "ko" / "bpf_vegas.ko").write_text("another")
    with pytest.raises(UserError, match="vegas has changed, and open connections have it as it was"):
        loader.register(["vegas"], record_file=record)
    kernel.refusal = errno.ENOENT
    assert loader.unregister(record_file=record) == [loader.Removed("vegas", in_use=False)], "somebody else has taken it out"
    assert read_record(record) == {}


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.EPERM, "does not let us load modules"),
        (errno.ENOEXEC, "is no module of this kernel"),
        (errno.EEXIST, "is registered already"),
        (errno.ENOMEM, "Cannot allocate memory"),
    ],
)
def test_the_kernel_refuses(number: int, message: str, kernel: FakeKernel, tmp_path: Path) -> None:
    kernel.refusal = number
    with pytest.raises(UserError, match=message):
        loader.register(["vegas"], record_file=tmp_path / "record.json")
    assert read_record(tmp_path / "record.json") == {}


def test_no_folder_of_modules(kernel: FakeKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "nothing"))
    with pytest.raises(UserError, match="there is no folder"):
        loader.register(["vegas"], record_file=tmp_path / "record.json")


def test_the_system_calls_are_those_of_modules(tmp_path: Path) -> None:
    """The machine's kernel is asked for the impossible: a module that is none, and one that is not there."""
    empty = tmp_path / "empty.ko"
    empty.write_bytes(b"")
    with empty.open("rb") as file:
        assert module_registry._system_call(module_registry._FINIT_MODULE, file.fileno(), b"", 0) != 0
    with pytest.raises(UserError):
        ModuleRegistry(tmp_path).register(parse_scheme("vegas"), empty)
    assert module_registry._system_call(module_registry._DELETE_MODULE, b"nodectl_nothing", os.O_NONBLOCK) != 0


def test_rates_of_subflows_go_to_the_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subflow_rates, "PROC", tmp_path)
    monkeypatch.setattr(subflow_rates, "kernel_names", lambda: ["reno", "bpf_nodectl", "mine_12345678"])
    files = [tmp_path / "subflow_rates:bpf_nodectl", tmp_path / "subflow_rates:mine_12345678"]
    for file in files:
        file.touch()
    rates = SubflowRates()
    ends = Ends("10.0.0.1", 1000, "10.0.0.2", 2000)
    rates.put(ends, 125_000)
    rates.drop(ends)
    rates.close()
    for file in files:
        written = file.read_bytes()
        assert written[24:32] == (125_000).to_bytes(8, "little")
        assert written[32:] == written[:24], "the key alone takes it out"
        assert written[8:16] == bytes((10, 0, 0, 1, 10, 0, 0, 2))


def test_an_unlimited_subflow_may_send() -> None:
    """MPTCP's scheduler has 32 bits for a rate, and passes over a subflow with 0 in them."""
    assert subflow_rates.UNLIMITED_BYTES_PER_S & 0xFFFF_FFFF > 1_000_000_000


def test_every_frame_is_free_of_the_others_headers() -> None:
    """A scheme's source includes what both frames have."""
    for scheme in sources.available().values():
        includes = set(re.findall(r'^#include [<"]([^>"]+)', scheme.source.read_text(), re.MULTILINE))
        assert not includes & {"tcp_bpf.h", "bpf_frame.h", "module_frame/module_frame.h"}, scheme.name


def test_make_and_the_compiler_see_no_flags_from_outside(fake_kernel: KernelTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (fake_kernel.objects / "Makefile").write_text("modules:\n\t@env\n")
    monkeypatch.setenv("KCFLAGS", "-DNOTHING")
    monkeypatch.setenv("MAKEFLAGS", "s")
    with pytest.raises(UserError) as raised:
        build(parse_all(["vegas"]), fake_kernel, tmp_path / "cache")
    assert "PATH=" in raised.value.what
    assert "-DNOTHING" not in raised.value.what
