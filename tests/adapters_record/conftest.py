"""Load mitmproxy once, without the warnings of what it loads."""

import warnings

with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
    import mitmproxy.addons  # noqa: F401  (ldap3, which it loads, uses old names of pyasn1)
