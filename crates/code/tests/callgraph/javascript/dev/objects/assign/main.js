function open() {}
function close() {}

const merged = Object.assign({}, { open }, { close });
merged.open();
const copy = { ...merged };
copy.close();
