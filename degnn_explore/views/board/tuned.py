"""The board's "Choose on validation": a search for settings in the background, with progress and a way to stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import ipywidgets as W

from ...studies.plan import Plan
from ...studies.storage.store import Store
from ...studies.tuning import StoreTrial, Tuned, search
from ..widgets.html import box, button, error_box, guarded, tag
from .controls import Controls

_ASK = "Choose on validation"


class Tuning:
    """A button, the minutes that it may take, and beside it what was found; ``ask()`` gives store and workers."""

    def __init__(self, controls: Controls, ask: Callable[[], tuple[Store, int]]) -> None:
        self._controls, self._ask = controls, ask
        self._thread: threading.Thread | None = None
        self._trial: StoreTrial | None = None
        tip = "Try as many settings of every chosen model as fit into the time, and take those best on validation"
        self.button = button(_ASK, tip, self.go)
        self.minutes = W.BoundedFloatText(
            2.0, description="within minutes", min=0.1, max=600, step=1, tooltip="Time for the search",
            style={"description_width": "initial"})  # fmt: skip
        self.minutes.add_class("de-number")
        self.note = W.HTML(tag("span", "As many settings for every model, on the split of seed 0.", "de-hint"))
        self.box = box("de-row", self.button, self.minutes, self.note)

    @guarded
    def go(self) -> None:
        """Starts a search, or stops the one under way: the rounds that ended count."""
        if self._thread is not None and self._thread.is_alive():
            self.stop()
            return
        plan, (store, workers) = self._controls.plan(), self._ask()
        plan.check()
        self._trial = StoreTrial(plan, store, workers, self._progress)
        self.button.description = "■ Stop"
        self._say("The defaults first …")
        work = (plan, self._trial, float(self.minutes.value))
        self._thread = threading.Thread(target=self._search, args=work, daemon=True, name="choose on validation")
        self._thread.start()

    def stop(self) -> None:
        """Ends the search."""
        if self._trial is not None:
            self._trial.cancel()

    def wait(self, seconds: float | None = None) -> None:
        """Until no search is under way."""
        if self._thread is not None:
            self._thread.join(seconds)

    @guarded
    def _search(self, plan: Plan, trial: StoreTrial, minutes: float) -> None:
        """In a thread."""
        try:
            found = search(plan.models, plan.p, minutes, trial)
            now = self._controls.plan()
            if (now.task, now.digest) == (plan.task, plan.digest):
                self._say(_words(found))
                self._controls.use_own(found.best)
            else:
                self._say(f"The search was for {plan.task} on {plan.title}; choose that again, and search anew.")
        finally:
            self.button.description = _ASK

    def _progress(self, number: int, done: int, of: int) -> None:
        self._say(f"Settings {number}: {done} of {of} models tried …")

    def _say(self, words: str) -> None:
        self.note.value = tag("span", words, "de-hint")

    def show_error(self, error: BaseException) -> None:
        """Beside the button that was pressed."""
        self.note.value = error_box(error)


def _words(found: Tuned) -> str:
    """What was chosen, and how many settings were tried."""
    changed = [
        f"{model}: {', '.join(f'{name} {value:g}' for name, value in settings.items())}"
        for model, settings in found.best.items()
        if settings
    ]
    chosen = "; ".join(changed) if changed else "the defaults are best for every model"
    rest = " (the others keep their defaults)" if changed and len(changed) < len(found.best) else ""
    return f"Best of at most {found.rounds} settings of each model: {chosen}{rest}. Start trains with these."
