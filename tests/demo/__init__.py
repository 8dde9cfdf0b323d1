"""The main job from end to end, on a real shop on loopback: `make demo`."""
