"""The shapes of secrets, as their makers document them and as scanners agree on them. Data only.

Regular expressions are kept as text and compiled when a text holds one of their beginnings, so
that a start of the program pays for none of them, and most texts for few.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenForm:
    """A token with a shape of its own.

    Attributes:
        kind: What people call it.
        starts: How it begins, one of these; no letter or digit stands before it.
        rest: Regular expression for what follows; it may not backtrack far.
    """

    kind: str
    starts: tuple[str, ...]
    rest: str

    @property
    def pattern(self) -> str:
        """The whole as a regular expression; the group `secret` is what must not be told."""
        starts = "|".join(start.replace(".", r"\.") for start in self.starts)
        return rf"(?:(?<![A-Za-z0-9])|(?=-))(?P<secret>(?:{starts}){self.rest})"


_END = r"(?![A-Za-z0-9])"

TOKENS = (
    TokenForm("AWS access key", ("AKIA", "ASIA", "ABIA", "ACCA"), rf"[A-Z0-9]{{16}}{_END}"),
    TokenForm(
        "GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"[A-Za-z0-9]{36,255}" + _END
    ),
    TokenForm("GitHub token", ("github_pat_",), r"[A-Za-z0-9_]{22,255}" + _END),
    TokenForm(
        "GitLab token",
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "gloas-", "glsoat-", "glagent-"),
        r"[A-Za-z0-9_.-]{20,300}",
    ),
    TokenForm(
        "Slack token",
        ("xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-"),
        r"[A-Za-z0-9.%/+=-]{10,400}",
    ),
    TokenForm("Slack token", ("xapp-",), r"\d-[A-Za-z0-9-]{10,200}"),
    TokenForm(
        "Slack webhook",
        ("hooks.slack.com/",),
        r"(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,200}",
    ),
    TokenForm(
        "Stripe key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"[A-Za-z0-9]{10,200}"
    ),
    TokenForm("Stripe key", ("whsec_",), r"[A-Za-z0-9+/=]{24,200}"),
    TokenForm("Anthropic key", ("sk-ant-",), r"[A-Za-z0-9_-]{20,300}"),
    TokenForm(
        "OpenAI key", ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"), r"[A-Za-z0-9_-]{20,300}"
    ),
    TokenForm("OpenAI key", ("sk-",), r"[A-Za-z0-9]{32,200}" + _END),
    TokenForm("OpenRouter key", ("sk-or-",), r"v\d-[a-f0-9]{64}"),
    TokenForm("Google API key", ("AIza",), r"[A-Za-z0-9_-]{35}" + _END),
    TokenForm("Google OAuth secret", ("GOCSPX-",), r"[A-Za-z0-9_-]{24,40}"),
    TokenForm("Google OAuth token", ("ya29.",), r"[A-Za-z0-9_-]{20,2000}"),
    TokenForm(
        "JSON web token",
        ("eyJ",),
        r"[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,2000}",
    ),
    TokenForm("npm token", ("npm_",), r"[A-Za-z0-9]{36}" + _END),
    TokenForm("PyPI token", ("pypi-AgE",), r"[A-Za-z0-9_-]{32,400}"),
    TokenForm("Outline API key", ("ol_api_",), r"[A-Za-z0-9]{38}" + _END),
    TokenForm("Hugging Face token", ("hf_",), r"[A-Za-z0-9]{34}" + _END),
    TokenForm("SendGrid key", ("SG.",), r"[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}"),
    TokenForm("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"[a-f0-9]{64}"),
    TokenForm("Docker token", ("dckr_pat_", "dckr_oat_"), r"[A-Za-z0-9_-]{27,64}"),
    TokenForm("Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"[a-fA-F0-9]{32}"),
    TokenForm("Linear key", ("lin_api_",), r"[A-Za-z0-9]{32,64}"),
    TokenForm("Notion token", ("ntn_",), r"[A-Za-z0-9]{40,64}"),
    TokenForm("Groq key", ("gsk_",), r"[A-Za-z0-9]{40,64}"),
    TokenForm("Vault token", ("hvs.", "hvb."), r"[A-Za-z0-9_-]{24,300}"),
    TokenForm("Grafana token", ("glsa_", "glc_"), r"[A-Za-z0-9_+/=]{32,400}"),
    TokenForm("Tailscale key", ("tskey-",), r"[a-z]{2,12}-[A-Za-z0-9-]{16,100}"),
    TokenForm("Databricks token", ("dapi",), r"[a-f0-9]{32}" + _END),
    TokenForm("Atlassian token", ("ATATT3",), r"[A-Za-z0-9_=-]{100,400}"),
    TokenForm("age key", ("AGE-SECRET-KEY-1",), r"[0-9A-Z]{58}"),
    TokenForm(
        "private key",
        ("-----BEGIN ",),
        # Header lines, then base64; a last short line is one only if the end mark follows. The
        # line ends of a key inside JSON or a shell string are written \n.
        r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[ \t]*(?:\r?\n|\\n)"
        r"(?:\s|\\[nr]|[A-Z][A-Za-z-]{2,20}: [^\n]{0,100}(?=\n))*+[A-Za-z0-9+/=]{6,}"
        r"(?:\s|\\[nr]|[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/=]{1,64}(?=\s*-----|\\[nr]))*+"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
)

ADDRESS = (
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/?#@\"'`<>|]{0,200}:"
    r"(?P<secret>[^\s/?#\"'`<>|]{1,200})@(?=[\w\[])"
)
"""An address with a password before the host: postgres://ada:secret@db."""

AUTHORIZATION = (
    r"(?i)\bauthorization[\"'`]?[ \t]{0,4}[:=][ \t]{0,4}[\"'`]?"
    r"(?:bearer|basic|token|api-?key)[ \t]{1,4}(?P<secret>[\w.~+/=-]{12,4000})"
)
"""A header that logs somebody in."""

PASSWORD_NAMES = r"passwords?|passwd|passphrase|passcode|pwd|passwort|kennwort"  # noqa: S105 - names, not values
KEY_NAMES = (
    r"secrets?|tokens?|api[_-]?keys?|(?:access|auth|account|secret|private|signing|encryption|"
    r"shared|master|service)[_-]?keys?|credentials?"
)
# What may follow such a name without making another thing of it, as in DB_PASSWORD_PROD.
_SUFFIX = r"(?:\d{1,2}|[_-](?:prod|dev|staging|live|main|primary|old|new|default|base|value))?"

ASSIGNMENT = (
    rf"(?i)(?:(?P<password>{PASSWORD_NAMES})|(?P<key>{KEY_NAMES})){_SUFFIX}"
    r"(?P<closing>[\"'`*_\]]{0,4}[ \t]{0,4})"
    r"(?::[ \t]{0,2}\w{1,12}[ \t]{0,2}(?==[^=]))?"  # a type: `password: str = "…"`
    r"(?P<sign>=>|:=|==?|:)(?P<opening>[*_ \t]{0,6})"
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]{4,400})(?P=quote)"
    r"|(?P<bare>[^\s\"'`<>{}()\[\],;|&\\]{6,400}))"
    r"(?P<after>[(\[.,)]?)"
)
"""A name of a secret, a sign, and a value that may be one."""

ASSIGNMENT_STARTS = (
    "pass|pwd|kennwort|secret|token|api|access|auth|account|private|signing|encryption|shared|"
    "master|service|credential"
)
"""How such a name begins, in lower case: searching for these first is twenty times as fast."""

SHOWN = r"(?i)example|x{6,}|\*{3,}|\.{3}|…|your[-_]|placeholder|redacted"
"""What a token in a manual has in it."""

STANDS_FOR = (
    r"(?i)"
    # References: variables, templates, stores of secrets, files.
    r"^[$%@]|^\{|^<|^\[|^\(|\$\{|\{\{|%\w+%|^(?:~|\.{0,2})/|^file:|^https?:|^arn:|^op:|^!?vault\b"
    r"|^(?:enc|env|ref|secret|keychain|sops|ssm|kms)[:(\[]"
    r"|environ|getenv|process\.env|\benv\.|\bENV\[|secrets?\.|config\.|settings\.|\bself\.|\bthis\."
    r"|/run/secrets|valueFrom|secretKeyRef"
    # Blanks to fill in.
    r"|x{3,}|\*{3,}|\.{3}|…|•{2,}|_{4,}|#{3,}|-{3,}"
    r"|your[-_ ]?|example|sample|placeholder|change[-_ ]?(?:me|it|this)|dummy|redacted|masked"
    r"|goes[-_ ]?here|\b(?:todo|tbd|fixme|here|insert|replace|removed|hidden|same|must|should)\b"
    # What a password is made with, or kept in.
    r"|argon2|bcrypt|scrypt|pbkdf2|hmac|sha-?\d{3}|\bsha1\b|\bmd5\b|base64|oauth ?2|utf-?8|ed25519"
    r"|1password|bitwarden|keepass|lastpass|dashlane"
)
"""What a value has in it that stands for a secret, or tells about one, instead of being one."""

NAMES_IT = (
    r"(?i)pass(?:word|wd|wort|phrase|code)|kennwort|credential|secret|token|api[-_]?key|\bpwd\b"
    r"|^\W*(?:pass|key|value|string|text|bytes|none|null|true|false|undefined|required|optional|"
    r"default|empty|unset|unknown|boolean|integer|number|object|forgotten|disabled|enabled)\W*$"
)
"""What a value of letters alone has in it that is the name of a secret: `db_password`."""
