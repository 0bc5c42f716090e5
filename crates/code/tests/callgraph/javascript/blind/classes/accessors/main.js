class Box {
  constructor(value) {
    this.inner = value;
  }

  get value() {
    return this.read();
  }

  set value(v) {
    this.write(v);
  }

  read() {
    return this.inner;
  }

  write(v) {}
}

function job() {}

const box = new Box(job);
box.read()();
