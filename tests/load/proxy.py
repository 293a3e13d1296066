"""A real nginx on loopback with the configuration that ships in deploy/, before real replicas."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.browser.conftest import ROOT

CONFIGURATION = ROOT / "deploy" / "nginx.conf"


def nginx() -> str | None:
    """An nginx program; Debian's package is fetched where it is missing and we may."""
    found = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"stdout": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
        subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)  # type: ignore[call-overload]
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "nginx-light"], check=False, **quiet
        )  # type: ignore[call-overload]
        found = shutil.which("/usr/sbin/nginx")
    return found


def configured(replicas: Sequence[str], port: int, folder: Path) -> str:
    """The shipped configuration with these replicas, this port and this folder put in, and nothing else changed."""
    text = CONFIGURATION.read_text()
    (line,) = [line for line in text.splitlines() if line.strip().startswith("server app:8501")]
    servers = [line.replace("app:8501", replica.removeprefix("http://")) for replica in replicas]
    for old, new in (
        (line, "\n".join(servers)),
        ("listen 8080;", f"listen 127.0.0.1:{port};"),
        ("/tmp/stdial-nginx", f"{folder}/nginx"),
    ):
        assert old in text, f"deploy/nginx.conf holds no {old!r}"
        text = text.replace(old, new)
    return text


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def proxied(replicas: Sequence[str]) -> Iterator[str]:
    """Runs nginx before the replicas; its address."""
    program = nginx()
    if program is None:
        raise RuntimeError("no nginx here; install Debian's package nginx-light")
    with tempfile.TemporaryDirectory(prefix="stdial-nginx-") as name:
        folder, port = Path(name), free_port()
        folder.chmod(0o755)
        (folder / "nginx.conf").write_text(configured(replicas, port, folder))
        log = (folder / "log").open("w")
        command = [program, "-e", "stderr", "-p", name, "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]
        process = subprocess.Popen(command, stderr=log, stdout=log)
        address = f"http://127.0.0.1:{port}"
        try:
            for _ in range(250):
                with contextlib.suppress(OSError):
                    if urllib.request.urlopen(f"{address}/healthz", timeout=5).read() == b"ok":
                        break
                if process.poll() is not None:
                    raise RuntimeError((folder / "log").read_text())
                time.sleep(0.02)
            yield address
        finally:
            process.terminate()
            process.wait(20)
            log.close()


def head(url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of an answer."""
    request = urllib.request.Request(url, headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status), {k.lower(): v for k, v in answer.headers.items()}, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, {k.lower(): v for k, v in error.headers.items()}, b""
