"""A real shop: django-oscar with products of our own, on loopback. `python -m tests.shops.oscar --port 8080` starts it by itself."""
