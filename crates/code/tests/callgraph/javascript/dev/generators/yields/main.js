function* jobs() {
  yield first;
  yield* more();
}

function* more() {
  yield second;
}

function first() {}
function second() {}

for (const job of jobs()) {
  job();
}
const [one] = jobs();
one();
