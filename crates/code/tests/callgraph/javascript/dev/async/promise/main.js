function parse() {}
function failed() {}

async function fetchText() {
  return new Reply();
}

class Reply {
  text() {}
}

async function main() {
  const reply = await fetchText();
  reply.text();
  fetchText().then(parse).catch(failed);
}

main();
