"""Availability in thirty languages and in schema.org's words."""

from __future__ import annotations

import pytest

from scout.values import parse_availability

STATES = {
    "InStock": [
        "https://schema.org/InStock", "http://schema.org/LimitedAvailability", "schema:InStock", "in_stock", "InStock",
        "//schema.org/InStock", "schema.org/InStock", "https://schema.org/Instock", "http://schema.org#InStock", "http:/schema.org/InStock",
        "In stock", "Available in stock", "Only 3 left", "12 in stock", "Stock: 12", "Available", "Ships within 24 hours",
        "Auf Lager", "sofort lieferbar", "Nur noch 2 Stück", "Lagerbestand: 5", "En stock", "Disponible", "En existencia",
        "Disponibile", "Pronta consegna", "Em estoque", "Disponível", "Dostępny", "W magazynie", "В наличии", "Есть на складе",
        "有货", "现货", "库存: 5", "在庫あり", "残りわずか", "Disponible en 24/48 horas", "Disponibile in 3-5 giorni", "Auf Bestellung",
        "Dernières pièces en stock", "Últimas unidades", "Ultimi pezzi", "Ostatnie sztuki", "Produkt dostępny w małej ilości",
        "库存紧张", "仅剩3件",
        "お取り寄せ", "În stoc", "Stokta var", "Skladem", "Készleten", "Còn hàng", "متوفر", "Op voorraad", "Finns i lager", "В наявності",
        "Get it tomorrow", "Voor 23:00 besteld, morgen in huis", "K dispozici", "Elérhető", "Na lageru", "Stok adedi: 5", "Laos: 5",
    ],
    "OutOfStock": [
        "https://schema.org/OutOfStock", "http://schema.org/SoldOut", "https://schema.org/Discontinued", "out_of_stock",
        "Out of stock", "OUT-OF-STOCK", "Not in stock", "Sold out", "Currently unavailable", "0 in stock", "Stock: 0",
        "Nicht auf Lager", "Derzeit nicht verfügbar", "Ausverkauft", "Nicht lieferbar", "Rupture de stock", "Épuisé", "Plus disponible",
        "Agotado", "Sin existencias", "No disponible", "Esaurito", "Non disponibile", "Esgotado", "Indisponível", "Sem estoque",
        "Niedostępny", "Brak w magazynie", "Нет в наличии", "Распродано", "缺货", "售罄", "库存: 0", "在庫なし", "売り切れ", "在庫切れ",
        "Momentálně nedostupné", "Nincs készleten", "Hết hàng", "نفدت الكمية", "Uitverkocht", "Tillfälligt slut", "Немає в наявності",
        "품절", "oos", "Benachrichtigen, wenn verfügbar", "Me prévenir lorsque disponible", "Il n'y a pas assez de produits en stock",
        "Avísame cuando esté disponible", "Avvisami quando disponibile", "Avise-me quando chegar", "Powiadom o dostępności",
        "Сообщить о поступлении",
        "暂无库存", "到货提醒", "再入荷お知らせ", "入荷未定", "販売を終了しました", "Stokta yok",
        "Bientôt de retour en stock", "Non in magazzino", "Stokta yoktur", "Mevcut değil", "Gelince haber ver", "غير متاح",
    ],
    "PreOrder": [
        "https://schema.org/PreOrder", "http://schema.org/BackOrder", "Pre-order now", "Preorder", "Coming soon", "Available on backorder",
        "Jetzt vorbestellen", "Précommande", "Preventa", "Preordine", "Pré-venda", "Przedsprzedaż", "Предзаказ", "预售", "予約受付中",
        "Lieferbar ab: 2026-12-10", "Available from 12 Dec",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("text", "state"), [(text, state) for state, texts in STATES.items() for text in texts])
def test_a_statement_is_read(text: str, state: str) -> None:
    assert parse_availability(text) == state


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Red",
        "12,99 €",
        "true",
        "Add a review",
        "Stocking stuffers",
        "Available in 3 colours",
        "품절임박",
        "Рейтинг отсутствует",
        "Brak opinii",
        "Yes",
        "Tallas disponibles",
        "in stock " * 40,
    ],
)
def test_what_says_nothing_about_availability_is_none(text: str) -> None:
    assert parse_availability(text) is None
