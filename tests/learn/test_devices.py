"""On an accelerator: few transfers, data that fit and data that do not; which device, threads and random numbers.

The pretend device stands in for one. tests/learn/test_every_model.py compares the numbers with the CPU's.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.engine import placing
from degnn_explore.learn import devices
from degnn_explore.learn.devices import choose_device, seeded, torch_threads
from degnn_explore.learn.nets import block_nets, pagerank
from tests import pretend_device as pretend

from .small import EVERY, TASK, G, small

# ---- where the data are ---------------------------------------------------------------------------------------------


def transfers(model: de.SetNet, **how: Any) -> dict[str, int]:
    """Of the last of two epochs."""
    for _ in de.fit(model, TASK, 2, device="pretend", **how):
        counted = dict(pretend.counts)
        pretend.reset()
    return counted


# NCN asks which pairs are links
@pytest.mark.parametrize("name", [name for name in EVERY if name != "NCN"])
def test_after_the_first_epoch_the_order_is_sent_and_three_tensors_come_back(name: str) -> None:
    model = small(name)
    counted = transfers(model, batch_size=32)
    signs = 4 * len(model.scale) if name == "DE-GNN-LapPE" else 0  # drawn for each epoch
    assert counted["to_device"] == (2 if signs else 1)
    assert counted["bytes_to_device"] == 8 * len(TASK.train) + signs
    assert counted["to_host"] == 3  # losses, logits of the pass, logits of what was held out
    with pytest.raises(RuntimeError, match="mixed"):  # which a GPU would refuse, too
        next(model.to("pretend").parameters()) + torch.ones(1)


@pytest.mark.parametrize(
    ("name", "budget"),
    [(name, None) for name in ("DE-GNN-SPD", "SEAL", "PGNN", "DEA-GNN-PR")]
    + [("DE-GNN-SPD", 60_000), ("DEA-GNN-SPD", 100_000)],
)
def test_data_that_do_not_fit_on_the_device_or_in_memory_are_streamed_to_the_same_numbers(
    name: str, budget: int | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    here = list(de.fit(small(name, dropout=0.0), TASK, 1, batch_size=64, device="cpu"))
    if budget is None:
        monkeypatch.setattr(placing, "SHARE", 0)
    else:
        monkeypatch.setattr(block_nets, "budget", lambda: budget)
    for device in ("pretend", "cpu") if budget else ("pretend",):
        caplog.clear()
        model = small(name, dropout=0.0)
        there = list(de.fit(model, TASK, 1, batch_size=64, device=device))
        assert model.placement.where == "streamed" and ("max_nodes_per_hop=" in caplog.text) == bool(budget)
        assert [e.loss for e in there] == pytest.approx([e.loss for e in here], abs=1e-6)
        assert [e.test for e in there] == [e.test for e in here]
    assert transfers(small(name), batch_size=64)["to_host"] == 3


def test_what_a_wide_encoding_would_take_is_checked_before_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagerank, "memory", lambda: 50_000)
    with pytest.raises(ParameterError, match="max_dist=90"):
        de.build("DEA-GNN-PR", TASK, max_dist=90).prepare(G, TASK.train.sets)


# ---- which device ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gpus", "apple", "best", "names"),
    [
        (2, False, "cuda", ["auto", "cpu", "cuda:0", "cuda:1"]),
        (0, True, "mps", ["auto", "cpu", "mps"]),
        (1, True, "cuda", ["auto", "cpu", "cuda:0", "mps"]),
    ],
)
def test_auto_is_the_best_device_and_the_menu_lists_all(
    gpus: int, apple: bool, best: str, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpus > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda number: f"GPU number {number}")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: apple)
    assert choose_device("auto") == best
    menu = devices.devices()
    assert [name for _, name in menu] == names and best in menu[0][0]
    assert all(name in text and ("cuda" not in name or f"GPU number {name[-1]}" in text) for text, name in menu)


def test_fit_uses_the_best_device_unless_another_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "best_device", lambda: "pretend")
    for options, device in (({}, "pretend"), ({"device": "cpu"}, "cpu")):
        model = small("DE-GNN-SPD")
        list(de.fit(model, TASK, 1, **options))
        assert (model.placement.device, model.placement.where) == (device, "resident")
        pretend.reset()
        de.predict(model, TASK.graph, TASK.test.sets, **options)
        assert bool(pretend.counts) == (device == "pretend")


# ---- what the whole process shares ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("device", "used"), [("cuda", 1), ("cuda:0", 0), ("mps", 2)])
def test_seeded_draws_follow_the_seed_and_leave_all_generators_as_they_were_even_after_an_error(
    device: str, used: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    generators = [torch.Generator() for _ in range(3)]
    fake = SimpleNamespace(init=lambda: None, default_generators=generators[:2], current_device=lambda: 1)
    monkeypatch.setattr(torch, "cuda", fake)
    monkeypatch.setattr(torch, "mps", SimpleNamespace(_get_default_mps_generator=lambda: generators[2]))

    def states() -> list[list[int]]:
        return [generator.get_state().tolist() for generator in (*generators, torch.default_generator)]

    def draw(seed: int) -> list[float]:
        with seeded(seed, device):
            changed = [now != start for now, start in zip(states(), before, strict=True)]
            assert changed == [number in (used, 3) for number in range(4)]
            return torch.rand(3).tolist() + torch.rand(3, generator=generators[used]).tolist()

    before = states()
    assert draw(1) == draw(1) != draw(2) and draw(2**70) == draw(2**70)
    with pytest.raises(KeyError), seeded(1, device):
        raise KeyError
    assert states() == before


def test_torchs_threads_are_as_before_once_the_last_user_has_left() -> None:
    before = torch.get_num_threads()
    first, second = torch_threads(before + 2), torch_threads(before + 1)
    with first:
        assert torch.get_num_threads() == before + 2
        second.__enter__()
    assert torch.get_num_threads() == before + 1
    second.__exit__(None, None, None)
    assert torch.get_num_threads() == before
    with pytest.raises(KeyError), torch_threads(before + 2):
        raise KeyError
    assert torch.get_num_threads() == before
