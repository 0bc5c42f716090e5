const add = (a) => (b) => sum(a, b);

function sum(a, b) {
  return a + b;
}

function compose(f, g) {
  return (x) => f(g(x));
}

const up = add(1);
const both = compose(up, double);
both(2);

function double(x) {
  return x * 2;
}
