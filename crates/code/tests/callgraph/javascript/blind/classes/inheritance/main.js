class Base {
  constructor(name) {
    this.name = name;
    this.setup();
  }

  setup() {}

  run() {
    this.step();
  }

  step() {}
}

class Child extends Base {
  constructor() {
    super("child");
  }

  setup() {}

  step() {
    super.step();
    help();
  }
}

function help() {}

new Child().run();
