"""The project as a site: README, notebooks with their pictures, guides, glossary and API reference, in ``site/``.

    make site                     # or: python -m tools.site

Pages are plain files that ask for nothing but each other: open ``site/index.html``, or copy the folder to any static
host. Why not mkdocs or sphinx: each would be ten packages more, with a theme that must be kept from asking a CDN for
fonts and scripts, and a plugin for notebooks that knows nothing of panels. mistune and Pygments come with JupyterLab,
and what is left to do is in these modules: ``markup`` (Markdown, code), ``running`` and ``in_kernel`` (notebooks are
executed, once for each content), ``books`` (as HTML), ``reference`` (the API, from the objects), ``building`` (pages
and navigation), ``links`` (the checker, which fails the build).
"""
