function save() {}

function load(save) {
  save();
}

function other() {}

function run() {
  const save = other;
  save();
  {
    let other = null;
  }
}

load(other);
run();
