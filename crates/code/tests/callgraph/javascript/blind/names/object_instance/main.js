const Animal = {
  speak() {
    this.sound();
  },
  sound() {},
};

const dog = Object.create(Animal);
dog.sound = function () {
  bark();
};

function bark() {}

dog.speak();
