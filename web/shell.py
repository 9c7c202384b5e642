"""The frame of every page as HTML; the scripts fill it with data, as text."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from starlette.responses import HTMLResponse

from web.settings import SiteSettings

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="{base}/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="{base}/static/style.css">
<link rel="stylesheet" href="{base}/static/board.css">
{script}</head>
<body{data}>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><nav aria-label="Pages"><a class="home" href="{base}/">Fiedler</a>{play}</nav></header>
<main id="main">
{body}
</main>
</body>
</html>
"""


def page(
    settings: SiteSettings,
    title: str,
    script: str = "",
    *,
    body: str = "",
    data: Mapping[str, str] | None = None,
    status: int = 200,
) -> HTMLResponse:
    """Return a page.

    `script` is a module of static/, which gets `data` as attributes of the body, beside `data-base`. `body` is HTML.
    """
    known = {"base": settings.base, **(data or {}), **({"public": "true"} if settings.public else {})}
    text = _PAGE.format(
        title=escape(title),
        base=escape(settings.base),
        play="" if settings.public else f'\n<a href="{escape(settings.base)}/play">Play</a>',
        script=f'<script type="module" src="{escape(settings.base)}/static/{script}"></script>\n' if script else "",
        data="".join(f' data-{name}="{escape(value)}"' for name, value in known.items()),
        body=body,
    )
    return HTMLResponse(text, status, headers={"Cache-Control": "no-store"})


def failure(settings: SiteSettings, status: int, text: str) -> HTMLResponse:
    """Return the page of an error, in one sentence."""
    return page(settings, text, body=f"<h1>{escape(text)}</h1>", status=status)
