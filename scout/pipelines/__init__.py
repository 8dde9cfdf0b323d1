"""Item pipelines: a page goes in, the offer on it comes out and is stored. Their order is ITEM_PIPELINES in scout/settings.py."""
