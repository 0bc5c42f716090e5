function Animal(name) {
  this.name = name;
}

Animal.prototype.speak = function () {
  this.sound();
};

Animal.prototype.sound = function () {};

const dog = new Animal("dog");
dog.speak();
