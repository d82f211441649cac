"""A small evaluator of PromQL, which tries the alert rules without a Prometheus.

It knows what the rules use: selectors with matchers, numbers, arithmetic, comparisons
that filter, `and`, and three functions. Anything else is a SyntaxError.
"""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Labels = frozenset[tuple[str, str]]
Vector = dict[Labels, float]
Value = float | Vector
TOKEN = re.compile(
    r'\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<text>"[^"]*")'
    r"|(?P<sign>==|!=|>=|<=|=~|[-+*/<>={}(),]))"
)
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
SUMS = {"+": operator.add, "-": operator.sub}
PRODUCTS = {"*": operator.mul, "/": operator.truediv}
MATCHERS: dict[str, Callable[[str, str], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "=~": lambda value, pattern: re.fullmatch(pattern, value) is not None,
}


@dataclass(frozen=True)
class Sample:
    name: str
    labels: Mapping[str, str]
    value: float


def evaluate(expression: str, samples: list[Sample]) -> Vector:
    """The series that an expression leaves; a rule fires if there is any."""
    parser = Parser(tokens(expression), samples)
    found = parser.either()
    if parser.left or not isinstance(found, dict):
        raise SyntaxError(f"no vector: {expression}")
    return found


def tokens(expression: str) -> list[str]:
    found, at, text = [], 0, expression.strip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise SyntaxError(f"not understood: {text[at:]}")
        found.append(match.group().strip())
        at = match.end()
    return found


@dataclass
class Parser:
    """Reads by precedence: `and`, comparisons, sums, products, single values."""

    left: list[str]
    samples: list[Sample]

    def either(self) -> Value:
        value = self.comparison()
        while self._next("and"):
            other = self.comparison()
            assert isinstance(value, dict) and isinstance(other, dict)
            value = {key: one for key, one in value.items() if key in other}
        return value

    def comparison(self) -> Value:
        value = self._chain(SUMS, lambda: self._chain(PRODUCTS, self.single))
        if self.left and self.left[0] in COMPARISONS:
            test = COMPARISONS[self.left.pop(0)]
            other = self._chain(SUMS, lambda: self._chain(PRODUCTS, self.single))
            assert isinstance(value, dict) and isinstance(other, float)
            value = {key: one for key, one in value.items() if test(one, other)}
        return value

    def single(self) -> Value:
        token = self.left.pop(0)
        if token == "(":
            value = self.either()
            self._must(")")
            return value
        if token[0].isdigit():
            return float(token)
        if token in ("abs", "sum"):
            self._must("(")
            vector = self.either()
            self._must(")")
            assert isinstance(vector, dict)
            if token == "abs":
                return {key: abs(value) for key, value in vector.items()}
            return {frozenset(): sum(vector.values())} if vector else {}
        if self.left and self.left[0] == "(":
            raise SyntaxError(f"unknown function {token}")
        return self._select(token)

    def _select(self, name: str) -> Vector:
        wanted = []
        if self._next("{"):
            while not self._next("}"):
                label, sign, text = (self.left.pop(0) for _ in range(3))
                wanted.append((label, MATCHERS[sign], text.strip('"')))
                self._next(",")
        return {
            frozenset(one.labels.items()): one.value
            for one in self.samples
            if one.name == name
            and all(test(one.labels.get(at, ""), text) for at, test, text in wanted)
        }

    def _chain(
        self,
        signs: Mapping[str, Callable[[float, float], float]],
        part: Callable[[], Value],
    ) -> Value:
        value = part()
        while self.left and self.left[0] in signs:
            apply, other = signs[self.left.pop(0)], part()
            value = _combined(apply, value, other)
        return value

    def _next(self, token: str) -> bool:
        if self.left and self.left[0] == token:
            self.left.pop(0)
            return True
        return False

    def _must(self, token: str) -> None:
        if not self._next(token):
            raise SyntaxError(f"{token} expected before {self.left}")


def _combined(
    apply: Callable[[float, float], float], one: Value, other: Value
) -> Value:
    if isinstance(one, float) and isinstance(other, float):
        return apply(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: apply(one[key], other[key]) for key in one if key in other}
    if isinstance(one, dict) and isinstance(other, float):
        return {key: apply(value, other) for key, value in one.items()}
    assert isinstance(other, dict) and isinstance(one, float)
    return {key: apply(one, value) for key, value in other.items()}
