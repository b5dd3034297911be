//! Go.
//! The expectations are what a model reads.

use expect_test::expect;

use super::{outline, symbol};

const SOURCE: &str = r##"// Package a does things.
package a

import "fmt"

const Limit = 10

const (
	// A is first.
	A = iota
	B
)

var cache map[string]int

// Point is a point.
type Point struct {
	X, Y int
}

type (
	Reader interface {
		Read(p []byte) (int, error)
	}
	Name string
)

// Move moves it.
func (p *Point) Move(dx int) error {
	f := func() {}
	f()
	return nil
}

func (s List[T]) Len() int { return 0 }

func New[T any](x T) (p *Point, err error) {
	return nil, nil
}
"##;

#[test]
fn the_outline() {
    outline(
        "a.go",
        SOURCE,
        expect![[r#"
        a.go: Go, 39 lines
        6  const Limit = 10
        10  const A = iota
        11  const B
        14  var cache map[string]int
        17-19  type Point struct
        22-24  Reader interface
        25  type Name string
        29-33  func (p *Point) Move(dx int) error
        35  func (s List[T]) Len() int
        37-39  func New[T any](x T) (p *Point, err error)
    "#]],
    );
}

#[test]
fn a_type_with_its_methods() {
    symbol(
        "a.go",
        SOURCE,
        "Point",
        expect![[r#"
        a.go:16-19 struct Point
        16	// Point is a point.
        17	type Point struct {
        18		X, Y int
        19	}
        [its members:]
        29-33  func (p *Point) Move(dx int) error
    "#]],
    );
}

#[test]
fn a_method_with_its_comment() {
    symbol(
        "a.go",
        SOURCE,
        "Point.Move",
        expect![[r#"
        a.go:28-33 func Point::Move
        28	// Move moves it.
        29	func (p *Point) Move(dx int) error {
        30		f := func() {}
        31		f()
        32		return nil
        33	}
    "#]],
    );
    symbol(
        "a.go",
        SOURCE,
        "List.Len",
        expect![[r#"
        a.go:35-35 func List::Len
        35	func (s List[T]) Len() int { return 0 }
    "#]],
    );
    symbol(
        "a.go",
        SOURCE,
        "A",
        expect![[r#"
        a.go:9-10 const A
        9		// A is first.
        10		A = iota
    "#]],
    );
    symbol(
        "a.go",
        SOURCE,
        "Reader",
        expect![[r#"
        a.go:22-24 interface Reader
        22		Reader interface {
        23			Read(p []byte) (int, error)
        24		}
    "#]],
    );
}

#[test]
fn each_of_a_group_of_variables_has_its_own_lines() {
    outline(
        "a.go",
        "package a\n\nvar (\n\tone = 1\n\ttwo = func() int { return 2 }\n)\n",
        expect![[r#"
        a.go: Go, 6 lines
        4  var one = 1
        5  var two = func() int { return 2 }
    "#]],
    );
}
