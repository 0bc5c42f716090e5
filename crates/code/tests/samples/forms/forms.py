"""Forms of Python that the scanner and the tree must agree on."""
from __future__ import annotations

import os.path, json as j
from . import sibling
from ..package . module import (first as one,  # a comment
    second,
)
from elsewhere import *

a = B = make()
square = lambda x, y=lambda: 1: x * y
pair = lambda: 1, 2
typed: int
values: list[int] = [
    1,
    2,
]
(p) = q, r = 1, 2
x += 1
x.y = z[0] = 3
text = f'{x!r:>{width}} {{no}} {d["key"]} {f"{inner}"}' "more" '''
several
lines'''
naïve = größe()
long = first + \
    second
type Alias[T] = list[T]
type = 3
match = case = 1

if condition: c = 1; D = 2
elif other: import late
else:
    try: e = 3
    except Error: f = 4
    finally:
        g = 5

match command:
    case "go": moved = 1
    case [x, *rest] if x:
        moved = 2
    case _: pass


@decorate(
    "with",
    several="lines",
)
@again
class Shop[T: int](Base[T], Mixin, metaclass=Meta(1)):
    r"""
    A shop.
    """
    limit = 10
    name: str = "x"

    @property
    def total(self) -> "int": return sum(i for i in self.items)

    @staticmethod
    async def open(
        where,  # a comment
        *args: *Ts,
        key=lambda: {"a": 1},
        **kw,
    ) -> dict[str, int] | None:  # noqa
        # First a comment.
        'Opens it.'
        def inner(): 'Says.'; return 1
        class Local:
            def deep(self):
                pass
                # of deep

            # of Local
        return inner
        # of open

    # of Shop
        # still of Shop
# of nobody
    # nor this

def generic[T](x: T, y: list[T] | None = g()) -> T:
    f'no {doc}'
    x = 1
# a comment that is out of place
    return x


class Empty(): ...


class Tuple:
    'Doc', 1


def concatenated():
    'no ' 'doc'


def called():
    'no doc'.strip()


with open(x) as f, (g()) as h: data = f.read()
for i in range(3): last = i
while last: last -= 1
async def main(): await run()
if __name__ == "__main__":
	main()
	tabbed = True
