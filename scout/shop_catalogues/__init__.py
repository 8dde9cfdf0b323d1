"""A shop's own catalogue, read as data: from the software that it runs on, and only as far as its pages agree.

platforms.py   which software a page tells, where its catalogue begins, and who reads it (scout/data/shop_catalogues.yaml)
model.py       a product with its variants, and one answer of a catalogue: products, stated total, what comes next
shopify.py, woocommerce.py  one reader each
reading.py     CatalogueReading: all answers of one catalogue together, bounded
comparison.py  which products' pages to compare with it, field by field, and what follows
"""
