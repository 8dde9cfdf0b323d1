"""Download handlers: how a request becomes a response."""
