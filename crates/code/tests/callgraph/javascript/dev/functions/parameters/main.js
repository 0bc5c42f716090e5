function param() {}

function call(f) {
  f();
}

const alias = param;
call(alias);
