"""Every example of the paper, on pages rebuilt from its description: paths of section 3.3, and the hotel guide of section 3.4."""

import pytest

from scout.hel import evaluate, parse
from scout.page import Page

DOCUMENT = Page(
    "http://www.example.de/",
    """<html><head><title>Hotelführer</title></head><body><h1>Hotels</h1><table><tr><th>Ort</th><th>Hotel</th></tr></table>
<p><a href="/eins.html">Eins</a> <a href="/zwei.html">Zwei</a></p></body></html>""",
)

# Figure 4: the region as a heading after the anchor at the top; a first table with the navigation; then the table of results, where places
# are coloured in the second column, and hotels have a checkbox in the first and their name in bold in the second.
HOTELS = Page(
    "http://www.example.de/cgi-bin/auswahl.pl",
    """<HTML><HEAD><TITLE>CityWorld - Hotels und Pensionen</TITLE></HEAD><BODY>
<A NAME="Seitenanfang">Hotels und Pensionen</A> <H2>Ostseeküste</H2>
<TABLE><TR><TD><A HREF="/">Start</A></TD></TR></TABLE>
<TABLE BORDER=0>
<TR><TD></TD><TD><FONT COLOR="#FF8000">Rostock</FONT></TD></TR>
<TR><TD><INPUT TYPE=checkbox NAME="hotel_id" VALUE="1"></TD><TD><B>Hotel Sonne</B><BR>Neuer Markt 2, 80 DM</TD></TR>
<TR><TD><INPUT TYPE=checkbox NAME="hotel_id" VALUE="2"></TD><TD><B>Pension Möwe</B><BR>Am Strom 1, 45 DM</TD></TR>
<TR><TD></TD><TD><FONT COLOR="#FF8000">Wismar</FONT></TD></TR>
<TR><TD><INPUT TYPE=checkbox NAME="hotel_id" VALUE="3"></TD><TD><B>Hotel Anker</B><BR>Am Hafen 5, 70 DM</TD></TR>
<TR><TD></TD><TD><FONT COLOR="#000000">Alle Preise je Nacht</FONT></TD></TR>
</TABLE></BODY></HTML>""",
)

META = {
    "DB.QueryElement": "region",
    "DB.Result.region": "html.body->A[i]->pdata[1].txt\n  where html.body->A[i].getAttr(name) = 'Seitenanfang'",
    "DB.Result": "html.body->table[1].",
    "DB.Result.ort": "tr[j:*].td[1].txt\n  where tr[j].td[1].font.getAttr(color) = '#FF8000'",
    "DB.Result.name": "tr[k:*].td[1].b.txt\n  where tr[k].td[0].input.getAttr(name) = 'hotel_id'",
    "DB.Navigation": "NO",
}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("html.head.title", ["Hotelführer"]),
        ("html->table[0]", ["OrtHotel"]),
        ("html.body->a[*]", ["Eins", "Zwei"]),
        ("html.body.table[0].tr[0].th[0].txt", ["Ort"]),
        ("html.body->a[0].getAttr(href)", ["/eins.html"]),
    ],
)
def test_the_paths_of_section_3_3(rule: str, expected: list[str]) -> None:
    assert evaluate(rule, DOCUMENT) == expected


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ("region", ["Ostseeküste"]),
        ("ort", ["Rostock", "Wismar"]),
        ("name", ["Hotel Sonne", "Pension Möwe", "Hotel Anker"]),
    ],
)
def test_the_hotel_guide_of_section_3_4(attribute: str, expected: list[str]) -> None:
    rule = parse(META[f"DB.Result.{attribute}"], META["DB.Result"])
    assert evaluate(rule, HOTELS) == expected
