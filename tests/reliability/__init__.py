"""Crawls that are killed, shared and starved, and shops that mean harm: nothing is lost, nothing is doubled, everything ends."""
