"""Opening a file while the panel lives: the line that says how far it is, Cancel, and the graph that was there."""

from __future__ import annotations

from typing import Any

from tools.explorers import fresh

RING = "open('ring.csv', 'w').write('source,target\\n' + ''.join(f'n{i},n{(i + 1) % 30}\\n' for i in range(30)));"
SLOW = """
from threading import Event
from degnn_explore.common.stopping import at
held, e = Event(), de.Explorer(preset="fig1")
def slow():
    at("reading the file", 0.5)
    while not held.wait(0.05):
        at("numbering the nodes", 0.6)
e._drawers.toggle("file")
e._drawers._begin("slow.csv", slow)
e
"""


def test_cancel_stops_and_a_path_opens(lab: Any, visit: Any) -> None:
    panel = fresh(lab, visit, "opening", RING, SLOW)
    line = panel.box.locator(".de-opening")
    panel.until(lambda: "slow.csv 36 %, numbering the nodes …" in line.inner_text(), True)
    assert line.locator("progress").get_attribute("value") == "36"
    panel.click(5)  # the panel is alive meanwhile
    panel.targets([5, 11])
    line.get_by_role("button", name="Cancel").click()
    drawer = panel.box.locator(".de-drawer")
    panel.until(lambda: "Opening slow.csv was cancelled; what is shown has not changed." in drawer.inner_text(), True)
    assert not line.is_visible()
    panel.targets([5, 11])

    field = panel.box.locator(".de-path input")
    field.fill("ring.csv")
    field.press("Enter")
    panel.until(lambda: "30 nodes and 30 links" in drawer.inner_text(), True)
    panel.targets([0])
