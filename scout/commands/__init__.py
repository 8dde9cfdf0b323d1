"""Scout's commands, one per module: COMMANDS_MODULE brings them into a Scrapy project, `scout` runs them anywhere.

Scrapy imports all of them at every start, so they import what their work needs when they do it.
"""
