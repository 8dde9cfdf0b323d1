"""A shop's own catalogue, read as data: from the software that it runs on, and only as far as its pages agree.

platforms.py   where a shop may give its catalogue, as one of its pages tells, and who reads it (scout/data/shop_catalogues.yaml)
model.py       what is asked and what is said: requests, products with variants, stated total, what comes next
shopify.py, woocommerce.py, magento.py, shopware.py, feeds.py, ucp.py  one reader each
reading.py     CatalogueReading: all answers of one catalogue together, bounded
comparison.py  which products' pages to compare with it, field by field, and what follows
"""
