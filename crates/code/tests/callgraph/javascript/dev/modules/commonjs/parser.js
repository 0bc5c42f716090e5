class Parser {
  parse() {}
}

module.exports = Parser;
