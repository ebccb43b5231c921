"""What around a text is known by its element, its role, or the words in its class or id. Pure."""

import re
from typing import Final

from bs4 import Tag

from personal_context.connectors.web.html import HEADINGS, attribute, classes, words_of

_ROLES: Final = re.compile(
    r"alertdialog|banner|complementary|contentinfo|dialog|menu|menubar|navigation|search|tablist|"
    r"toolbar|tooltip|doc-toc|doc-pagelist"
)
_ADMONITION = re.compile(
    r"\b(?:admonition|alert|callout|caution|danger|hint|important|info|note|notice|tip|warning)\b"
)
_NEVER: Final = HEADINGS | {"html", "body", "main", "article", "pre", "code", "tr", "tbody"}
"""Elements that are what they are, whatever they are called."""

# Of each class or id the words, joined by blanks.
_COMMENTS = re.compile(
    r"(?:\w+ )?(?:comments?|replies|responses)(?: (?:area|block|box|container|content|form|holder|"
    r"inner|list|main|module|outer|section|template|thread|view|wrap|wrapper)s?)*|commentlist|"
    r"respond|(?:disqus|livefyre|coral|hyvor|isso|utterances|giscus)(?: .*)?"
)
_NAMES: Final = tuple(
    (kind, re.compile(rf"\b(?:{words})\b", re.VERBOSE))
    for kind, words in {
        "navigation": r"""
            navs?|navbars?|navbox|navigation|navigator|navlinks?|subnav|menus?|submenu|menubar|
            breadcrumbs?|crumbs?|pagination|paging|pager|page\ nav|prev\ next|next\ prev|post\ nav|
            skip\ (?:link|links|nav|to|content)|back\ to\ top|to\ top|toc|table\ of\ contents|
            tableofcontents|on\ this\ page|jump\ links?|mw\ jump|sitemap|tabs?\ (?:list|nav|bar)|
            tablist""",
        "side": r"""
            sidebars?|side\ (?:bar|nav|panel|column|col|box|rail)|sidenav|rail|right\ rail|
            widget\ area|widgets|masthead|top\ ?bar|bottom\ bar|header\ bar|
            (?:site|page|global|main|blog|app)\ ?(?:header|footer)|footer|foot|colophon|copyrights?|
            catlinks|printfooter|hatnote|sitesub|contentsub|sitenotice|site\ notice""",
        "share": r"""
            share|shares|sharing|sharer|sharebar|sharethis|sharedaddy|sharebuttons|addthis|
            addtoany|socials?|socialmedia|follow\ (?:us|me)|bookmarks?|reactions?|likes?|claps?""",
        "related": r"""
            related|relatedposts|recommend(?:ed|ation|ations|s)?|suggest(?:ed|ions)|
            more\ (?:from|stories|articles|posts|news|topics|on|in|links)|
            most\ (?:read|popular|viewed|shared|commented)|read\ (?:more|next|also)|readmore|
            popular|trending|latest\ (?:news|posts|articles|stories)|recirc|recirculation|
            you\ (?:may|might)|also\ (?:like|on|read|see)|see\ also|seealso|up\ next|teasers?|
            outbrain|taboola|zergnet|yarpp|similar|hot\ network|linked\ questions|
            next\ (?:post|article|story)|prev(?:ious)?\ (?:post|article|story)""",
        "promotion": r"""
            promos?|promoted|promotions?|promobox|sponsor|sponsored|sponsors|advert|adverts|
            advertorial|advertise|advertisements?|advertising|ads?|adsbygoogle|adbox|adslot|adunit|
            adwrapper|adcontainer|dfp|gpt|affiliate|newsletters?|subscribe|subscribers?|
            subscriptions?|sign\ ?up|opt\ ?in|paywall|donat(?:e|ion|ions)|cta|call\ to\ action|
            mailchimp|mc\ embed""",
        "boxes": r"""
            cookies?\ (?:banner|consent|notice|bar|popup|law|box|policy|message|modal|dialog|wall|
            info|warning|alert|overlay|settings|preferences|disclaimer)|cookiebar|cookienotice|
            cookiebanner|cookieconsent|consent|gdpr|ccpa|onetrust|cybotcookiebotdialog|cookiebot|
            didomi|usercentrics|truste|osano|cmp|popups?|pop\ up|modals?|overlays?|lightbox|
            tooltips?|tooltiptext|toast|snackbar|interstitial|feedback|was\ this\ helpful|
            page\ rating|logins?|log\ in|search\ (?:form|box|bar)|searchform|searchbox|
            lang(?:uage)?\ (?:switcher|selector|picker|links|list)|theme\ (?:toggle|switcher)""",
        "tools": r"""
            edit\ (?:page|link|section|this)|editsection|editlink|headerlink|header\ link|permalink|
            anchorlink|hash\ link|vote|voting|votes|votecell|post\ menu|toolbars?|toolbox|
            copy\ (?:button|btn|code)|copybtn|clipboard|signature|print\ (?:button|link)|
            no\ ?print|print\ (?:none|hidden)|hidden\ print|post\ signature|
            user\ (?:card|info|details|avatar|signature)|avatars?|
            line\ numbers?|linenos?|linenodiv|gutter""",
        "labels": r"""
            (?:post|entry|article|page|topic|question|thread)\ (?:tags?|categor(?:y|ies)|labels?)|
            tag\ ?(?:list|cloud|links|box)|tags|keywords|categories|byline|bylines|
            author\ (?:bio|box|card|info|profile|description|about|block)|authorbio|about\ author|
            about\ the\ author|(?:post|entry|article)\ (?:meta|info|author|utility|byline|date)|
            meta\ (?:info|data)|read(?:ing)?\ time|published|timestamp|dateline|post\ date""",
    }.items()
)


def by_element(tag: Tag) -> str | None:
    """Return the kind of furniture that an element says it is, or None."""
    name = tag.name
    if name in {"nav", "form", "search", "menu", "header"}:
        return name
    if name == "aside":
        return None if _ADMONITION.search(" ".join(words_of(attribute(tag, "class")))) else name
    if name == "footer":
        quotes = tag.parent is not None and tag.parent.name == "blockquote"
        return None if quotes else name
    if name not in _NEVER and _ROLES.fullmatch(attribute(tag, "role").lower()):
        return "role"
    return None


def is_comments(tag: Tag) -> bool:
    """Tell whether an element holds what readers wrote below a text."""
    return tag.name not in _NEVER | {"p", "a", "span"} and any(
        _COMMENTS.fullmatch(name) for name in _names(tag)
    )


def by_name(tag: Tag) -> str | None:
    """Return the kind of furniture that an element's class or id names, or None."""
    if tag.name in _NEVER:
        return None
    for name in _names(tag):
        for kind, words in _NAMES:
            if words.search(name):
                return kind
    return None


def _names(tag: Tag) -> list[str]:
    named = classes(tag)
    # The id of a section is that of its heading: what it is about, not what it is.
    if tag.get("id") and "section" not in {tag.name, *named}:
        named.append(attribute(tag, "id"))
    return [" ".join(words_of(name)) for name in named]
