"""Parts of pages that are printed once for all that they depend on."""

from collections.abc import Sequence
from operator import methodcaller
from sys import getsizeof

from django import template
from django.template import Context, NodeList
from django.template.base import FilterExpression, Parser, Token
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from leaderboard.web.cache import LruBySize

register = template.Library()
# Django's engine takes longer to print the choices above a board than its rows take.
_parts: LruBySize[SafeString] = LruBySize(4 << 20, lambda text: 2 * getsizeof(text))


@register.tag
def part(parser: Parser, token: Token) -> "RememberedPart":
    """`{% part a b %}` ... `{% endpart %}`: printed anew where the values `a` and `b`,
    which can be hashed, or the language are others than before. What stands between
    may depend on nothing else."""
    values = [parser.compile_filter(word) for word in token.split_contents()[1:]]
    inside = parser.parse(("endpart",))
    parser.delete_first_token()
    return RememberedPart(inside, values)


@register.simple_tag(takes_context=True)
def template_name(context: Context) -> str:
    """The name of the template of a page, which fills in the blocks of others."""
    return str(context.template_name)


class RememberedPart(template.Node):
    def __init__(self, inside: NodeList, values: Sequence[FilterExpression]) -> None:
        self.inside, self.values = inside, values

    def render(self, context: Context) -> SafeString:
        own = map(methodcaller("resolve", context), self.values)
        key = (self, get_language(), *own)
        text = _parts.recall([key]).get(key)
        if text is None:
            text = mark_safe(self.inside.render(context))
            _parts.remember(key, text)
        return text
