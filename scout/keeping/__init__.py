"""Pages kept in the database, so that what was fetched once need not be fetched again.

keep.py       stores the pages that no offer stores: lists, and products that wait for the shop's rules
unchanged.py  asks for stored pages only if they have changed, and answers from the store where they have not
"""
