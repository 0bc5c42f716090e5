local stock = require("shop.stock")

LIMIT = 10

local Cart = {}
Cart.__index = Cart

-- Adds an item.
function Cart:add(item, count)
  return count
end

function Cart:total()
  return self:add(nil, 1)
end

function Cart.build()
  return setmetatable({}, Cart)
end

local function pay(cart)
  local function inner() end
  if cart then
    cart:add(nil, 1)
  end
end

local check = function(x)
  return x > 1
end

function main()
  pay(Cart.build())
end

return Cart
