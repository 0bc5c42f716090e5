// Package forms has forms of Go that the scanner and the tree must agree on.
package forms

import "a/b/v2"
import (
	x "c"
	. "d"
	_ "e"; `f`
)

// Limits.
const (
	A, B = iota, 1
	_, C
	D = len("x")
)

// One.
const One T = 1

var y, z = NewCart(), 2

var (
	// w is.
	w *Cart = &Cart{
		a: 1,
	}
	_ = w.add()
	handler = func(a int) error {
		var inner = 1
		type local struct{ b int }
		return nil
	}
	sum = 1 +
		2
)

// Kinds.
type (
	Cart struct {
		Item
		*p.Base `tag`
		List[int]
		a, b map[string]T
		c    interface {
			Close() error
		}
	}
	Able interface {
		// Does.
		Do(a int, b ...string) (c error)
		fmt.Stringer
		~int | string
		With(f interface{ Inner() }) func(int) (a, b int)
	}
	Alias = Cart; F func(int) error
)

type Pair[K comparable, V any] struct{ k K; v V }
type Set[T interface{ ~int | ~string }] map[T]struct{}
type N [4]int
type M [len(x) + 1]T
type S [size]struct{ a int }
type L []T
type P [A * B]int

// Map maps.
func Map[K, V any](m map[K]V) []K { return nil }

func (p *Pair[K, V]) Get() (k K, v V) {
	switch t := k.(type) {
	case int:
		const local = 1
		_ = t
	}
	type Deep interface {
		Method()
	}
	go func() {
		type Deeper struct{}
	}()
	return p.k, p.v
}
func (Pair[K, V]) No()
func (shop.Cart) Odd()
func (c Cart) Struct() struct{ a int } { return struct{ a int }{1} }
func extern(a, b int) (c, d *Cart)

/* A block
   comment. */
func last(f func(interface{ Argument() })) interface{} {
	return `raw
func no() {}
` + "\"" + string('\'') + string('"')
}
