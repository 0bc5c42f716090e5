const routes = {
  users: { list: () => rows(), show(id) {} },
};

function rows() {}

function handle(section, action) {
  const table = routes[section];
  return table[action]();
}

handle("users", "list");
const { show } = routes.users;
show(1);
for (const [name, run] of Object.entries(routes.users)) {
  run(name);
}
