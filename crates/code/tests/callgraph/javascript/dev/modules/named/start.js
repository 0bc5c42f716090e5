export default function begin() {
  prepare();
}

function prepare() {}
