function hit() {}
function miss() {}

const map = new Map();
map.set("hit", hit);
map.get("hit")();

const all = new Set([miss]);
for (const f of all) {
  f();
}
