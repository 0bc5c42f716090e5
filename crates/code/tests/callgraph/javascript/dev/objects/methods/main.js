function save() {}

const api = {
  save,
  load() {
    return this.parse();
  },
  parse: function () {},
  "quick-start": () => save(),
};

api.save();
api.load();
api["quick-start"]();
