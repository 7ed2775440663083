"""Sphinx's settings: the guides, notebooks with their outputs, and the API, for ``make site``.

The source directory is the repository, so that links between README, guides and notebooks are the same here and there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

import site_hooks  # noqa: E402

import degnn_explore  # noqa: E402

project, author = "degnn_explore", "degnn_explore contributors"
release = version = degnn_explore.__version__
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**.md", "notebooks/**.ipynb", "data/*/SOURCE.md"]
exclude_patterns = [".*", "build", "site", "runs", "**/.ipynb_checkpoints"]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "degnn_explore"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = [str(site_hooks.PAGES)]  # the Explorers of the notebooks, each a page for an iframe
html_copy_source = html_show_sourcelink = html_show_copyright = False

nb_execution_mode = os.environ.get("SITE_NOTEBOOKS", "cache")  # "off": without outputs, in seconds
nb_execution_cache_path = str(site_hooks.CACHE)
nb_execution_excludepatterns = ["notebooks/classroom/*"]  # their exercises are not solved
nb_execution_timeout = 1200
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_mime_priority_overrides = [("html", "text/html", 1)]  # of a widget: what needs no kernel
nb_ipywidgets_js: dict[str, object] = {}  # nothing from a network

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings name the types that matter
autodoc_default_options = {"members": True}
napoleon_google_docstring = False

setup = site_hooks.setup
