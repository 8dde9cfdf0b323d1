"""What no honest page is: compressed and cut off, or built so that a parser chokes on it.

Most of it is told cheaply, before anything is parsed (`markup`, `packed`). What is merely large is first read by a process that can
be killed (`trial`).
"""

from scout.limits.markup import is_cut_by_parser, limit_broken
from scout.limits.packed import is_cut_off

__all__ = ["is_cut_by_parser", "is_cut_off", "limit_broken"]
