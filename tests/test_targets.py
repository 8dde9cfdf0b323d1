"""The guard lets nothing into the local network but what the user named, however it is spelt."""

import ipaddress

import pytest

from scout.handlers.address_guard import Targets, is_public, literal_address, target

LOOPBACK = [
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.0.0.1.",
    "127.000.000.001", "0x7f.1", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:1]",
    "１２７.０.０.１", "127。0。0。1", "①②⑦.0.0.1", "%31%32%37.0.0.1", "0.0.0.0", "0", "[::]", "127.255.255.254",
]  # fmt: skip
LOCAL = [
    "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255", "[fe80::1]", "[fc00::1]",
    "[fec0::1]", "[ff02::1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]", "[2002:a00:1::1]", "[::127.0.0.1]",
    "[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[fe80::1%25eth0]", "192.0.2.1", "198.18.0.1",
]  # fmt: skip
NOT_WEB = [
    "file:///etc/passwd", "data:text/html,hello", "ftp://shop.example/", "s3://bucket/key", "javascript:alert(1)", "http://",
    "http://[::1", "http://a:99999/", "gopher://127.0.0.1/",
]  # fmt: skip


@pytest.mark.parametrize("host", LOOPBACK + LOCAL)
def test_a_local_address_is_refused_in_every_spelling(host):
    assert Targets(["http://127.0.0.1:8000/"]).refusal(f"http://{host}/")


@pytest.mark.parametrize("url", NOT_WEB)
def test_only_http_and_https_are_asked_for(url):
    assert Targets().refusal(url)


@pytest.mark.parametrize(
    "host", ["shop.example", "8.8.8.8", "[2606:4700::1111]", "[64:ff9b::808:808]", "cafe", "deadbeef.example"]
)
def test_names_and_public_addresses_pass(host):
    assert Targets().refusal(f"https://{host}/a?b=c") is None


def test_what_the_user_named_is_allowed_with_its_scheme_host_and_port_only():
    targets = Targets(["http://127.0.0.1:8000/shop/"])
    assert targets.refusal("http://127.0.0.1:8000/other") is None
    assert targets.refusal("http://127.0.0.1:8001/")
    assert targets.refusal("https://127.0.0.1:8000/")
    assert targets.refusal("http://127.0.0.2:8000/")


def test_a_name_that_leads_into_the_local_network_gets_no_address():
    targets = Targets(["http://intern.example/"])
    assert targets.allowed("evil.example", 80, ["127.0.0.1"]) == []
    assert targets.allowed("evil.example", 80, ["10.0.0.1", "93.184.215.14"]) == ["93.184.215.14"]
    assert targets.allowed("intern.example", 80, ["10.0.0.1"]) == ["10.0.0.1"]
    assert targets.allowed("intern.example", 8080, ["10.0.0.1"]) == []


def test_a_named_host_that_was_public_cannot_move_into_the_local_network():
    targets = Targets(["http://shop.example/"])
    assert targets.allowed("shop.example", 80, ["93.184.215.14"]) == ["93.184.215.14"]
    assert targets.allowed("shop.example", 80, ["127.0.0.1"]) == []


def test_the_default_port_is_a_port():
    assert target("https://shop.example/") == target("https://shop.example:443/a")
    assert target("http://shop.example/") != target("https://shop.example/")


def test_a_public_address_is_public_whatever_carries_it():
    assert is_public(ipaddress.ip_address("::ffff:8.8.8.8"))
    assert is_public(ipaddress.ip_address("2002:808:808::1"))
    assert not is_public(ipaddress.ip_address("::ffff:192.168.0.1"))


def test_a_name_is_no_address():
    assert literal_address("shop.example") is None
    assert literal_address("abc") is None
