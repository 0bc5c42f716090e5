function run({ before, after: { done } }, [first, , third]) {
  before();
  done();
  first();
  third();
}

function a() {}
function b() {}
function c() {}
function d() {}

run({ before: a, after: { done: b } }, [c, null, d]);
