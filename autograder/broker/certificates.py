"""The certificate authorities that this machine's Python trusts, as Java reads them.

The Java of the wheel has a list of its own, in which the authority of a company's proxy is missing.
"""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

PASSWORD = "changeit"  # noqa: S105  # guards nothing: the certificates are public; Java wants one


def write_trust_store(gateway: Any, path: Path) -> bool:
    """Write a PKCS12 trust store in a JVM that is there anyway; False when Python names no authorities."""
    certificates = ssl.create_default_context().get_ca_certs(binary_form=True)
    if not certificates:
        return False
    jvm = gateway.jvm
    factory = jvm.java.security.cert.CertificateFactory.getInstance("X.509")
    store = jvm.java.security.KeyStore.getInstance("PKCS12")
    store.load(None, None)
    for number, certificate in enumerate(certificates):
        store.setCertificateEntry(str(number), factory.generateCertificate(jvm.java.io.ByteArrayInputStream(certificate)))
    password = gateway.new_array(jvm.char, len(PASSWORD))
    for index, character in enumerate(PASSWORD):
        password[index] = character
    out = jvm.java.io.FileOutputStream(str(path))
    store.store(out, password)
    out.close()
    return True
