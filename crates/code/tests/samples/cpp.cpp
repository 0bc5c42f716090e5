#include "stock.h"

namespace shop {

class Cart : public Base {
public:
    Cart() : count(0) {}
    /// Adds an item.
    int add(int item);
    int total() { return this->add(1); }
private:
    int count;
};

template <typename T>
T twice(T x) { return x + x; }

int Cart::add(int item) {
    return item;
}

void pay(Cart &cart) {
    cart.add(1);
}

}

using Id = int;

int main() {
    shop::pay(*new shop::Cart());
    pay(1);
}
