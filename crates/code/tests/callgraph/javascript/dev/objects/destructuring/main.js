function a() {}
function b() {}
function c() {}

const source = { a, inner: { b }, list: [c] };
const {
  a: first,
  inner: { b: second },
  list: [third],
} = source;
first();
second();
third();
