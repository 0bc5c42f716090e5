// Runs programs that trace themselves and tells which lines ran and which definition each use saw.
// What a line defines and uses is read off the plain text, which the generator keeps to a few simple forms.
const fs = require('fs');
const path = require('path');

const NAMES = /\b([abcd]|xs|[ifp]\d+|e)\b/g;

function touches(text) {
  const uses = {}, defs = {};
  text.split('\n').forEach((raw, index) => {
    const line = raw.trim(), number = index + 1;
    const use = new Set(), def = new Set();
    let rest = line;
    let match;
    if ((match = line.match(/^(?:label\d+: )?for \(const (\w+) of/))) {
      def.add(match[1]);
      rest = '';
    } else if ((match = line.match(/^const (\w+) = \((\w+)\) => \{$/))) {
      def.add(match[1]);
      rest = '';
    } else if (line.startsWith('function ')) {
      rest = '';
    } else if ((match = line.match(/^\} catch \((\w+)\)/))) {
      def.add(match[1]);
      rest = '';
    } else if ((match = line.match(/^([abcd]) (\+?)= (.*);$/))) {
      def.add(match[1]);
      if (match[2]) use.add(match[1]);
      rest = match[3];
    } else if (line.startsWith('xs.push(')) {
      def.add('xs');
    }
    for (const name of rest.matchAll(NAMES)) use.add(name[1]);
    uses[number] = use;
    defs[number] = def;
  });
  return { uses, defs };
}

class Enough extends Error {}

function trace(folder, seed) {
  const { uses, defs } = touches(fs.readFileSync(path.join(folder, `${seed}.plain.js`), 'utf8'));
  const text = fs.readFileSync(path.join(folder, `${seed}.js`), 'utf8');
  const plain = fs.readFileSync(path.join(folder, `${seed}.plain.js`), 'utf8').split('\n');
  const frames = [], pairs = new Map();
  let last = new Map(), budget = 0, steps = 0;
  const enter = () => {
    frames.push({ first: 0, lines: [], ended: false });
    return frames.length - 1;
  };
  const D = (frame, line) => {
    for (const name of defs[line]) last.set(name, line);
  };
  const T = (frame, line) => {
    if (++steps > 3000) throw new Enough();
    const record = frames[frame];
    if (record.lines.length === 0) {
      // The function around the first line that ran.
      let at = line;
      const depth = (text) => text.match(/^ */)[0].length;
      while (at > 1 && !(depth(plain[at - 1]) < depth(plain[line - 1]) && /=> \{$|^function /.test(plain[at - 1].trim()))) at--;
      record.first = at;
      const params = plain[at - 1].match(/\(([^)]*)\)/)[1].split(', ');
      for (const name of params) last.set(name, at);
    }
    record.lines.push(line);
    for (const name of uses[line]) {
      if (last.has(name)) pairs.set(`${name} ${last.get(name)} ${line}`, [name, last.get(name), line]);
    }
    return true;
  };
  const V = (frame, line, value) => {
    T(frame, line);
    return value;
  };
  const upto = (count) => Array.from({ length: count }, (_, index) => index);
  function* traced(frame, line, count) {
    for (let index = 0; index < count; index++) {
      T(frame, line);
      D(frame, line);
      yield index;
    }
    T(frame, line);
  }
  const fuel = () => budget-- > 0;
  const div = (x, y) => {
    if (y === 0) throw new Error('zero');
    return Math.floor(x / y);
  };
  const make = new Function('enter', 'T', 'D', 'V', 'upto', 'traced', 'fuel', 'div', `${text}\nreturn program;`);
  const program = make(enter, T, D, V, upto, traced, fuel, div);
  for (const start of [[1, 2, 3, 4], [0, 0, 5, 1], [6, 1, 0, 2]]) {
    budget = 40;
    steps = 0;
    last = new Map();
    const mark = frames.length;
    try {
      program(...start, []);
      if (frames[mark].lines.length) frames[mark].ended = true;
    } catch (error) {
      if (error instanceof SyntaxError) throw error;
    }
  }
  console.log(JSON.stringify({ frames: frames.filter((frame) => frame.lines.length), pairs: [...pairs.values()] }));
}

for (const seed of process.argv.slice(3)) trace(process.argv[2], seed);
