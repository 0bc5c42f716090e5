function start() {}
function stop() {}

const table = { start, stop };
table.pause = function pause() {};

function run(name) {
  const handler = table[name];
  if (handler) handler();
}

run("start");
Object.values(table).forEach((f) => f());
