require "stock"

LIMIT = 10

module Shop
  class Cart < Base
    # Adds an item.
    def add(item, count = 1)
      count
    end

    def total
      self.add(nil)
    end

    def self.build
      Cart.new
    end
  end
end

def pay
  cart = Cart.new
  cart.add(1)
end

def main
  pay()
end
