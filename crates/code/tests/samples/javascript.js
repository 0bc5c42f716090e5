const { Item } = require("./stock");

const LIMIT = 10;

class Cart extends Base {
  items = [];
  /** Adds an item. */
  add(item, count) {
    return count;
  }

  total() {
    return this.add(null);
  }
}

function pay() {
  const cart = new Cart();
  const inner = () => 1;
  cart.add(1);
}

exports.main = function () {
  pay();
};
