"""The conformance table of HEL: what each construct of the language finds on one page, written from the paper and the W4F documents."""

import pytest

from scout.hel import evaluate
from scout.page import Page

PAGE = Page(
    "http://shop.example/",
    """<html><head><title>Films of 1999</title><META name="author" content="Anna"></head>
<body bgcolor="white">
<h1>Films</h1>
<!-- a comment is no node -->
<p>First <b>bold</b> and <i>italic</i> text</p>
<P>Second <b>strong</b></P>
<TABLE border="1"><tr><th>Title</th><th>Year</th><th>Actors</th></tr>
<tr class="odd"><td><a href="/a" title="A film">Alpha</a> (1999)</td><td>1999</td><td>Ann, Bob; Cid</td></tr>
<tr class="even"><td><a href="/b">Beta</a> (2001)</td><td>2001</td><td>Dan</td></tr>
<tr class="odd"><td><a href="/c" title="C film">Gamma</a></td><td>8</td><td></td></tr></TABLE>
<ul><li>one</li><li>two<ul><li>inner</li></ul></li><li>three</li></ul>
<img src="/x.png" alt="picture"><br>
<dl><dt>Genre:</dt><dd>Drama</dd><dt>Length:</dt><dd>90 min</dd></dl>
<form><input name="q" value="1"><input type="checkbox" name="hotel_id" value="7"></form>
<script>var hidden = "not text";</script>
<a name="top"></a><b>Region</b> Coast
</body></html>""",
)

TABLE: list[tuple[str, list[object]]] = [
    # the dot: children, by tag and position
    ("html.head.title.txt", ["Films of 1999"]),
    ("html.head.title", ["Films of 1999"]),
    ("html.body.h1.txt", ["Films"]),
    ("html.body.h1[0].txt", ["Films"]),
    ("html.body.h1[1].txt", []),
    ("html.body.p[0].b.txt", ["bold"]),
    ("html.body.p[1].b[0].txt", ["strong"]),
    ("html.body.p[0].txt", ["First bold and italic text"]),
    ("html.body.b.txt", ["Region"]),
    ("html.body.td.txt", []),
    ("html.body.table[0].tr[0].th[0].txt", ["Title"]),
    ("html.body.table.tr[1].td[1].txt", ["1999"]),
    ("html.body.ul.li[1].ul.li.txt", ["inner"]),
    ("html.body.nothing.txt", []),
    # tag names without regard to case, the tree as written (no tbody is made up)
    ("HTML.Body.TABLE.TR[0].TH[1].TXT", ["Year"]),
    ("html.body.table.tbody.tr[0].txt", []),
    # the arrow: the flow of the document
    ("html->table[0].tr[0].th[2].txt", ["Actors"]),
    ("html->b[0].txt", ["bold"]),
    ("html->b[2].txt", ["Region"]),
    ("html.body->a[0].getAttr(href)", ["/a"]),
    ("html.body->li[2].txt", ["inner"]),
    ("html.body->li[3].txt", ["three"]),
    ("html.body.table->li[0].txt", ["one"]),
    ("html.body.p[1]->b[0].txt", ["strong"]),
    ("html.body.p[1]->b[1].txt", ["Region"]),
    ("html.body.img->dt[0].txt", ["Genre:"]),
    ("html->h1->td[0]->a[0].txt", ["Alpha"]),
    ("html->h1->td[0]->a[1].txt", ["Beta"]),
    ("html->nothing[0].txt", []),
    # positions, ranges, lists and wildcards
    ("html.body->a[*].getAttr(href)", ["/a", "/b", "/c"]),
    ("html.body->b[*].txt", ["bold", "strong", "Region"]),
    ("html.body.table.tr[1-2].td[1].txt", ["1999", "2001"]),
    ("html.body.table.tr[1:2].td[1].txt", ["1999", "2001"]),
    ("html.body.table.tr[2:*].td[1].txt", ["2001", "8"]),
    ("html.body.table.tr[2-*].td[1].txt", ["2001", "8"]),
    ("html.body.table.tr[1,3].td[1].txt", ["1999", "8"]),
    ("html.body.table.tr[1,2-3].td[1].txt", ["1999", "2001", "8"]),
    ("html.body.table.tr[2-99].td[1].txt", ["2001", "8"]),
    ("html.body.table.tr[3-2].td[1].txt", []),
    ("html.body.table.tr[99].td[1].txt", []),
    ("html.body.table.tr[*].td[0].a.txt", ["Alpha", "Beta", "Gamma"]),
    ("html.body.table.tr[*].th[*].txt", ["Title", "Year", "Actors"]),
    ("html.body.ul.li[*].txt", ["one", "twoinner", "three"]),
    ("html.body->li[*].txt", ["one", "twoinner", "inner", "three"]),
    # texts: pcdata are pieces of text, txt joins what is below
    ("html.body.p[0].pcdata[0].txt", ["First"]),
    ("html.body.p[0].pcdata[1].txt", ["and"]),
    ("html.body.p[0].pcdata[*].txt", ["First", "and", "text"]),
    ("html.body.p[0]->pcdata[1].txt", ["bold"]),
    ("html.body.p[0].PCDATA[2].txt", ["text"]),
    ("html.body.p[0].pdata[2].txt", ["text"]),
    ("html.body.table.tr[3].td[2].txt", [""]),
    ("html.body.table.tr[3].td[2].pcdata.txt", []),
    ("html.body.script.txt", [""]),
    ("html.body.p[0].b.pcdata->pcdata[0].txt", ["and"]),
    # attributes, numbers of children, markup
    ("html.body.getAttr(bgcolor)", ["white"]),
    ("html.body.getAttr(BGCOLOR)", ["white"]),
    ("html.body.getAttr('bgcolor')", ["white"]),
    ("html.body.getAttr(nothing)", []),
    ("html.head.meta.getAttr(content)", ["Anna"]),
    ("html.body->a[*].getAttr(title)", ["A film", "C film"]),
    ("html.body.p[0].pcdata[0].getAttr(x)", []),
    ("html.body.table.numberOf(tr)", ["4"]),
    ("html.body.table.tr[*].numberOf(td)", ["0", "3", "3", "3"]),
    ("html.body.table.getNumberOf(tr)", ["4"]),
    ("html.body.p[0].numberOf(pcdata)", ["3"]),
    ("html.body.p[1].b.src", ["<b>strong</b>"]),
    # match and split
    ("html.head.title.txt, match /[0-9]+/", ["1999"]),
    ("html.head.title.txt match /[0-9]+/", ["1999"]),
    ("html.head.title.txt match /Films of ([0-9]+)/", ["1999"]),
    ("html.head.title.txt match /(\\w+) of (\\d+)/", [("Films", "1999")]),
    ("html.head.title.txt match /FILMS/", []),
    ("html.head.title.txt match /FILMS/i", ["Films"]),
    ("html.head.title.txt match /\\//", []),
    ("html.body.table.tr[*].td[0].txt match /\\((\\d+)\\)/", ["1999", "2001"]),
    ("html.body.table.tr[1].td[2].txt split /[,;]/", ["Ann", "Bob", "Cid"]),
    ("html.body.table.tr[*].td[2].txt, split /;/, split /,/", ["Ann", "Bob", "Cid", "Dan"]),
    ("html.body.table.tr[1].td[2].txt split /;/ match /B\\w+/", ["Bob"]),
    ("html.body.table.tr[1].td[2].txt split /x*/", ["Ann, Bob; Cid"]),
    # variables and conditions
    ("html.body->a[i].txt where html.body->a[i].getAttr(href) = '/b'", ["Beta"]),
    ('html.body->a[i].txt where html.body->a[i].getAttr(href) = "/b"', ["Beta"]),
    ("html.body->a[i].txt WHERE html.body->a[i].getAttr(href) == '/b'", ["Beta"]),
    ("html.body.table.tr[j].td[1].txt where html.body.table.tr[j].getAttr(class) = 'odd'", ["1999"]),
    ("html.body.table.tr[j:*].td[1].txt where html.body.table.tr[j].getAttr(class) = 'odd'", ["1999", "8"]),
    ("html.body.table.tr[j:0].td[1].txt where html.body.table.tr[j].getAttr(class) = 'odd'", ["1999"]),
    ("html.body.table.tr[j:1].td[1].txt where html.body.table.tr[j].getAttr(class) = 'odd'", ["8"]),
    ("html.body.table.tr[j:1-5].td[1].txt where html.body.table.tr[j].getAttr(class) = 'odd'", ["8"]),
    ("html.body.table.tr[j:*].td[1].txt where html.body.table.tr[j].getAttr(class) != 'odd'", ["2001"]),
    ("html.body.table.tr[j:*].td[1].txt where html.body.table.tr[j].getAttr(class) <> 'odd'", ["2001"]),
    ("html.body.table.tr[j:*].td[0].a.txt where html.body.table.tr[j].td[1].txt > 1999", ["Beta"]),
    ("html.body.table.tr[j:*].td[0].a.txt where html.body.table.tr[j].td[1].txt >= 1999", ["Alpha", "Beta"]),
    ("html.body.table.tr[j:*].td[0].a.txt where html.body.table.tr[j].td[1].txt < 1999", ["Gamma"]),
    ("html.body.table.tr[j:*].td[0].a.txt where html.body.table.tr[j].td[1].txt <= '1999'", ["Alpha", "Gamma"]),
    ("html.body.table.tr[j:*].td[0].a.txt where html.body.table.tr[j].td[1].txt = 8.0", ["Gamma"]),
    ("html.body.table.tr[j:*].td[0].a.txt where html.body.table.tr[j].td[0].txt =~ /\\(\\d/", ["Alpha", "Beta"]),
    ("html.body.table.tr[j:*].td[0].a.txt where html.body.table.tr[j].td[0].txt !~ /\\(\\d/", ["Gamma"]),
    ("html.body.table.tr[j:*].td[0].a.txt where html.body.table.tr[j].td[0].txt =~ 'et'", ["Beta"]),
    ("html.body.table.tr[j:*].td[0].a.txt where html.body.table.tr[j].td[2].txt contains 'Dan'", ["Beta"]),
    ("html.body.table.tr[j].numberOf(th) where html.body.table.tr[j].numberOf(td) = 0", ["3"]),
    ("html.body.table.tr[j:*].td[1].txt where html.body.table.tr[j].td[*].txt = 'Dan'", ["2001"]),
    ("html.body.dl.dd[k].txt where html.body.dl.dt[k].txt = 'Length:'", ["90 min"]),
    ("html.body->a[i].txt where html.body->a[i].getAttr(href) = '/nowhere'", []),
    (
        "html.body.table.tr[i:*].td[j].txt where html.body.table.tr[i].getAttr(class) = 'odd' and html.body.table.tr[0].th[j].txt = 'Year'",
        ["1999", "8"],
    ),
    (
        "html.body.table.tr[i:*].td[j:*].txt where html.body.table.tr[i].getAttr(class) = 'even' "
        "and html.body.table.tr[i].td[j].txt =~ /\\d/",
        ["Beta (2001)", "2001"],
    ),
    ("html.body->input[i].getAttr(value) where html.body->input[i].getAttr(name) = 'hotel_id'", ["7"]),
    ("html.body->a[i]->pcdata[1].txt where html.body->a[i].getAttr(name) = 'top'", ["Coast"]),
    # forks
    ("html.body.table.tr[1-2](td[0].a.txt # td[1].txt)", [("Alpha", "1999"), ("Beta", "2001")]),
    ("html.body.table.tr[1](.td[0].a.txt # .td[0].a.getAttr(title))", [("Alpha", "A film")]),
    ("html.body.table.tr[2](->a[0].txt # td[0].a.getAttr(title))", [("Beta", None)]),
    ("html.body.table.tr[1](td[*].txt # td[1].txt)", [(["Alpha (1999)", "1999", "Ann, Bob; Cid"], "1999")]),
    ("html.body.table.tr[1](td[2].txt split /[,;]/ # td[1].txt match /\\d\\d/)", [(["Ann", "Bob", "Cid"], "19")]),
    ("html.body.table.tr[1](td[0](a.txt # a.getAttr(href)) # td[1].txt)", [(("Alpha", "/a"), "1999")]),
    ("html.body.p[0](.txt # .numberOf(b))", [("First bold and italic text", "1")]),
    # white space, lines and the end of a rule
    ("  html . body -> b [ 0 ] . txt ;", ["bold"]),
    ("html.body\n  ->b[0]\n  .txt", ["bold"]),
]


@pytest.mark.parametrize(("rule", "expected"), TABLE, ids=[rule for rule, _ in TABLE])
def test_a_rule_finds_what_the_language_says(rule: str, expected: list[object]) -> None:
    assert evaluate(rule, PAGE) == expected


def test_the_table_is_large_enough_to_mean_something() -> None:
    assert len(TABLE) >= 80
