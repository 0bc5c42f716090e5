exports.trim = function () {
  strip();
};

function strip() {}
