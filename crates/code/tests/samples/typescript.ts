import { Item as Thing } from "./stock";

export const LIMIT = 10;

/** A cart. */
export class Cart extends Base implements Able {
  private items: Thing[] = [];
  constructor(private stock: Stock) {}

  /**
   * Adds an item.
   */
  async add(item: Thing, count = 1): Promise<number> {
    return count;
  }

  total() {
    return this.add(null);
  }
}

interface Able {
  total(): number;
}

type Id = string;

enum Kind { A }

export function pay(cart: Cart) {
  const inner = () => 1;
  cart.add(1);
}

const main = async () => {
  pay(new Cart());
};
