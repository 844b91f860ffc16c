"""TLS trust: whose certificates are accepted."""

import ssl

from gossamer.errors import BadSettings


def trust(ca_bundle: str | None) -> ssl.SSLContext:
    """A file of authorities when one is set, else the operating system's own store."""
    if ca_bundle is None:
        import httpcore2

        return httpcore2.default_ssl_context()
    try:
        return ssl.create_default_context(cafile=ca_bundle)
    except (OSError, ssl.SSLError) as error:
        raise BadSettings(
            "The file of net.ca_bundle cannot be read as certificates.",
            hint="Point net.ca_bundle at a readable PEM file, or remove the setting.",
        ) from error
