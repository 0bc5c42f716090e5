class Shop {
  open(then) {
    then();
    return this;
  }
}

const shop = new Shop();
export { shop };
