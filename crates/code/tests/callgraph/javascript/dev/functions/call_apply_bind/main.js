function greet() {
  this.name();
}

const person = {
  name() {},
};

greet.call(person);
greet.apply(person, []);
const bound = greet.bind(person);
bound();
