function Shape(name) {
  this.name = name;
  this.setup();
}

Shape.prototype.setup = function () {};

Shape.prototype.area = function () {
  return 0;
};

function Circle(r) {
  Shape.call(this, "circle");
  this.r = r;
}

Circle.prototype = Object.create(Shape.prototype);
Circle.prototype.constructor = Circle;

Circle.prototype.area = function () {
  return pi(this.r);
};

function pi(r) {
  return r;
}

const circle = new Circle(1);
circle.area();
