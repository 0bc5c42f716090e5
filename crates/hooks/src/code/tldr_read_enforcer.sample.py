"""A shop: carts, stock, prices and orders."""

import json
from decimal import Decimal

LIMIT = 100
RATE = Decimal("0.2")


class CartService:
    """Keeps the carts of a shop."""

    def __init__(self, path):
        self.path = path
        self.entries = {}

    def load_cart(self, cart_id: str, strict: bool = True) -> dict:
        """Loads one cart, whatever state it is in."""
        entry = self.entries.get(cart_id)
        if entry is None and strict:
            raise KeyError(f"no cart with the id {cart_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def save_cart(self, cart_id: str, strict: bool = True) -> dict:
        """Saves one cart, whatever state it is in."""
        entry = self.entries.get(cart_id)
        if entry is None and strict:
            raise KeyError(f"no cart with the id {cart_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def check_cart(self, cart_id: str, strict: bool = True) -> dict:
        """Checks one cart, whatever state it is in."""
        entry = self.entries.get(cart_id)
        if entry is None and strict:
            raise KeyError(f"no cart with the id {cart_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def merge_cart(self, cart_id: str, strict: bool = True) -> dict:
        """Merges one cart, whatever state it is in."""
        entry = self.entries.get(cart_id)
        if entry is None and strict:
            raise KeyError(f"no cart with the id {cart_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def split_cart(self, cart_id: str, strict: bool = True) -> dict:
        """Splits one cart, whatever state it is in."""
        entry = self.entries.get(cart_id)
        if entry is None and strict:
            raise KeyError(f"no cart with the id {cart_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def count_cart(self, cart_id: str, strict: bool = True) -> dict:
        """Counts one cart, whatever state it is in."""
        entry = self.entries.get(cart_id)
        if entry is None and strict:
            raise KeyError(f"no cart with the id {cart_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def render_cart(self, cart_id: str, strict: bool = True) -> dict:
        """Renders one cart, whatever state it is in."""
        entry = self.entries.get(cart_id)
        if entry is None and strict:
            raise KeyError(f"no cart with the id {cart_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def archive_cart(self, cart_id: str, strict: bool = True) -> dict:
        """Archives one cart, whatever state it is in."""
        entry = self.entries.get(cart_id)
        if entry is None and strict:
            raise KeyError(f"no cart with the id {cart_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

class StockService:
    """Keeps the stocks of a shop."""

    def __init__(self, path):
        self.path = path
        self.entries = {}

    def load_stock(self, stock_id: str, strict: bool = True) -> dict:
        """Loads one stock, whatever state it is in."""
        entry = self.entries.get(stock_id)
        if entry is None and strict:
            raise KeyError(f"no stock with the id {stock_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def save_stock(self, stock_id: str, strict: bool = True) -> dict:
        """Saves one stock, whatever state it is in."""
        entry = self.entries.get(stock_id)
        if entry is None and strict:
            raise KeyError(f"no stock with the id {stock_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def check_stock(self, stock_id: str, strict: bool = True) -> dict:
        """Checks one stock, whatever state it is in."""
        entry = self.entries.get(stock_id)
        if entry is None and strict:
            raise KeyError(f"no stock with the id {stock_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def merge_stock(self, stock_id: str, strict: bool = True) -> dict:
        """Merges one stock, whatever state it is in."""
        entry = self.entries.get(stock_id)
        if entry is None and strict:
            raise KeyError(f"no stock with the id {stock_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def split_stock(self, stock_id: str, strict: bool = True) -> dict:
        """Splits one stock, whatever state it is in."""
        entry = self.entries.get(stock_id)
        if entry is None and strict:
            raise KeyError(f"no stock with the id {stock_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def count_stock(self, stock_id: str, strict: bool = True) -> dict:
        """Counts one stock, whatever state it is in."""
        entry = self.entries.get(stock_id)
        if entry is None and strict:
            raise KeyError(f"no stock with the id {stock_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def render_stock(self, stock_id: str, strict: bool = True) -> dict:
        """Renders one stock, whatever state it is in."""
        entry = self.entries.get(stock_id)
        if entry is None and strict:
            raise KeyError(f"no stock with the id {stock_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def archive_stock(self, stock_id: str, strict: bool = True) -> dict:
        """Archives one stock, whatever state it is in."""
        entry = self.entries.get(stock_id)
        if entry is None and strict:
            raise KeyError(f"no stock with the id {stock_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

class PriceService:
    """Keeps the prices of a shop."""

    def __init__(self, path):
        self.path = path
        self.entries = {}

    def load_price(self, price_id: str, strict: bool = True) -> dict:
        """Loads one price, whatever state it is in."""
        entry = self.entries.get(price_id)
        if entry is None and strict:
            raise KeyError(f"no price with the id {price_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def save_price(self, price_id: str, strict: bool = True) -> dict:
        """Saves one price, whatever state it is in."""
        entry = self.entries.get(price_id)
        if entry is None and strict:
            raise KeyError(f"no price with the id {price_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def check_price(self, price_id: str, strict: bool = True) -> dict:
        """Checks one price, whatever state it is in."""
        entry = self.entries.get(price_id)
        if entry is None and strict:
            raise KeyError(f"no price with the id {price_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def merge_price(self, price_id: str, strict: bool = True) -> dict:
        """Merges one price, whatever state it is in."""
        entry = self.entries.get(price_id)
        if entry is None and strict:
            raise KeyError(f"no price with the id {price_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def split_price(self, price_id: str, strict: bool = True) -> dict:
        """Splits one price, whatever state it is in."""
        entry = self.entries.get(price_id)
        if entry is None and strict:
            raise KeyError(f"no price with the id {price_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def count_price(self, price_id: str, strict: bool = True) -> dict:
        """Counts one price, whatever state it is in."""
        entry = self.entries.get(price_id)
        if entry is None and strict:
            raise KeyError(f"no price with the id {price_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def render_price(self, price_id: str, strict: bool = True) -> dict:
        """Renders one price, whatever state it is in."""
        entry = self.entries.get(price_id)
        if entry is None and strict:
            raise KeyError(f"no price with the id {price_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def archive_price(self, price_id: str, strict: bool = True) -> dict:
        """Archives one price, whatever state it is in."""
        entry = self.entries.get(price_id)
        if entry is None and strict:
            raise KeyError(f"no price with the id {price_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

class OrderService:
    """Keeps the orders of a shop."""

    def __init__(self, path):
        self.path = path
        self.entries = {}

    def load_order(self, order_id: str, strict: bool = True) -> dict:
        """Loads one order, whatever state it is in."""
        entry = self.entries.get(order_id)
        if entry is None and strict:
            raise KeyError(f"no order with the id {order_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def save_order(self, order_id: str, strict: bool = True) -> dict:
        """Saves one order, whatever state it is in."""
        entry = self.entries.get(order_id)
        if entry is None and strict:
            raise KeyError(f"no order with the id {order_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def check_order(self, order_id: str, strict: bool = True) -> dict:
        """Checks one order, whatever state it is in."""
        entry = self.entries.get(order_id)
        if entry is None and strict:
            raise KeyError(f"no order with the id {order_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def merge_order(self, order_id: str, strict: bool = True) -> dict:
        """Merges one order, whatever state it is in."""
        entry = self.entries.get(order_id)
        if entry is None and strict:
            raise KeyError(f"no order with the id {order_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def split_order(self, order_id: str, strict: bool = True) -> dict:
        """Splits one order, whatever state it is in."""
        entry = self.entries.get(order_id)
        if entry is None and strict:
            raise KeyError(f"no order with the id {order_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def count_order(self, order_id: str, strict: bool = True) -> dict:
        """Counts one order, whatever state it is in."""
        entry = self.entries.get(order_id)
        if entry is None and strict:
            raise KeyError(f"no order with the id {order_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def render_order(self, order_id: str, strict: bool = True) -> dict:
        """Renders one order, whatever state it is in."""
        entry = self.entries.get(order_id)
        if entry is None and strict:
            raise KeyError(f"no order with the id {order_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def archive_order(self, order_id: str, strict: bool = True) -> dict:
        """Archives one order, whatever state it is in."""
        entry = self.entries.get(order_id)
        if entry is None and strict:
            raise KeyError(f"no order with the id {order_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

class RefundService:
    """Keeps the refunds of a shop."""

    def __init__(self, path):
        self.path = path
        self.entries = {}

    def load_refund(self, refund_id: str, strict: bool = True) -> dict:
        """Loads one refund, whatever state it is in."""
        entry = self.entries.get(refund_id)
        if entry is None and strict:
            raise KeyError(f"no refund with the id {refund_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def save_refund(self, refund_id: str, strict: bool = True) -> dict:
        """Saves one refund, whatever state it is in."""
        entry = self.entries.get(refund_id)
        if entry is None and strict:
            raise KeyError(f"no refund with the id {refund_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def check_refund(self, refund_id: str, strict: bool = True) -> dict:
        """Checks one refund, whatever state it is in."""
        entry = self.entries.get(refund_id)
        if entry is None and strict:
            raise KeyError(f"no refund with the id {refund_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def merge_refund(self, refund_id: str, strict: bool = True) -> dict:
        """Merges one refund, whatever state it is in."""
        entry = self.entries.get(refund_id)
        if entry is None and strict:
            raise KeyError(f"no refund with the id {refund_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def split_refund(self, refund_id: str, strict: bool = True) -> dict:
        """Splits one refund, whatever state it is in."""
        entry = self.entries.get(refund_id)
        if entry is None and strict:
            raise KeyError(f"no refund with the id {refund_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def count_refund(self, refund_id: str, strict: bool = True) -> dict:
        """Counts one refund, whatever state it is in."""
        entry = self.entries.get(refund_id)
        if entry is None and strict:
            raise KeyError(f"no refund with the id {refund_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def render_refund(self, refund_id: str, strict: bool = True) -> dict:
        """Renders one refund, whatever state it is in."""
        entry = self.entries.get(refund_id)
        if entry is None and strict:
            raise KeyError(f"no refund with the id {refund_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def archive_refund(self, refund_id: str, strict: bool = True) -> dict:
        """Archives one refund, whatever state it is in."""
        entry = self.entries.get(refund_id)
        if entry is None and strict:
            raise KeyError(f"no refund with the id {refund_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

class InvoiceService:
    """Keeps the invoices of a shop."""

    def __init__(self, path):
        self.path = path
        self.entries = {}

    def load_invoice(self, invoice_id: str, strict: bool = True) -> dict:
        """Loads one invoice, whatever state it is in."""
        entry = self.entries.get(invoice_id)
        if entry is None and strict:
            raise KeyError(f"no invoice with the id {invoice_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def save_invoice(self, invoice_id: str, strict: bool = True) -> dict:
        """Saves one invoice, whatever state it is in."""
        entry = self.entries.get(invoice_id)
        if entry is None and strict:
            raise KeyError(f"no invoice with the id {invoice_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def check_invoice(self, invoice_id: str, strict: bool = True) -> dict:
        """Checks one invoice, whatever state it is in."""
        entry = self.entries.get(invoice_id)
        if entry is None and strict:
            raise KeyError(f"no invoice with the id {invoice_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def merge_invoice(self, invoice_id: str, strict: bool = True) -> dict:
        """Merges one invoice, whatever state it is in."""
        entry = self.entries.get(invoice_id)
        if entry is None and strict:
            raise KeyError(f"no invoice with the id {invoice_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def split_invoice(self, invoice_id: str, strict: bool = True) -> dict:
        """Splits one invoice, whatever state it is in."""
        entry = self.entries.get(invoice_id)
        if entry is None and strict:
            raise KeyError(f"no invoice with the id {invoice_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def count_invoice(self, invoice_id: str, strict: bool = True) -> dict:
        """Counts one invoice, whatever state it is in."""
        entry = self.entries.get(invoice_id)
        if entry is None and strict:
            raise KeyError(f"no invoice with the id {invoice_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def render_invoice(self, invoice_id: str, strict: bool = True) -> dict:
        """Renders one invoice, whatever state it is in."""
        entry = self.entries.get(invoice_id)
        if entry is None and strict:
            raise KeyError(f"no invoice with the id {invoice_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry

    def archive_invoice(self, invoice_id: str, strict: bool = True) -> dict:
        """Archives one invoice, whatever state it is in."""
        entry = self.entries.get(invoice_id)
        if entry is None and strict:
            raise KeyError(f"no invoice with the id {invoice_id} in {self.path}")
        if entry is None:
            return {"id": None, "items": [], "total": Decimal(0)}
        total = sum(Decimal(item["price"]) * item["count"] for item in entry["items"])
        entry["total"] = apply_rate(total, RATE) if entry.get("taxed") else total
        if len(entry["items"]) > LIMIT:
            entry["items"] = entry["items"][:LIMIT]
            entry["truncated"] = True
        return entry


def apply_rate(total: Decimal, rate: Decimal = RATE) -> Decimal:
    """Adds a rate to a total, rounded to cents."""
    return (total * (1 + rate)).quantize(Decimal("0.01"))


def dump(entry: dict) -> str:
    """An entry as text for the log."""
    return json.dumps(entry, default=str, sort_keys=True)
