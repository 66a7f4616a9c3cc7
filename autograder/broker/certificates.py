"""The certificate authorities that this machine's Python trusts, as Java reads them.

The Java of the wheel has a list of its own, in which the authority of a company's proxy is missing.
"""

from __future__ import annotations

import contextlib
import ssl
import warnings
from pathlib import Path

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption
from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12Certificate, serialize_java_truststore
from cryptography.utils import CryptographyDeprecationWarning
from cryptography.x509 import load_der_x509_certificate

PASSWORD = "changeit"  # noqa: S105  # guards nothing: the certificates are public; Java wants one


def write_trust_store(path: Path) -> bool:
    """Write a trust store for Java to a file; False, and no file, when Python names no authorities."""
    certificates = _trusted()
    if certificates:
        path.write_bytes(serialize_java_truststore(certificates, BestAvailableEncryption(PASSWORD.encode())))
    return bool(certificates)


def _trusted() -> list[PKCS12Certificate]:
    """Each under a name of its own. One that cannot be parsed is left out: no other needs it."""
    found = []
    with warnings.catch_warnings(action="ignore", category=CryptographyDeprecationWarning):  # old authorities bend the rules
        for number, certificate in enumerate(ssl.create_default_context().get_ca_certs(binary_form=True)):
            with contextlib.suppress(ValueError):
                found.append(PKCS12Certificate(load_der_x509_certificate(certificate), str(number).encode()))
    return found
