"""A fuzz over every reader and every decoder: only our errors, within a bound of memory and of time a case.

The cases run in a child process (tests/support/child.py), so that a crash is a finding and not the end of the suite.
They are the same every time; ``DEGNN_FUZZ=2000 pytest tests/reading/test_fuzz.py`` draws that many new ones a door.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.child import Child

from .doors import DOORS, seeds

LONGER = int(os.environ.get("DEGNN_FUZZ", "0"))
fuzz = settings(
    max_examples=LONGER or 60, derandomize=not LONGER, suppress_health_check=list(HealthCheck), print_blob=bool(LONGER)
)


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with Child("tests.reading.doors") as started:
        yield started


@pytest.fixture(scope="module")
def good() -> dict[str, list[bytes]]:
    return {door: seeds(door) for door in DOORS}


def test_every_door_takes_what_is_good(child, good):
    for door, contents in good.items():
        for content in contents:
            DOORS[door](content)
            assert child.ask(door, content) == ""


def test_the_child_tells_of_a_crash_a_foreign_error_too_much_memory_and_too_much_time():
    with Child("tests.reading.bad_doors", memory=500_000_000, seconds=2) as child:
        for word, sign in (("die", "code -11"), ("fail", "KeyError"), ("fill", "MemoryError"), ("sleep", "Timeout")):
            assert sign in child.ask(word, b"")
            assert child.ask("fine", b"") == ""


# ---- any bytes, and good content with some of it changed ---------------------------------------------------

PIECES = (
    *'01a,;\t \n\r"#%{}[]-+.e:é\u2028\x0b\x00\ufeff',
    *("nan", "source,target\n", "id,name,age\n", "<graphml>", "</graphml>", "<graph>", "<node id='0'/>", "<gexf>"),
    *("graph [", "node [ id 0 ]", 'label "x"', '{"nodes":', '"edges":', '"id"', "null", "<!DOCTYPE x>", "\\ud800"),
    *(
        "%%MatrixMarket matrix coordinate pattern general\n",
        "%%MatrixMarket matrix array real symmetric\n",
        ">>graph6<<",
    ),
    *("9" * 400, "18446744073709551615", "1e999", "-1", " " * 5000, "~~~~~", "de1.", "MATLAB 5.0", "PK\x03\x04"),
)
anything = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=200).map(lambda text: text.encode("utf-8", "ignore")),
    st.lists(st.sampled_from(PIECES), max_size=40).map(lambda parts: "".join(parts).encode()),
)
ODD_BYTES = [b"", b"\0", b"\xff" * 8, b"\x7f\xff\xff\xff", b"9" * 400, b"-1", b"nan", b"2147483648", b"\n", b'"', b"<"]


@st.composite
def damaged(draw: st.DrawFn, whole: list[bytes]) -> bytes:
    """One of them, with bytes changed, cut out, repeated or put in."""
    content = bytearray(draw(st.sampled_from(whole)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(start + draw(st.sampled_from([0, 1, 1, 2, 4, 8, 30])), len(content))
        put = draw(st.one_of(st.binary(min_size=end - start, max_size=end - start), st.sampled_from(ODD_BYTES)))
        content[start:end] = put * draw(st.sampled_from([1, 1, 1, 50]))
    return bytes(content[: draw(st.sampled_from([len(content)] * 3 + [len(content) // 2]))])


@pytest.mark.parametrize("door", sorted(DOORS))
def test_any_bytes_and_damaged_content(door, child, good):
    @fuzz
    @given(content=st.one_of(anything, damaged(good[door]), damaged(good[door])))
    def knock(content: bytes) -> None:
        assert child.ask(door, content) == ""

    knock()


# ---- sound containers with odd values inside ----------------------------------------------------------------

ODD_NUMBERS = [-1, 0, 2**31, 2**63, 2**64 - 1, 10**9, 10**400, 0.5, 1e308, float("inf"), float("nan")]
ODD_TEXTS = ["", "x" * 5000, "\ud800", "GCN", "__class__", "../../x"]
ODD_LISTS = [[], {}, [[]], {"a": []}, [0] * 1000, [[[[1]]]]]
odd = st.sampled_from([None, True, *ODD_NUMBERS, *ODD_TEXTS, *ODD_LISTS])


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """A JSON value with one or two places in it changed, left out or put in."""
    value = json.loads(json.dumps(value))
    for _ in range(draw(st.integers(1, 2))):
        here: Any = value
        while True:
            keys: list[Any] = list(here) if isinstance(here, dict) else list(range(len(here)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(here[key], dict | list) and draw(st.booleans()):
                here = here[key]
                continue
            if draw(st.integers(0, 5)) == 0:
                del here[key]
            else:
                here[key] = copy.deepcopy(draw(odd))
            break
    return value


def ask_each(child: Child, door: str, value: Any, made: Any) -> None:
    @fuzz
    @given(value=changed(value))
    def knock(value: Any) -> None:
        assert child.ask(door, made(value)) == ""

    knock()


def test_node_link_json_with_odd_values(child, good):
    for content in good[".json"]:
        ask_each(child, ".json", json.loads(content), lambda value: json.dumps(value).encode())
