"""Build the shop's database, pictures and search index from products.csv. Needs Django to be set up."""

import csv
from collections.abc import Iterable
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from zlib import crc32

from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import transaction
from django.utils.text import slugify
from oscar.apps.catalogue.categories import create_from_breadcrumbs
from oscar.core.loading import get_model
from PIL import Image, ImageDraw

PRODUCTS = Path(__file__).with_name("products.csv")
LISTED = "Listed at the price comparison"  # a range, in Oscar's words: the shop's own knowledge of what it has listed
SIDE = 480  # pixels: large enough for the product page, quick to make

Product = get_model("catalogue", "Product")
ProductClass = get_model("catalogue", "ProductClass")
ProductImage = get_model("catalogue", "ProductImage")
ProductAttributeValue = get_model("catalogue", "ProductAttributeValue")
Partner = get_model("partner", "Partner")
StockRecord = get_model("partner", "StockRecord")
Range = get_model("offer", "Range")

Row = dict[str, str]


def build() -> None:
    """Fill the empty directory that the settings point to."""
    call_command("migrate", run_syncdb=True, verbosity=0)
    with PRODUCTS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with transaction.atomic():
        load(rows)
    call_command("rebuild_index", interactive=False, verbosity=0)


def load(rows: Iterable[Row]) -> None:
    partner = Partner.objects.create(name="Fernhill warehouse")
    listed = Range.objects.create(name=LISTED, is_public=False)
    for row in rows:
        product = create_product(row)
        StockRecord.objects.create(
            product=product,
            partner=partner,
            partner_sku=row["sku"],
            price_currency="EUR",
            price=Decimal(row["price"]),
            num_in_stock=int(row["stock"]),
        )
        add_pictures(product, row)
        if row["listed"] == "yes":
            listed.add_product(product)


def create_product(row: Row) -> Product:
    category = create_from_breadcrumbs(row["category"])
    kind, _ = ProductClass.objects.get_or_create(name=category.name)
    product = Product.objects.create(
        product_class=kind, title=row["title"], upc=row["ean"], description=row["description"]
    )
    product.categories.add(category)
    for name, value in attributes(row):
        attribute, _ = kind.attributes.get_or_create(code=slugify(name).replace("-", "_"), defaults={"name": name})
        ProductAttributeValue.objects.create(product=product, attribute=attribute, value_text=value)
    return product


def attributes(row: Row) -> list[tuple[str, str]]:
    specs = [tuple(part.split(": ", 1)) for part in row["specs"].split("; ")]
    return [("Brand", row["brand"]), ("Manufacturer number", row["han"]), *specs]


def add_pictures(product: Product, row: Row) -> None:
    """One picture, and for every third product a second one: galleries of both kinds."""
    for order in range(1 + (product.pk % 3 == 0)):
        name = f"{row['sku'].lower()}-{order + 1}.jpg"
        ProductImage.objects.create(
            product=product, display_order=order, original=ContentFile(picture(row, order), name=name)
        )


def picture(row: Row, order: int) -> bytes:
    """A small picture that differs from product to product: a coloured card with the brand on it."""
    seed = crc32(f"{row['sku']}/{order}".encode())
    red, green, blue = seed & 0x7F, seed >> 8 & 0x7F, seed >> 16 & 0x7F
    image = Image.new("RGB", (SIDE, SIDE), (red + 128, green + 128, blue + 128))
    draw = ImageDraw.Draw(image)
    margin = 60 + seed % 80
    draw.ellipse((margin, margin, SIDE - margin, SIDE - margin), fill=(red, green, blue))
    draw.text((24, 24), f"{row['brand']}\n{row['sku']}", fill=(20, 20, 20), font_size=28)
    out = BytesIO()
    image.save(out, "JPEG", quality=70)
    return out.getvalue()
