"""How a running cds is asked, and what is raised when it does not answer."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any, TypedDict
from urllib.parse import quote, urlsplit

from .api import Operations, Project, Task

# Twice what the service gives itself for an answer, so that its own word about that comes first.
TIMEOUT = 60.0

# The service says something every 15 seconds to whoever follows. After three times that it is gone.
SILENCE = 45.0

# Indexing takes as long as it takes.
PATIENT = ("/api/v1/refresh",)


class Health(TypedDict):
    """Whether the service lives."""

    status: str
    version: str


class Ready(TypedDict):
    """Whether every project can be asked."""

    ready: bool
    projects: list[Project]


class CdsError(Exception):
    """Why cds did not answer.

    `code` is the word of cds for it, such as `invalid_parameter`, `not_found` or `busy`; `status` is the HTTP status; `data` names a
    parameter at fault. Where there was no answer, `status` is 0 and `code` is `connection` or `timeout`. Where something answered
    that is not cds, `code` is `bad_answer`.
    """

    def __init__(self, message: str, *, status: int, code: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.data = data


class _Stay(urllib.request.HTTPRedirectHandler):
    """A service that sends us elsewhere is not cds, and elsewhere must not see the token."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Cds(Operations):
    """Asks the service at `url`, with what it has in `CDS_TOKEN` as `token`.

    Every method raises a `CdsError` where it is not answered. `timeout` is in seconds; none: as long as it takes.
    """

    def __init__(
        self, url: str = "http://127.0.0.1:9876", *, token: str | None = None, timeout: float | None = TIMEOUT
    ) -> None:
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
            raise ValueError(f"url: expected http://host:port, received {url!r}")
        self.url = url.rstrip("/")
        self.timeout = timeout
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        # Proxies of the environment are for the world outside.
        self._opener = urllib.request.build_opener(_Stay, urllib.request.ProxyHandler({}))

    def health(self) -> Health:
        """Whether the service lives."""
        return self._ask("GET", "/health")

    def ready(self) -> Ready:
        """Whether every project can be asked. Not yet is an answer too."""
        return self._ask("GET", "/ready", answers=(503,))

    def follow_task(self, id: str) -> Iterator[Task]:
        """A task, each time it changes, until it ends; one that was merged goes on as the one that does the work."""
        while True:
            task = None
            with self._sent("GET", f"/api/v1/tasks/{quote(id, safe='')}/events", timeout=SILENCE) as answer:
                try:
                    for data in _events(answer):
                        task = _read(data, answer.status, self.url)
                        yield task
                except (OSError, http.client.HTTPException) as error:
                    raise self._lost(error) from error
            if task is None or task["state"] in ("pending", "running"):
                raise CdsError(f"{self.url} stopped in the middle of a task", status=0, code="connection")
            if task["state"] != "merged":
                return
            id = task["merged_into"]

    def _ask(self, method: str, path: str, request: Any = None, answers: tuple[int, ...] = ()) -> Any:
        timeout = None if path in PATIENT else self.timeout
        with self._sent(method, path, request, timeout=timeout, answers=answers) as answer:
            try:
                text = answer.read()
            except (OSError, http.client.HTTPException) as error:
                raise self._lost(error) from error
            return _read(text, answer.status, self.url) if answer.status != 204 else None

    def _sent(self, method: str, path: str, request: Any = None, *, timeout: float | None, answers: tuple[int, ...] = ()) -> Any:
        """An answer whose body is still to be read."""
        body, headers = None, dict(self._headers)
        if request is not None:
            named = {name.removesuffix("_"): value for name, value in request.items()}
            body, headers["Content-Type"] = json.dumps(named).encode(), "application/json"
        asked = urllib.request.Request(self.url + path, data=body, headers=headers, method=method)
        try:
            return self._opener.open(asked, timeout=timeout)
        except urllib.error.HTTPError as refused:
            if refused.code in answers:
                return refused
            raise self._refused(refused) from None
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(error) from error

    def _refused(self, answer: urllib.error.HTTPError) -> CdsError:
        with answer:
            try:
                error = json.loads(answer.read())["error"]
                return CdsError(error["message"], status=answer.code, code=error["code"], data=error.get("data"))
            except (OSError, http.client.HTTPException, ValueError, TypeError, KeyError):
                return CdsError(f"{self.url} answered {answer.code}, not as cds does", status=answer.code, code="bad_answer")

    def _lost(self, error: Exception) -> CdsError:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            return CdsError(f"no answer from {self.url} in time", status=0, code="timeout")
        return CdsError(f"{self.url} cannot be asked: {reason}", status=0, code="connection")


def _read(text: bytes, status: int, url: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise CdsError(f"{url} answered {status}, not as cds does", status=status, code="bad_answer") from None


def _events(lines: Any) -> Iterator[bytes]:
    """The data of server-sent events."""
    data: list[bytes] = []
    for line in lines:
        line = line.rstrip(b"\r\n")
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []
