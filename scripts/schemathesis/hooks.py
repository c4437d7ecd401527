"""What Schemathesis cannot know of this service from the OpenAPI document alone."""

import schemathesis

# Rules between two fields, or of the clock, which JSON Schema cannot say; the descriptions say them in words.
RULES_IN_WORDS = (
    "is required unless",
    "must be a nextCursor of this list",
    "must be a cursor of the changes of this user",
    "must not be the user of the calling key",
    "must not be sent with",
    "gives more than 400 bars",
    "IANA time zone database",
    "must not be blank",
    "must be in the future",
    "date or time that exists",
    "must be after validFrom",
    "must be later than validFrom",
    "must not be true with detail minimal",
    "must name a topic",
    "must differ from its names",
    "must not be that of another topic",
    "must hold",
    "must be a JSON object",
    "must name a value",
    "must ask for at most",
    "must be a text, a number, true or false",
    "cannot be given to several memories",
    "must be key:value pairs",
    "contradict each other",
    "must be given, or",
    "must name another",
    "must be another memory",
    "must not be before",
    "must not be in the future",
    "must not both be 0",
    "must begin with https://",
    "must be a URL",
    "must not lead to this machine",
    "must not have a name or password",
    "must not be nested deeper",
    "must be no later than that of the key",
    "a number beyond 1.8e308",
    "as JSON",
    "must not be __proto__",
    "must not contain the NUL character",
    "must not contain half of a surrogate pair",
)


def answered_by_the_http_parser(case, response):
    """Node's parser refuses, before the service sees them, methods it does not know and heads over 16 KiB."""
    return case.method.upper() == "QUERY" and response.status_code == 400 or response.status_code == 431


def has_empty_parameter(case):
    """A query parameter without a value counts as absent: `allowEmptyValue`, which the checks do not read."""
    return any(value in ("", [""]) for value in (case.query or {}).values())


def names_an_unknown_scope(response):
    """`scope` is key:value pairs of four keys, which its description says."""
    return response.status_code == 400 and response.json().get("code") == "SCOPE_KEY_UNKNOWN"


def rule_of(response):
    """The rule that a 422 names."""
    if response.status_code != 422:
        return ""
    return response.json().get("details", {}).get("rule", "")


def names_what_is_lacking(response):
    """404 in place of 405: clients of this API know the operation, and this service does not have what it is about."""
    return response.status_code == 404 and response.json().get("error", "").startswith("memoryd has no ")


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops what is no fault. Failed authentications are throttled by address (429), and the checks make many of them."""
    if answered_by_the_http_parser(case, response) or response.status_code == 429 or "429 Too Many Requests" in failure.message:
        return False
    # Protocol of MCP, which the SDK checks and JSON Schema does not hold: test/mcp/protocol.test.ts has its refusals.
    if case.path == "/mcp" and response.status_code in (400, 422):
        return False
    if names_an_unknown_scope(response):
        return False
    if names_what_is_lacking(response):
        return False
    # A body that breaks a rule, and is too large as well.
    if response.status_code == 413:
        return False
    if has_empty_parameter(case) and response.status_code == 200:
        return False
    return not any(words in rule_of(response) for words in RULES_IN_WORDS)
