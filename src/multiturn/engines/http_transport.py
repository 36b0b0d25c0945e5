"""One request over HTTP and what can go wrong with it, in typed errors. Only this file knows aiohttp and stamina.

No error text and no chain of causes holds a URL, a header or a server's words as they came: causes are dropped, and
what a server said goes through the redactor first.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlsplit

import aiohttp
import msgspec
import stamina
import stamina.instrumentation
import yarl

from multiturn.engines.http_errors import REDIRECTS, Fault, Redactor, sense, sizes
from multiturn.engines.http_pace import retry_after
from multiturn.errors import ContextOverflow, EngineSetupError, FailureKind, ReplyFailed

MOST_BYTES: Final = 64 * 2**20
"""Of one body; nothing that is read here is near it."""
FIRST_WAIT: Final = 0.5
JITTER: Final = 0.5
"""Seconds between two tries where the server names none: 0.5, 1, 2 ... plus up to half a second of chance."""
CONNECT_TIMEOUT: Final = 30.0
"""Seconds at most until a connection is there; never more than half of what a reply may take."""
KEPT_OPEN: Final = 4.0
"""Seconds that an idle connection is kept: less than the 5 after which common servers close theirs."""
T = TypeVar("T")


class TryFailed(ReplyFailed):
    """One try failed. ``wait`` is what the server asks for, in seconds; ``refused``: nobody listens there."""

    def __init__(
        self, kind: FailureKind, message: str, *, retryable: bool, wait: float | None = None, refused: bool = False
    ) -> None:
        super().__init__(kind, message, retryable=retryable)
        self.wait = wait
        self.refused = refused


class Heard(msgspec.Struct, frozen=True):
    """What came back; ``seconds`` from sending to the last byte."""

    status: int
    headers: Mapping[str, str]
    data: bytes
    seconds: float

    @property
    def is_page(self) -> bool:
        """Whether it is a page for people."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower() == "text/html"


class Transport:
    """Connections to any number of servers, on the event loop that asks first; ``timeout`` in seconds, a request."""

    def __init__(self, timeout: float, redact: Redactor, environment: Mapping[str, str]) -> None:
        self._timeout = timeout
        self._connect_timeout = min(timeout / 2, CONNECT_TIMEOUT)
        self._redact = redact
        self._proxies = _proxies(environment)
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._urls: dict[str, yarl.URL] = {}

    async def ask(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> Heard:
        """Send a request and read all that comes back.

        Raises:
            TryFailed: nothing came back, or not all of it.
            EngineSetupError: the environment names a proxy that is none.
        """
        host, proxy = urlsplit(url).netloc, self._proxies(url)
        session = await self._opened()
        started = time.perf_counter()
        try:
            async with session.request(
                method,
                self._parsed(url),
                data=body,
                headers=headers,
                allow_redirects=False,
                proxy=proxy.url if proxy else None,
            ) as back:
                data = await _whole(back)
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise self._translated(error, host, proxy) from None  # the cause may hold the URL with its query
        return Heard(back.status, back.headers, data, time.perf_counter() - started)

    async def close(self) -> None:
        """End all connections, on the loop they were opened on. May be called twice."""
        session, loop = self._session, self._loop
        self._session = self._loop = None
        if session is None or loop is None or session.closed:
            return
        if loop is asyncio.get_running_loop():
            await session.close()
        elif loop.is_running():
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(session.close(), loop))
        else:
            await _abandon(session)

    async def _opened(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None or self._loop is not loop:
            await self.close()
            self._loop = loop
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEPT_OPEN),
                timeout=aiohttp.ClientTimeout(total=self._timeout, sock_connect=self._connect_timeout),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    def _parsed(self, url: str) -> yarl.URL:
        parsed = self._urls.get(url)
        if parsed is None:
            parsed = self._urls[url] = yarl.URL(url, encoded=True)
        return parsed

    def _translated(self, error: Exception, host: str, proxy: _Proxy | None) -> TryFailed:
        """What happened, in words of ours; of the cause's only the operating system's."""
        kind, told, again = "connection", f"the connection to {host} broke off", True
        dropped = isinstance(error, aiohttp.ConnectionTimeoutError)
        if dropped:
            told = f"{host} takes no connection: none within {self._connect_timeout:g} s"
        elif isinstance(error, TimeoutError):
            kind, told = "timeout", f"{host} gave no reply within {self._timeout:g} s"
        elif isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
            told, again = f"no safe connection to {host}: {self._redact(str(_cause(error)), 120)}", False
        elif isinstance(error, aiohttp.ClientConnectorDNSError):
            told = f"the name {urlsplit(f'//{host}').hostname} is not known"
        elif isinstance(error, aiohttp.ClientProxyConnectionError):
            told = f"the proxy on the way to {host} ({proxy.variable if proxy else 'none'}) can't be reached"
        elif isinstance(error, aiohttp.ClientConnectorError):
            told = f"{host} can't be reached: {os.strerror(error.errno).lower() if error.errno else 'no connection'}"
        elif isinstance(error, aiohttp.ClientResponseError):
            kind, told = "protocol", f"{host} does not speak HTTP"
        elif isinstance(error, aiohttp.InvalidURL):
            kind, told, again = "bad_request", f"the URL at {host} can't be asked", False
        refused = dropped or (isinstance(error, aiohttp.ClientConnectorError) and not isinstance(error, TimeoutError))
        return TryFailed(kind, told, retryable=again, refused=refused)  # type: ignore[arg-type]

    def refusal(self, heard: Heard, fault: Fault, host: str) -> ReplyFailed | ContextOverflow | None:
        """The error that a server's refusal is; None where a filter took the reply, which is the model's own doing."""
        meant = sense(fault)
        words = self._redact(fault.message)
        told = f"{host} said {fault.status}" + (f": {words}" if words else "")
        if meant.kind == "filtered":
            return None
        if meant.kind == "overflow":
            needed, window = sizes(fault)
            return ContextOverflow(told, needed=needed, window=window)
        if fault.status in REDIRECTS:
            to = urlsplit(heard.headers.get("Location", "")).hostname or "another page of its own"
            told = f"{host} sends on to {self._redact(to, 80)} ({fault.status}): give the final URL in the spec"
        wait = retry_after(heard.headers, dt.datetime.now(dt.UTC)) if meant.retryable else None
        return TryFailed(meant.kind, told, retryable=meant.retryable, wait=wait)


async def tried_again(work: Callable[[], Awaitable[T]], failed: TryFailed, *, retries: int, longest_wait: float) -> T:
    """Do it again after a failed first try, as long as the failure may pass.

    Between two tries it waits as long as the server asks for, or a growing time by itself, at most ``longest_wait``
    seconds.

    Raises:
        TryFailed: that of the last try, or one that no waiting cures.
    """

    def worth_it(error: Exception) -> bool | float:
        if not isinstance(error, TryFailed) or not error.retryable:
            return False
        return True if error.wait is None else min(error.wait, longest_wait)

    async for attempt in stamina.retry_context(
        on=worth_it,
        attempts=retries + 1,
        timeout=None,
        wait_initial=FIRST_WAIT,
        wait_max=longest_wait,
        wait_jitter=JITTER,
    ):
        with attempt:
            if attempt.num == 1:
                raise failed  # the first try was made without stamina, so that good replies do not pay for it
            return await work()
    raise failed


async def _whole(back: aiohttp.ClientResponse) -> bytes:
    length = back.content_length
    if length is not None and length <= MOST_BYTES and "Content-Encoding" not in back.headers:
        return await back.read()
    pieces, size = [], 0
    async for piece in back.content.iter_any():
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            raise aiohttp.ClientPayloadError
    return b"".join(pieces)


async def _abandon(session: aiohttp.ClientSession) -> None:
    """Its loop is gone, and its sockets with it: there is nothing left to wait for."""
    connector = session.connector
    session.detach()
    if connector is not None:
        await connector.close()


def _cause(error: Exception) -> object:
    return getattr(error, "certificate_error", None) or getattr(error, "os_error", None) or type(error).__name__


class _Proxy(NamedTuple):
    """A proxy and the variable that names it."""

    variable: str
    url: str

    def __repr__(self) -> str:
        return f"_Proxy({self.variable!r})"


def _proxies(environment: Mapping[str, str]) -> Callable[[str], _Proxy | None]:
    """Which proxy the environment names for a URL; none for this machine itself."""
    named = {
        name.lower(): _Proxy(name, value.strip())
        for name, value in environment.items()
        if name.lower().endswith("_proxy") and value.strip()
    }
    excepted = named["no_proxy"].url if "no_proxy" in named else ""
    found: dict[str, _Proxy | None] = {}

    def proxy_of(url: str) -> _Proxy | None:
        parts = urlsplit(url)
        proxy = named.get(f"{parts.scheme}_proxy") or named.get("all_proxy")
        host = parts.hostname or ""
        if proxy is None or _is_here(host) or _is_near(host, excepted):
            return None
        _require_proxy(proxy)
        return proxy

    def remembered(url: str) -> _Proxy | None:
        if url not in found:
            found[url] = proxy_of(url)
        return found[url]

    return remembered if named else lambda _url: None


def _require_proxy(proxy: _Proxy) -> None:
    try:
        parts = urlsplit(proxy.url)
        is_one = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise EngineSetupError(
            f"{proxy.variable} is no URL of a proxy", hint=f"export {proxy.variable}=http://HOST:PORT, or unset it"
        )


def _is_near(host: str, no_proxy: str) -> bool:
    """Whether a list of hosts and domains, with commas between, names this host."""
    names = [name.strip().lstrip(".").lower() for name in no_proxy.split(",")]
    return "*" in names or any(name and (host == name or host.endswith(f".{name}")) for name in names)


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _without_ours(hook: Any) -> Any:  # noqa: ANN401 - stamina's own type is a union of protocols
    def told(details: stamina.instrumentation.RetryDetails) -> Any:  # noqa: ANN401 - as above
        return None if isinstance(details.caused_by, TryFailed) else hook(details)

    return told


# stamina writes every retry to the log: ours are told where they matter, in the turn's failure. Others' still are.
stamina.instrumentation.set_on_retry_hooks(
    [_without_ours(hook) for hook in stamina.instrumentation.get_on_retry_hooks()]
)
