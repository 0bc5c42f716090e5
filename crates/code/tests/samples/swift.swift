import Foundation
import Stock

let LIMIT = 10

/// A cart.
public class Cart: Base, Able {
    private var size: Int = 0

    init(owner: String) {
        super.init(owner: owner)
    }

    /// Adds an item.
    @discardableResult
    func add(_ item: Item?, count: Int = 1) -> Int {
        return count
    }

    func total() -> Int {
        return self.add(nil)
    }
}

protocol Able {
    func total() -> Int
}

extension Cart {
    static func build() -> Cart { Cart(owner: "me") }
}

func pay(cart: Cart) {
    func inner() {}
    cart.add(nil)
}

func main() {
    pay(cart: Cart(owner: "you"))
}
