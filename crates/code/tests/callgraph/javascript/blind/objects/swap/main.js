function left() {}
function right() {}
function extra() {}

let [x, y] = [left, right];
x();
const { z = extra, ...others } = { right };
z();
others.right();

function pair() {
  return { go: left };
}

const { go } = pair();
go();
