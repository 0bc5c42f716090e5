function make(report) {
  let count = 0;
  function step() {
    count += 1;
    report(count);
  }
  return { step, reset: () => clear() };
}

function clear() {}
function log() {}

const counter = make(log);
counter.step();
counter.reset();
