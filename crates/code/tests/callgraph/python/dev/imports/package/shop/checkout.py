from . import cart


def pay():
    cart.add()
