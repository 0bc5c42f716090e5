package shop

import (
	"fmt"
	st "example.com/shop/stock"
)

const Limit = 10

// Cart is a cart.
type Cart struct {
	items []st.Item
}

type Able interface {
	Total() int
}

// Adds an item.
func (c *Cart) Add(item st.Item, count int) int {
	return count
}

func (c *Cart) Total() int {
	return c.Add(nil, 1)
}

func Pay(cart *Cart) {
	cart.Add(nil, 1)
}

func main() {
	Pay(&Cart{})
}
