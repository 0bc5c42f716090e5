package shop;

import shop.stock.Item;

public class Cart extends Base implements Able {
    public static final int LIMIT = 10;

    public Cart() {}

    /**
     * Adds an item.
     */
    @Override
    public int add(Item item, int count) {
        return count;
    }

    int total() {
        return this.add(null, 1);
    }

    static void pay(Cart cart) {
        cart.add(null, 1);
    }

    public static void main(String[] args) {
        pay(new Cart());
    }
}

interface Able {
    int total();
}

enum Kind { A }

record Point(int x) {}
