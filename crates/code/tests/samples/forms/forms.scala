package forms

import scala.collection.mutable
import java.util.{List => JList, Map}
import cats.syntax.all._

sealed trait Shape extends Product with Serializable

final case class Circle[T <: Number](radius: T)(implicit ev: Ordering[T]) extends Shape {
  def +(other: Circle[T]): Circle[T] = combine(other)

  def area: Double =
    math.Pi * square(radius.doubleValue)

  lazy val name: String = s"circle ${format(radius)} }"
}

case object Empty extends Shape

object Registry {
  type Handler = Int => Unit

  private val all = mutable.Buffer.empty[Shape]

  implicit class Rich(val s: String) extends AnyVal {
    def shout: String = s.toUpperCase
  }

  def register[A](a: A)(f: A => Shape): Unit = {
    all += f(a)
    all.foreach { s =>
      draw(s)
    }
    a match {
      case Circle(r) => use(r)
      case _ => ()
    }
  }

  def abstractly(): Unit
}

enum Color(val rgb: Int):
  case Red extends Color(0xff0000)
  case Green extends Color(0x00ff00)

  def dark: Int =
    shade(rgb)
end Color

class Indented(x: Int) extends Base:
  def one(): Int =
    val y = two()
    y + 1

  def two(): Int = x

given ordering: Ordering[Color] with
  def compare(a: Color, b: Color): Int = a.rgb - b.rgb

extension (s: String)
  def twice: String = s + s

@main def run(args: String*): Unit =
  println("""
    def notAMethod = {
  """)
