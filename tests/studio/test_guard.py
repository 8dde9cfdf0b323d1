"""Who may ask the studio: a browser that opened the secret address, and no other site."""

from __future__ import annotations

import http.client
from urllib.parse import urlencode, urlsplit

import pytest

from tests.studio.running import RunningStudio

FORM = "application/x-www-form-urlencoded"


def ask(studio: RunningStudio, path: str, method: str = "GET", form: dict[str, str] | None = None, **headers: str):
    port = studio.workshop.keys.port
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    given = {"Host": f"127.0.0.1:{port}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    body = urlencode(form) if form is not None else None
    connection.request(method, path, body, given | ({"Content-Type": FORM} if body is not None else {}))
    answer = connection.getresponse()
    answer.text = answer.read().decode()  # type: ignore[attr-defined]
    connection.close()
    return answer


def session(studio: RunningStudio) -> str:
    keys = studio.workshop.keys
    return f"{keys.cookie}={keys.session}"


def test_without_the_secret_address_nothing_is_shown(studio: RunningStudio) -> None:
    answer = ask(studio, "/")
    assert answer.status == 403
    assert "scout studio" in answer.text


def test_the_secret_moves_from_the_address_into_a_cookie_that_other_sites_cannot_send(studio: RunningStudio) -> None:
    first = urlsplit(studio.workshop.keys.first_address)
    answer = ask(studio, f"{first.path}?{first.query}&q=1")
    assert (answer.status, answer.headers["Location"]) == (303, "/?q=1")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert studio.workshop.keys.token not in cookie
    assert ask(studio, "/", Cookie=cookie.partition(";")[0]).status == 200


def test_a_wrong_secret_lets_nobody_in(studio: RunningStudio) -> None:
    assert ask(studio, "/?token=guess").status == 403
    assert ask(studio, "/", Cookie=f"{studio.workshop.keys.cookie}=guess").status == 403


def test_the_first_address_never_leads_to_another_host(studio: RunningStudio) -> None:
    answer = ask(studio, f"//elsewhere.example/?token={studio.workshop.keys.token}")
    assert answer.headers["Location"].startswith("/") and not answer.headers["Location"].startswith("//")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1.evil.example", ""])
def test_a_name_that_leads_to_this_machine_is_refused(studio: RunningStudio, host: str) -> None:
    assert ask(studio, "/", Host=host, Cookie=session(studio)).status == 421


def test_a_form_of_another_site_changes_nothing(studio: RunningStudio) -> None:
    form = {"url": "https://new.example/", "csrf": studio.workshop.keys.form}
    answer = ask(studio, "/shops/add", "POST", form, Cookie=session(studio), Origin="https://evil.example")
    assert answer.status == 403
    without = ask(studio, "/shops/add", "POST", form, Cookie=session(studio))
    assert without.status == 403
    assert studio.store.shops() == []


def test_no_answer_lets_a_script_run_that_is_not_the_studios_own(studio: RunningStudio) -> None:
    for path in ("/", "/offers", "/static/studio.js", "/nowhere"):
        policy = ask(studio, path, Cookie=session(studio)).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy


def test_static_files_are_those_of_the_studio_alone(studio: RunningStudio) -> None:
    assert ask(studio, "/static/studio.css", Cookie=session(studio)).headers["Content-Type"].startswith("text/css")
    for name in ("..%2fguard.py", "%2e%2e", "nothing.css", ".."):
        assert ask(studio, f"/static/{name}", Cookie=session(studio)).status == 404


def test_it_listens_on_this_machine_alone(studio: RunningStudio) -> None:
    from scout.studio.serving import loopback_socket

    with loopback_socket(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"
