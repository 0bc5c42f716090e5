class Engine {
  start() {
    this.check();
  }

  check() {}
}

class Car {
  constructor() {
    this.engine = new Engine();
  }

  drive() {
    this.engine.start();
  }
}

const car = new Car();
car.drive();
