function add(a, b) {
  return check(a) + b;
}

function check(a) {
  return a;
}

module.exports = { add };
