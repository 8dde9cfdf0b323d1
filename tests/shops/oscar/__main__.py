"""Start the shop: built once into var/ (and again when its sources change), then served by waitress until it is told to stop."""

import argparse
import fcntl
import hashlib
import logging
import os
import shutil
import signal
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
KEPT = HERE.parents[2] / "var" / "oscar"
THREADS = 4


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.shops.oscar", description=__doc__)
    parser.add_argument("--port", type=int, default=8080, help="0 takes a free one")
    parser.add_argument("--build-only", action="store_true", help="prepare the shop, do not serve it")
    options = parser.parse_args()
    data = prepared()
    print(f"database {data / 'shop.sqlite3'}", flush=True)
    if not options.build_only:
        serve(options.port)


def prepared() -> Path:
    """The shop's data directory, built if need be; two starts at once build it once."""
    KEPT.parent.mkdir(exist_ok=True)
    with KEPT.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        digest = sources_digest()
        fresh = (KEPT / "built").exists() and (KEPT / "built").read_text() == digest
        if not fresh:
            shutil.rmtree(KEPT, ignore_errors=True)
            KEPT.mkdir()
        set_up_django(KEPT)
        if not fresh:
            from tests.shops.oscar.build import build

            print("Building the shop ...", file=sys.stderr, flush=True)
            build()
            (KEPT / "built").write_text(digest)
    return KEPT


def sources_digest() -> str:
    sources = (path for path in HERE.rglob("*") if path.suffix in {".py", ".csv"})
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(sources))).hexdigest()


def set_up_django(data: Path) -> None:
    os.environ["OSCAR_SHOP_DATA"] = str(data)
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.shops.oscar.settings"
    import django

    django.setup()


def serve(port: int) -> None:
    from django.core.wsgi import get_wsgi_application
    from waitress import create_server

    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a crawler in a hurry is not worth a line a request
    warnings.filterwarnings(
        "ignore", "Whoosh does not handle query faceting"
    )  # nor is what Oscar's list asks of every backend
    server = create_server(get_wsgi_application(), host="127.0.0.1", port=port, threads=THREADS)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    print(f"serving http://127.0.0.1:{server.effective_port}/", flush=True)
    server.run()


if __name__ == "__main__":
    main()
