// Runs the examples in the comments of a library whose statements were taken out. One job a line: a file, lists of edits.
const assert = require('assert'), fs = require('fs'), vm = require('vm'), readline = require('readline');
const Module = require('module');

// `_.f(1);` with `// => 2` behind it or on the next line.
function examples(text) {
  const found = [];
  for (const comment of text.match(/\/\*\*[\s\S]*?\*\//g) || []) {
    const at = comment.indexOf('@example');
    if (at < 0) continue;
    const lines = comment.slice(at + 8).replace(/\*\/$/, '').split('\n').map((line) => line.replace(/^\s*\*ec?/, '').replace(/^\s*\* ?/, ''));
    const body = lines.filter((line) => !/^\s*@/.test(line)).join('\n');
    const code = [];
    for (const line of body.split('\n')) {
      const split = line.match(/^(.*?)\/\/\s?=>\s?(.*)$/);
      if (!split) { code.push(line); continue; }
      if (split[1].trim()) code.push(split[1]);
      code.push('/*=>*/' + split[2]);
    }
    found.push(code);
  }
  return found;
}

// A script that checks what each expression gives.
function script(code) {
  let out = '', waiting = '';
  for (const line of code) {
    if (line.startsWith('/*=>*/')) {
      const expression = waiting.trim().replace(/;\s*$/, '');
      const wanted = line.slice(6).trim();
      const statements = expression.split(/;\s*\n/);
      const last = statements.pop();
      out += statements.join(';\n') + ';\n';
      if (/^(var|let|const|function|if|for)\b/.test(last.trim())) out += last + ';\n';
      else out += `__check(() => (${last}\n), () => (${wanted}\n));\n`;
      waiting = '';
    } else waiting += line + '\n';
  }
  return out + waiting;
}

// A library in a world of its own: what one variant breaks, another does not see.
function load(file, text, name, check) {
  const context = vm.createContext({ __check: check, console: { log() {} }, Buffer, setTimeout: () => 0, clearTimeout() {} });
  const wrapped = vm.runInContext(Module.wrap(text), context, { filename: file, timeout: 3000 });
  const module = { exports: {} };
  wrapped.call(module.exports, module.exports, require, module, file, require('path').dirname(file));
  context[name] = module.exports;
  return context;
}

function run(file, text, name, scripts, stops) {
  let checked = 0;
  const check = (expression, wanted) => {
    let want;
    try { want = wanted(); } catch { return; }
    assert.deepStrictEqual(JSON.parse(JSON.stringify([expression()])), JSON.parse(JSON.stringify([want])));
    checked += 1;
  };
  const context = load(file, text, name, check);
  const outcome = [];
  for (const one of scripts) {
    checked = 0;
    try {
      one.runInContext(context, { timeout: 1500 });
      outcome.push(checked > 0);
    } catch { outcome.push(false); }
    if (stops && !outcome.at(-1)) break;
  }
  return outcome;
}

const known = new Map();
function suite(file) {
  if (!known.has(file)) {
    const text = fs.readFileSync(file, 'utf8');
    const name = /ramda/.test(file) ? 'R' : '_';
    const scripts = [];
    for (const code of examples(text)) {
      try { scripts.push(new vm.Script(`(function () {\n${script(code)}\n})()`)); } catch {}
    }
    // Some are about chance or the time: what does not pass five times is not used.
    const runs = [1, 2, 3, 4, 5].map(() => run(file, text, name, scripts, false));
    const good = scripts.filter((_, number) => runs.every((first) => first[number]));
    known.set(file, { text: Buffer.from(text), name, scripts: good });
    process.stderr.write(`${file}: ${good.length} of ${scripts.length} examples pass as they are\n`);
  }
  return known.get(file);
}

function job(of) {
  const { text, name, scripts } = suite(of.file);
  const passed = [];
  for (const [number, edits] of of.variants.entries()) {
    let parts = [], at = 0;
    for (const [start, end, fresh] of [...edits].sort((a, b) => a[0] - b[0])) {
      parts.push(text.subarray(at, start), Buffer.from(fresh));
      at = end;
    }
    parts.push(text.subarray(at));
    let good = false;
    try {
      good = run(of.file, Buffer.concat(parts).toString(), name, scripts, true).every((one) => one);
    } catch {}
    passed.push(good);
    if (number === 0 && good) return { skipped: 'no example notices that it is empty' };
  }
  return { passed };
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  let answer;
  try { answer = job(JSON.parse(line)); } catch (error) { answer = { skipped: String(error) }; }
  process.stdout.write(JSON.stringify(answer) + '\n');
});
