class Query {
  where() {
    return this;
  }

  run() {
    return new Rows();
  }
}

class Rows {
  first() {}

  run() {}
}

function users() {
  return new Query().where();
}

users().run().first();
