class Range {
  constructor(n) {
    this.n = n;
  }

  *[Symbol.iterator]() {
    yield step;
  }
}

function step() {}

for (const f of new Range(3)) {
  f();
}
