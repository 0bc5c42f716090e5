class Emitter {
  constructor() {
    this.listeners = {};
  }

  on(name, f) {
    this.listeners[name] = f;
  }

  emit(name) {
    this.listeners[name]();
  }
}

export const emitter = new Emitter();
