function each() {
  for (let i = 0; i < arguments.length; i++) {
    arguments[i]();
  }
}

function one() {}
function two() {}

each(one, two);
Promise.all([load()]).then(([text]) => text.show());

async function load() {
  return new Text();
}

class Text {
  show() {}
}
