export default class Cart {
  constructor(rule) {
    this.rule = rule;
  }

  total() {
    return this.rule(1);
  }
}

export const tax = (n) => n;
