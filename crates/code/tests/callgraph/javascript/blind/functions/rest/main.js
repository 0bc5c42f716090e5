function one() {}
function two() {}
function three() {}

function each(first, ...rest) {
  first();
  rest.forEach((f) => f());
}

const args = [two, three];
each(one, ...args);
