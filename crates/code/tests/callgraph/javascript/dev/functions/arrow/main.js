const twice = (f) => {
  f();
  f();
};
const hello = () => world();
const world = function () {};

twice(hello);
