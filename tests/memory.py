"""How much memory a process has needed at most.

Not `ru_maxrss`: Linux hands a new process the figure of the one that started it, and a run of all tests needs more than what it starts.
"""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

STEP = 0.1  # seconds between two looks at a process


def peak(process: int | str = "self") -> int:
    """Bytes; 0 where the process is over."""
    try:
        found = re.search(r"^VmHWM:\s*(\d+) kB", Path(f"/proc/{process}/status").read_text(), re.MULTILINE)
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(found[1]) * 1024 if found else 0


def peak_until_end(process: subprocess.Popen[bytes], seconds: float) -> int:
    """Bytes at most, as long as the process runs, and no longer than so many seconds."""
    deadline, most = time.monotonic() + seconds, 0
    while process.poll() is None and time.monotonic() < deadline:
        most = max(most, peak(process.pid))
        time.sleep(STEP)
    return most
