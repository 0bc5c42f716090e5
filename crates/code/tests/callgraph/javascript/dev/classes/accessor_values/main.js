class Settings {
  #handler = null;

  get handler() {
    return this.#handler;
  }

  set handler(f) {
    this.#handler = f;
  }

  run() {
    this.#handler();
  }
}

function work() {}

const settings = new Settings();
settings.handler = work;
settings.run();
