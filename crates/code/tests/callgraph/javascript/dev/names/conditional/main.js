function fast() {}
function slow() {}
function last() {}

function choose(flag, given) {
  const run = flag ? fast : slow;
  run();
  const handler = given || last;
  handler?.();
  console.log(`${label(flag)}`);
}

function label() {}

choose(true);
