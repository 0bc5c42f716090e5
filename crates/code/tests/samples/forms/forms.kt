@file:JvmName("Forms")

package forms

import a.b.C as D
import a.b.*

typealias Handler<T> = (T) -> Unit

sealed interface Shape

data class Circle(val radius: Double, val name: String = "c(") : Shape, Comparable<Circle> {
    override fun compareTo(other: Circle): Int {
        return radius.compareTo(other.radius)
    }
}

enum class Color(val rgb: Int) {
    RED(0xff0000),
    GREEN(0x00ff00);

    fun dark() = rgb shr 1
}

object Registry : Base() {
    private val all = mutableListOf<Shape>()

    val size: Int
        get() = all.size

    fun <T : Shape> register(shape: T): T where T : Any {
        all.add(shape)
        all.forEach { it.draw("${format(it)} }") }
        return shape
    }
}

class Outer {
    inner class Inner(val x: Int)

    constructor(x: Int) : this() {
        setup(x)
    }

    companion object {
        const val MAX = 1

        @JvmStatic
        fun create(): Outer = Outer()
    }
}

fun String.shout(times: Int): String = buildString {
    repeat(times) { append(this@shout) }
}

fun <T> List<T>.second(): T? = getOrNull(1)

fun `name with spaces`() {
    val raw = """
        fun notAFunction() {
    """
    val listener = object : Listener {
        override fun onEvent(e: Event) {
            handle(e)
        }
    }
    when (raw) {
        "a" -> register(raw)
        else -> {}
    }
}

suspend inline fun run(crossinline block: () -> Unit) = block()
