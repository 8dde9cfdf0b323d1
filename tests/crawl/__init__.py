"""Crawls from end to end, each in a process of its own, against servers on loopback."""
