"""Rules that outlive a redesign: notice it, learn the new places from yesterday's offers, prove them, or abstain."""

from scout.healing.heal import Healing, heal

__all__ = ["Healing", "heal"]
