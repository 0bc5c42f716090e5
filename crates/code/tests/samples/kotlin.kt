package shop

import shop.stock.Item

const val LIMIT = 10

/** A cart. */
open class Cart(private val owner: String) : Base(owner), Able {
    var size: Int = 0

    /**
     * Adds an item.
     */
    fun add(item: Item?, count: Int = 1): Int {
        return count
    }

    override fun total(): Int = this.add(null)

    companion object {
        fun build(): Cart = Cart("me")
    }
}

interface Able {
    fun total(): Int
}

fun pay(cart: Cart) {
    fun inner() {}
    cart.add(null)
}

fun main() {
    pay(Cart("you"))
}
