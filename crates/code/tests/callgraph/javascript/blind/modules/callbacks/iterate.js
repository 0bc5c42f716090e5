export function each(list, f) {
  for (const x of list) {
    f(x);
  }
}
