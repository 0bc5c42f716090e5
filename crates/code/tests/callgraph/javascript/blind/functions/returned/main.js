function inner() {}

function outer() {
  return inner;
}

const get = outer;
get()();
(function () {
  outer();
})();
const made = (() => inner)();
made();
