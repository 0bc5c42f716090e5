function work(resolve) {
  resolve(finish);
}

function finish() {}

async function run() {
  const f = await new Promise(work);
  f();
  try {
    risky();
  } catch (error) {
    report(error);
  }
}

function risky() {
  throw new Failure("x");
}

class Failure extends Error {
  constructor(text) {
    super(text);
  }
}

function report() {}

run();
