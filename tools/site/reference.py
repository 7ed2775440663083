"""The API reference, from the objects themselves: every public name with its signature, its text and its example."""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape
from types import ModuleType
from typing import Any

from .markup import Markdown, code

MODULES = {  # page -> the module, and how readers call it
    "api/de.html": ("degnn_explore", "de", "import degnn_explore as de"),
    "api/zoo.html": ("degnn_explore.graphs.zoo", "de.zoo", "import degnn_explore as de"),
    "api/theory.html": ("degnn_explore.theory", "de.theory", "from degnn_explore import theory"),
    "api/pyg.html": ("degnn_explore.pyg", "degnn_explore.pyg", "from degnn_explore.pyg import TargetSetLoader"),
}
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ROLE = re.compile(r":\w+:`~?([\w.]+)`")
_ENTRY = re.compile(r"^(\S.*)\n((?:[ ]{2,}.*\n?|\n(?=[ ]))*)", re.MULTILINE)


@dataclass
class Name:
    """A public name: where it is documented, and what it is."""

    page: str
    called: str  # as readers write it, such as de.zoo.rook
    value: Any
    module: ModuleType

    @property
    def anchor(self) -> str:
        return self.called.rpartition(".")[2]

    @cached_property
    def kind(self) -> str:
        if inspect.isclass(self.value):
            return "exception" if issubclass(self.value, Exception) else "class"
        return "function" if callable(self.value) else "module" if inspect.ismodule(self.value) else "constant"

    @cached_property
    def text(self) -> str:
        """Its docstring; of a constant the one that follows it in the module where it is made."""
        return _text_of_constant(self) if self.kind == "constant" else inspect.getdoc(self.value) or ""


@cache
def names() -> tuple[Name, ...]:
    """All of them, page by page in the order in which the modules list them."""
    made = []
    for page, (module_name, called, _) in MODULES.items():
        module = importlib.import_module(module_name)
        made += [Name(page, f"{called}.{name}", getattr(module, name), module) for name in module.__all__]
    return tuple(made)


def body(page: str, markdown_for: Callable[[], Markdown]) -> tuple[str, list[tuple[int, str, str]]]:
    """A page as HTML, and its headings."""
    module_name, called, how = MODULES[page]
    here = [name for name in names() if name.page == page]
    doc = _Doc(markdown_for, page, {})
    intro = inspect.getdoc(importlib.import_module(module_name)) or ""
    listed = "".join(
        f'<tr><td><a href="#{name.anchor}"><code>{name.anchor}</code></a></td><td>{doc.line(name.text)}</td></tr>'
        for name in here
    )
    parts = [f'<h1 id="{called}"><code>{called}</code></h1>', code(how, "python"), doc.prose(intro)]
    parts.append(f'<div class="wide"><table class="names">{listed}</table></div>')
    parts += [_entry(name, markdown_for) for name in here]
    return "\n".join(parts), [(2, name.anchor, name.anchor) for name in here]


def _entry(name: Name, markdown_for: Callable[[], Markdown]) -> str:
    own = {it: f"{name.anchor}.{it}" for it, _ in _members(name)} if name.kind == "class" else {}
    doc = _Doc(markdown_for, name.page, own)
    if name.kind == "module":
        address = next(page for page, (_, called, _) in MODULES.items() if called == name.called)
        said = f'<p>{doc.line(name.text)} <a href="{address.rpartition("/")[2]}">Its own page</a>.</p>'
    else:
        said = doc(name.text)
    head = f'<h2 id="{name.anchor}"><small>{name.kind}</small> <code>{name.called}</code></h2>'
    parts = [f'<section class="entry">{head}', signature(name.called, name.value), said]
    if name.kind == "class":
        for it, member in _members(name):
            called = signature(f".{it}", member) if inspect.isfunction(member) else ""
            said = doc(inspect.getdoc(_function(member)) or "")
            parts.append(f'<h3 id="{name.anchor}.{it}"><code>.{it}</code></h3>{called}{said}')
    return "\n".join([*parts, "</section>"])


def signature(called: str, value: Any) -> str:
    """How it is called, a parameter a line where one line is too long."""
    if not callable(value) or (inspect.isclass(value) and issubclass(value, Exception)):
        return "" if callable(value) or inspect.ismodule(value) else code(_short(value), "python")
    try:
        given = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    parameters = [it.replace(annotation=_bare(it.annotation)) for it in given.parameters.values()]
    parameters = [it for it in parameters if it.name not in ("self", "cls")]
    returned = inspect.Signature.empty if inspect.isclass(value) else _bare(given.return_annotation)
    given = given.replace(parameters=parameters, return_annotation=returned)
    text = f"{called}{given}"
    if len(text) > 88:
        text = f"{called}{_lines(given)}"
    return code(text, "python")


class _Bare(str):
    """An annotation as it is written, without the quotes that a string has."""

    __repr__ = str.__str__


def _bare(annotation: Any) -> Any:
    return _Bare(annotation) if isinstance(annotation, str) else annotation


def _lines(given: inspect.Signature) -> str:
    """The signature with a line for each parameter."""
    shown, star = [], False
    for parameter in given.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            shown.append("*")
        star = star or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        shown.append(str(parameter))
    returned = given.return_annotation
    end = "" if returned is inspect.Signature.empty else f" -> {returned!r}"
    return "(\n" + "".join(f"    {it},\n" for it in shown) + f"){end}"


def _short(value: Any) -> str:
    text = repr(value)
    if isinstance(value, dict) and len(text) > 300:
        return "keys: " + ", ".join(map(repr, value))
    return text if len(text) <= 300 else text[:297] + "..."


def _members(name: Name) -> Iterator[tuple[str, Any]]:
    """Methods and properties that the class documents itself; what a public class above it has stands there."""
    above = {cls for it in names() if inspect.isclass(cls := it.value) and cls is not name.value}
    inherited = {it for cls in name.value.__mro__[1:] if cls in above for it in vars(cls)}
    for it, member in vars(name.value).items():
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        shown = inspect.isfunction(plain) or isinstance(plain, property | cached_property)
        if shown and not it.startswith("_") and it not in inherited and inspect.getdoc(_function(plain)):
            yield it, plain


def _function(member: Any) -> Any:
    """What has the docstring: of a property the function behind it."""
    return member.fget if isinstance(member, property) else getattr(member, "func", member)


def _text_of_constant(name: Name) -> str:
    """The string below its assignment, as editors read it; in the module that made it, whatever it is called there."""
    module, called = name.module, name.anchor
    while True:
        tree = ast.parse(inspect.getsource(module))
        for one, after in itertools.pairwise(tree.body):
            made = (
                one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else []
            )
            if any(isinstance(it, ast.Name) and it.id == called for it in made) and isinstance(after, ast.Expr):
                return inspect.cleandoc(ast.literal_eval(after.value))
        imports = ((node, it) for node in tree.body if isinstance(node, ast.ImportFrom) for it in node.names)
        found = next(((node, it.name) for node, it in imports if called in (it.asname, it.name)), None)
        if found is None:
            return ""
        node, called = found
        module = importlib.import_module("." * node.level + (node.module or ""), _package(module))


def _package(module: ModuleType) -> str:
    return module.__name__ if hasattr(module, "__path__") else module.__name__.rpartition(".")[0]


class _Doc:
    """Docstrings in NumPy's style as HTML; names in roles become links where this reference has them."""

    def __init__(self, markdown_for: Callable[[], Markdown], page: str, own: dict[str, str]) -> None:
        self._markdown_for, self._page, self._own = markdown_for, page, own

    def __call__(self, text: str) -> str:
        intro, *rest = _SECTION.split(text)
        parts = [self.prose(intro)]
        for title, content in zip(rest[::2], rest[1::2], strict=True):
            parts.append(f"<h4>{escape(title)}</h4>")
            if title == "Examples":
                parts.append(self._examples(content))
            elif title in ("Parameters", "Attributes", "Raises"):
                parts.append(self._terms(content))
            else:
                parts.append(self.prose(content))
        return "\n".join(parts)

    def line(self, text: str) -> str:
        """The first sentence or paragraph, without a paragraph's tags."""
        first = _SECTION.split(text)[0].strip().split("\n\n")[0]
        return re.sub(r"</?p>", "", self.prose(first)).strip()

    def prose(self, text: str) -> str:
        text = re.sub(r"::\n", ":\n", text)  # an indented block is code in Markdown as well
        return self._markdown_for()(_ROLE.sub(self._linked, text))

    def _linked(self, role: re.Match[str]) -> str:
        path = role[1]
        last = path.rpartition(".")[2]
        if last in self._own and ("." not in path or path.partition(".")[0] == self._own[last].partition(".")[0]):
            return f"[`{last}`](#{self._own[last]})"
        for name in sorted(names(), key=lambda it: it.page != self._page):
            if name.anchor == last and name.kind != "module":
                return f"[`{last}`]({name.page.rpartition('/')[2]}#{last})"
        return f"`{path}`"

    def _examples(self, text: str) -> str:
        """Sessions and the words between them."""
        parts = []
        for block in re.split(r"\n\s*\n", inspect.cleandoc(text).strip()):
            parts.append(code(block, "pycon") if block.lstrip().startswith(">>>") else self.prose(block))
        return "\n".join(parts)

    def _terms(self, text: str) -> str:
        made = []
        for term, said in _ENTRY.findall(text.strip() + "\n"):
            made.append(f"<dt><code>{escape(term)}</code></dt><dd>{self.prose(inspect.cleandoc(said))}</dd>")
        return f"<dl>{''.join(made)}</dl>"
