<?php
namespace Shop;

use Shop\Stock\Item;

const LIMIT = 10;

class Cart extends Base implements Able
{
    /**
     * Adds an item.
     */
    public function add(Item $item, int $count = 1): int
    {
        return $count;
    }

    function total()
    {
        return $this->add(null);
    }
}

interface Able {}

trait Tell {}

function pay(Cart $cart)
{
    $cart->add(1);
}

function main()
{
    pay(new Cart());
}
