function clean(x) {
  return x;
}

function wanted(x) {
  return check(x);
}

function check() {
  return true;
}

function total(sum, x) {
  return sum + x;
}

function done() {}

[1, 2].map(clean).filter(wanted).reduce(total, 0);
setTimeout(done, 10);
