"""Match rules that hold everywhere: what names a session or signs a URL, not what is asked for.

They give way: where recorded requests that differ only in such a part were answered differently,
that part counts. A rule of the cassette with the same name replaces one of them.
"""

from envsvc.cassette.rules import MatchRule
from envsvc.exchange.shape import Shape

BUILT_IN_RULES = {
    # Servlet 6.0, 7.1.3; PHP's session.name; ColdFusion; ASP.NET's cookieless sessions.
    "session-in-url": MatchRule(
        ignore_path_parameter=("jsessionid", "JSESSIONID"),
        ignore_query=("jsessionid", "JSESSIONID", "PHPSESSID", "CFID", "CFTOKEN", "osCsid"),
    ),
    # A short sid may name a story; what is as long as a session's name is one. Protocols ask
    # otherwise once they have one, so that there is one counts.
    "sid-in-url": MatchRule(
        ignore_path_parameter=("sid",),
        ignore_query=("sid",),
        having_query=("sid",),
        shape=Shape.TOKEN,
    ),
    # Who may ask until when, not for what: AWS signature 4 and 2, Google, CloudFront, Azure SAS.
    "signed-url-aws": MatchRule(
        ignore_query=(
            "X-Amz-Credential",
            "X-Amz-Date",
            "X-Amz-Expires",
            "X-Amz-Security-Token",
            "X-Amz-Signature",
        ),
        having_query=("X-Amz-Signature",),
    ),
    "signed-url-aws2": MatchRule(
        ignore_query=("AWSAccessKeyId", "Expires", "Signature"),
        having_query=("AWSAccessKeyId", "Expires", "Signature"),
    ),
    "signed-url-google": MatchRule(
        ignore_query=("X-Goog-Credential", "X-Goog-Date", "X-Goog-Expires", "X-Goog-Signature"),
        having_query=("X-Goog-Signature",),
    ),
    "signed-url-cloudfront": MatchRule(
        ignore_query=("Expires", "Key-Pair-Id", "Policy", "Signature"),
        having_query=("Key-Pair-Id", "Signature"),
    ),
    "signed-url-azure": MatchRule(
        ignore_query=("se", "sig", "ske", "skt", "st"), having_query=("se", "sig", "sv")
    ),
}
