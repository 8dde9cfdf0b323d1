"""The studio: a web application on this machine, over the database: see the page, click the value, trust the rule.

`application` names its addresses, `guard` decides who may ask, the modules called `*_views` answer. What can be decided without a web
server is decided in `scout.correction`.
"""
