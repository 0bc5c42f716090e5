class Registry {
  static shared = new Registry();
  handlers = [];
  #hidden() {}

  onEvent = () => {
    this.#hidden();
  };

  static create() {
    return new Registry();
  }

  add(handler) {
    this.handlers.push(handler);
    return this;
  }

  fire() {
    for (const handler of this.handlers) {
      handler();
    }
  }
}

function job() {}

Registry.create().add(job).fire();
Registry.shared.onEvent();
