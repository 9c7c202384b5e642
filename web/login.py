"""The page that takes a token, and leaves it in a cookie."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from fiedler.support.guesses import Guesses
from fiedler.support.tokens import MAX_TOKEN
from fiedler.web.guard import cookie_name, cookie_of, miss
from fiedler.web.settings import SiteSettings
from fiedler.web.shell import LOGIN, page

MOST_BYTES = 4 * MAX_TOKEN + 64
"""Most bytes of the form."""
A_MONTH_S = 30 * 24 * 3600


def routes(settings: SiteSettings, guesses: Guesses) -> list[BaseRoute]:
    """Return the routes of the page."""

    def form(wrong: str = "", status: int = 200) -> Response:
        return page(settings, "Token", template=LOGIN, wrong=wrong, status=status)

    async def show(request: Request) -> Response:  # noqa: ARG001
        return form()

    async def log_in(request: Request) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return form("This is not a token.", 413)
        token = parse_qs(body.decode(errors="replace")).get("token", [""])[0].strip()
        if settings.tokens is not None and not settings.tokens.admit(token):
            await miss(guesses, request.scope)
            return form("This is not the token.", 401)
        answer = RedirectResponse(f"{settings.base}/", 303)
        secure = request.url.scheme == "https"
        path = settings.base or "/"
        name, value = cookie_name(request.scope), cookie_of(token)
        answer.set_cookie(name, value, A_MONTH_S, path=path, secure=secure, httponly=True, samesite="lax")
        return answer

    return [Route("/login", show), Route("/login", log_in, methods=["POST"])]
