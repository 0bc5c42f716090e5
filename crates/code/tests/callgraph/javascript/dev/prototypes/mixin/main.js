const Walker = (Base) =>
  class extends Base {
    walk() {
      return this.step();
    }
  };

class Animal {
  step() {}
}

class Dog extends Walker(Animal) {}

new Dog().walk();
