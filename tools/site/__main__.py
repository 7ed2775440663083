"""``python -m tools.site``: builds the site, checks its links, and says what is broken."""

from __future__ import annotations

import argparse
from pathlib import Path

from .building import ROOT, Site
from .links import check


def main() -> None:
    """Builds it; ends with 1 and the list if a link leads nowhere or a page asks for something outside."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "site", help="the folder to write, emptied first")
    parser.add_argument("--run", nargs="*", metavar="NOTEBOOK", help="execute these only, by name; all by default")
    given = parser.parse_args()
    out = given.out.resolve()
    site = Site(out, None if given.run is None else set(given.run))
    site.build()
    found = check(out)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(f"{found.pages} pages, {size / 1e6:.1f} MB, in {out}; {len(found.outside)} addresses elsewhere, not checked")
    for what, list_ in (("leads nowhere", found.broken), ("is asked for from outside", found.fetched)):
        for line in list_:
            print(f"{line} {what}")
    raise SystemExit(bool(found.broken or found.fetched))


if __name__ == "__main__":
    main()
