class Store {
  get() {}
  push() {}
  join() {}
  map() {}
}

function run(words) {
  const list = [];
  list.push(1);
  const text = ["a"].join(",");
  const map = new Map();
  map.get("x");
  return text.split(",").map((x) => x);
}

run([]);
