"""The clock inside: it stands still while programs compute, and goes on for those who wait for that by looking."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.virtual_time.inside import needs_virtual_time
from virtual_time.job import Job, Outside
from virtual_time.session import Session

pytestmark = [needs_virtual_time, pytest.mark.timeout(120)]

LOOKS = r"""
import json, os, time
start = time.monotonic_ns()
sum(range(200_000))
computed = time.monotonic_ns() - start
looks = [time.monotonic_ns() for _ in range(3000)]
steps = sorted({later - sooner for sooner, later in zip(looks, looks[1:])})
time.sleep(1)
before = time.monotonic_ns(), time.time_ns()
time.sleep(0.25)
after = time.monotonic_ns(), time.time_ns()
child = os.fork()
if child == 0:
    os._exit(0 if time.monotonic_ns() >= after[0] else 1)
same_in_child = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
deadline = time.monotonic() + 0.001
while time.monotonic() < deadline:
    pass
print(json.dumps({
    "computed": computed,
    "different": len(set(looks)),
    "steps": steps,
    "slept": [after[0] - before[0], after[1] - before[1]],
    "same_in_child": same_in_child,
}))
"""


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    text: list[str] = []
    assert Session.prepare().run(Job(["python3", "-c", LOOKS], seed=1, patience_s=30.0), Outside(on_text=text.append)) == 0, text
    found: dict[str, Any] = json.loads(text[-1])
    return found


def test_computing_takes_no_time(seen: dict[str, Any]) -> None:
    assert seen["computed"] == 0


def test_time_goes_on_for_a_loop_that_waits_for_it(seen: dict[str, Any]) -> None:
    # 64 looks, which nobody sees, and at most 1,024 that the kernel sees take no time (it looks as well). Then each 65th takes 256 ns.
    assert seen["steps"] == [0, 256]
    assert (3000 - 64 - 1024) // 65 < seen["different"] <= 3000 // 65 + 1


def test_both_clocks_go_on_alike_and_everywhere(seen: dict[str, Any]) -> None:
    monotonic_ns, real_ns = seen["slept"]
    assert monotonic_ns == real_ns
    assert 250_000_000 <= monotonic_ns < 250_100_000
    assert seen["same_in_child"] is True


MANY = r"""
import json, threading, time
seen, all_are_there = [], threading.Event()
def look():
    all_are_there.wait()
    seen.append([time.clock_gettime_ns(time.CLOCK_BOOTTIME) for _ in range(20)])  # each is a system call
many = [threading.Thread(target=look) for _ in range(200)]
for one in many:
    one.start()
time.sleep(1)
all_are_there.set()
for one in many:
    one.join()
print(json.dumps(sorted({moment for moments in seen for moment in moments})))
"""


def test_many_that_wake_up_at_one_moment_take_no_time() -> None:
    text: list[str] = []
    assert Session.prepare().run(Job(["python3", "-c", MANY], seed=1, patience_s=30.0), Outside(on_text=text.append)) == 0, text
    assert len(json.loads(text[-1])) == 1
