import os
from shop.stock import Item

LIMIT = 10


class Cart(Base):
    """A cart."""

    def add(self, item: Item, count=1) -> int:
        """Adds an item.

        More.
        """
        return count

    def total(self):
        return self.add(None)


def pay(cart: Cart):
    def inner():
        pass

    cart.add(1)


async def main():
    pay(Cart())
