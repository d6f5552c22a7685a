"""The vocabulary of a lab's ``checks.py``.

A check is a function with :func:`check` before it. The student reads its docstring. The names of its parameters say what it is given:

- ``switch`` (labs/check/switch.py): the student's P4 program,
- ``program`` (labs/check/controller_program.py): the student's controller,
- ``run`` (labs/check/measured.py): a scenario measured with them,
- ``measured``: a scenario in which nothing is the student's,
- ``answers`` (labs/check/answers.py): the numbers and words that the student has written down,
- ``windows`` (labs/check/window_program.py): the student's congestion control without packets,
- ``source``: its text,
- ``contest`` (labs/check/contest.py): the student's congestion control over traces,
- ``experiment`` and ``measured_experiment`` (labs/check/own_experiment.py): the student's experiment.
"""

from labs.check.answers import Answers, expect_choice, expect_number
from labs.check.packets import but, event_fields, field_of, fields_of, frame, ipv4, message, udp
from labs.check.vocabulary import Failed, check, expect_equal

__all__ = [
    "Answers", "Failed", "but", "check", "event_fields", "expect_choice", "expect_equal", "expect_number", "field_of", "fields_of", "frame",
    "ipv4", "message", "udp",
]  # fmt: skip
