import shop
import shop.cart as cart
from shop import checkout


def run():
    shop.open_shop()
    cart.add()
    checkout.pay()


run()
