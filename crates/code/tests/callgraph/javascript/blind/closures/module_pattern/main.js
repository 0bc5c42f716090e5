const shop = (function () {
  function price() {
    return tax();
  }

  function tax() {
    return 1;
  }

  return { price: price };
})();

function order() {
  const total = shop.price;
  return total();
}

order();
