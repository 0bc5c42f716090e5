const { add } = require("./math");
const text = require("./text");
const Parser = require("./parser");

add(1, 2);
text.trim();
new Parser().parse();
