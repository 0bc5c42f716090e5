from .door import open_shop
