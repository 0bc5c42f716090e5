const base = {
  greet() {
    return this.name();
  },
  name() {},
};

const child = Object.create(base, {});
child.greet();

const other = Object.create(base);
Object.assign(other, {
  name() {
    return special();
  },
});
other.greet();

function special() {}
