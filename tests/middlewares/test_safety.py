"""What comes from outside is bounded and checked: certificates, sizes, times, schemes."""

import ssl
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from scout.spiders.shop_address import answering_address
from tests.crawl.fetching import fetch
from tests.crawl.serving import Answer, serving


@pytest.fixture
def self_signed(tmp_path: Path) -> ssl.SSLContext:
    """A certificate that nobody has vouched for."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(timezone.utc)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = (
        builder.serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    )
    certificate = builder.sign(key, hashes.SHA256())
    file = tmp_path / "both.pem"
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(private + certificate.public_bytes(encoding))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


def test_a_certificate_that_nobody_vouched_for_is_refused(self_signed):
    with serving({"/a": "x"}, tls=self_signed) as shop:
        url = shop.url.replace("127.0.0.1", "localhost")
        fetched = fetch([f"{url}a"], named=[url], ROBOTSTXT_OBEY=False)
    assert shop.asked == []
    assert isinstance(fetched.outcome[f"{url}a"], str)


def test_the_check_of_certificates_can_be_turned_off_by_who_knows_why(self_signed):
    with serving({"/a": "x"}, tls=self_signed) as shop:
        url = shop.url.replace("127.0.0.1", "localhost")
        fetched = fetch([f"{url}a"], named=[url], ROBOTSTXT_OBEY=False, DOWNLOAD_VERIFY_CERTIFICATES=False)
    assert fetched.outcome == {f"{url}a": 200}


def test_a_page_without_end_and_a_server_without_answer_are_given_up():
    table = {"/robots.txt": "", "/large": "x" * 300_000, "/slow": Answer("x", delay=4), "/a": "x"}
    with serving(table) as shop:
        urls = [f"{shop.url}{path}" for path in ("large", "slow", "a")]
        fetched = fetch(urls, named=[shop.url], DOWNLOAD_MAXSIZE=100_000, DOWNLOAD_TIMEOUT=1)
    assert fetched.outcome[f"{shop.url}a"] == 200
    assert all(isinstance(fetched.outcome[f"{shop.url}{path}"], str) for path in ("large", "slow"))


def test_an_address_without_a_scheme_is_https_where_https_or_nobody_answers(self_signed: ssl.SSLContext) -> None:
    with serving({"/": "x"}, tls=self_signed) as shop:
        assert answering_address(f"https://127.0.0.1:{shop.port}/") == shop.url
    assert answering_address(f"https://127.0.0.1:{shop.port}/") == f"https://127.0.0.1:{shop.port}/"
