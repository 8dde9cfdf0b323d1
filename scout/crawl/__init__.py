"""What the Scrapy glue shares: why a page failed, which pages a parser must not see, and the engine's internals."""
