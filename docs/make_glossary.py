"""Writes ``docs/glossary.md`` from the words of the Explorer, ``degnn_explore/views/content/glossary.toml``."""

from __future__ import annotations

from pathlib import Path

from degnn_explore.views.content import TERMS

PAGE = Path(__file__).with_name("glossary.md")
TOP = """# Glossary

The terms that the Explorer, the notebooks and the verdicts use. In the Explorer, hover over an underlined term or tap
it. `python docs/make_glossary.py` writes this page from `degnn_explore/views/content/glossary.toml`.

| term | meaning |
|---|---|
"""


def text() -> str:
    """The page."""
    rows = [f"| **{term.name}** | {term.line} |".replace("(u|S)", "(u&#124;S)") for term in TERMS]
    return TOP + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
