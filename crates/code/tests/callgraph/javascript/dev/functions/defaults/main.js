function fallback() {}

function other() {}

function run(f = fallback, { g } = { g: other }) {
  f();
  g();
}

run();
