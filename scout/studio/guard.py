"""Who may ask the studio, and what a browser may do with its answers.

It listens on loopback alone, but so does every page of the web that a browser on this machine has open. Therefore: the Host must be this
address (a name that a stranger's DNS points here is refused), the browser must have opened the secret address once (the secret moves
into a cookie that other sites cannot send), a form must carry a token that other sites cannot know, and no answer lets a script run that is
not the studio's own file.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOSTS = ("127.0.0.1", "localhost", "[::1]")
TOKEN = "token"  # the name of the secret in the first address
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-DNS-Prefetch-Control": "off",
    "Cache-Control": "no-store",
}
NOT_INVITED = "This is Scout's studio. Open the address that `scout studio` printed when it started: it holds the key to this page.\n"


@dataclass(frozen=True)
class StudioKeys:
    """The secrets of one run of the studio, and the port that it listens on."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    session: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    form: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def cookie(self) -> str:
        """The name of the cookie: cookies do not tell ports apart, so that two studios would log each other out."""
        return f"scout_studio_{self.port}"

    @property
    def first_address(self) -> str:
        """The address that lets a browser in."""
        return f"http://127.0.0.1:{self.port}/?{urlencode({TOKEN: self.token})}"

    def has_host(self, headers: Headers) -> bool:
        """Whether the request names this address, and not a name that leads to it."""
        return headers.get("host", "") in {f"{host}:{self.port}" for host in HOSTS}

    def has_session(self, headers: Headers) -> bool:
        """Whether the browser has opened the first address before."""
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(self.cookie)
        return found is not None and hmac.compare_digest(found.value.encode(), self.session.encode())

    def has_own_origin(self, headers: Headers) -> bool:
        """Whether a page of the studio itself sends this form: browsers name the origin of every POST."""
        origin = headers.get("origin")
        return origin is not None and urlsplit(origin).netloc == headers.get("host")

    def is_own_form(self, form: Mapping[str, str]) -> bool:
        """Whether the form carries the token of this run."""
        return hmac.compare_digest(form.get("csrf", "").encode(), self.form.encode())


class StudioGuard:
    """ASGI middleware: refuses whoever may not ask, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, keys: StudioKeys) -> None:
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            answer = self._refusal(scope) or self._app
            await answer(scope, receive, _with_headers(send))
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that the application must not see; None where it may."""
        headers = Headers(scope=scope)
        if not self._keys.has_host(headers):
            return PlainTextResponse("There is no such host here.\n", status_code=421)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Only GET and POST are understood.\n", status_code=405)
        query = dict(parse_qsl(scope["query_string"].decode("ascii", "replace")))
        if TOKEN in query and hmac.compare_digest(query[TOKEN].encode(), self._keys.token.encode()):
            return self._let_in(scope["path"], query)
        if not self._keys.has_session(headers):
            return PlainTextResponse(NOT_INVITED, status_code=403)
        if scope["method"] == "POST" and not self._keys.has_own_origin(headers):
            return PlainTextResponse("This form was sent by another site.\n", status_code=403)
        return None

    def _let_in(self, path: str, query: Mapping[str, str]) -> Response:
        """The same address without the secret, which moves into a cookie."""
        rest = urlencode({name: value for name, value in query.items() if name != TOKEN})
        path = "/" + path.lstrip("/\\")  # "//elsewhere" is another host's address
        answer = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
        answer.set_cookie(self._keys.cookie, self._keys.session, httponly=True, samesite="strict", path="/")
        return answer


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
