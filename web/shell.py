"""The frame of every page as HTML; the scripts fill it with data, as text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Template
from starlette.responses import HTMLResponse

from fiedler.support.templates import templates
from fiedler.web.settings import SiteSettings

PAGE, FAILURE, LOGIN = map(templates(Path(__file__).parent).get_template, ("page.html", "failure.html", "login.html"))


def page(
    settings: SiteSettings,
    title: str,
    script: str = "",
    *,
    template: Template = PAGE,
    data: Mapping[str, str] | None = None,
    status: int = 200,
    **values: str,
) -> HTMLResponse:
    """Return a page.

    `script` is a module of static/, which gets `data` as attributes of the body, beside `data-base`. `template` fills
    the frame, with the `values`.
    """
    known = {"base": settings.base, **(data or {}), **({"public": "true"} if settings.public else {})}
    text = template.render(
        title=title, base=settings.base, may_play=not settings.public, script=script, data=known, **values
    )
    return HTMLResponse(text, status, headers={"Cache-Control": "no-store"})


def failure(settings: SiteSettings, status: int, text: str) -> HTMLResponse:
    """Return the page of an error, in one sentence."""
    return page(settings, text, template=FAILURE, status=status)
