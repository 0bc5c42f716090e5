package shop

import shop.stock.{Item, Other => Another}

/** A cart. */
class Cart(owner: String) extends Base(owner) with Able {
  val Limit = 10

  /** Adds an item. */
  def add(item: Item, count: Int = 1): Int = {
    count
  }

  override def total: Int = this.add(null)
}

object Cart {
  def build(): Cart = new Cart("me")
}

trait Able {
  def total: Int
}

case class Point(x: Int, y: Int)

object Shop {
  def pay(cart: Cart): Unit = {
    def inner(): Unit = ()
    cart.add(null)
  }

  def main(args: Array[String]): Unit =
    pay(new Cart("you"))
}
