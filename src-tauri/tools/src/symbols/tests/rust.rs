//! Rust.
//! The expectations are what a model reads.

use expect_test::expect;

use super::{outline, symbol};

const SOURCE: &str = r##"//! Crate docs.
use std::fmt;

/// Most of them.
pub const MOST: usize = 10;
static NAME: &str = "x";

/// A point
/// in space.
#[derive(Debug)]
pub struct Point<T> {
    x: T,
}

impl<T: Copy> Point<T> {
    /// Makes one.
    #[inline]
    pub fn new(x: T) -> Self
    where
        T: Sized,
    {
        fn helper() -> u8 { 0 }
        let MOST_LOCAL = 1;
        Self { x }
    }

    fn shift(&self) {}
}

impl<T> fmt::Display for Point<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

pub(crate) trait Shape {
    type Unit;
    fn area(&self) -> f64;
}

enum Kind { A, B }

pub mod inner {
    pub type Alias = u8;
    pub fn 函数(名: &str) -> Alias { 0 }
    mod deeper {
        pub(super) async unsafe fn go() {}
    }
}

macro_rules! twice {
    ($e:expr) => { $e; $e };
}

#[cfg(test)]
mod tests {
    #[test]
    fn works() {}
}
"##;

#[test]
fn the_outline() {
    outline(
        "a.rs",
        SOURCE,
        expect![[r#"
        a.rs: Rust, 59 lines
        5  pub const MOST: usize = 10
        6  static NAME: &str = "x"
        11-13  pub struct Point<T>
        15-28  impl<T: Copy> Point<T>
        18-25    pub fn new(x: T) -> Self where T: Sized
        27    fn shift(&self)
        30-34  impl<T> fmt::Display for Point<T>
        31-33    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result
        36-39  pub(crate) trait Shape
        37    type Unit
        38    fn area(&self) -> f64
        41  enum Kind
        43-49  pub mod inner
        44    pub type Alias = u8
        45    pub fn 函数(名: &str) -> Alias
        46-48    mod deeper
        47      pub(super) async unsafe fn go()
        51-53  macro_rules! twice
        56-59  mod tests
        58    fn works()
    "#]],
    );
}

#[test]
fn a_type_with_its_documentation_and_its_members() {
    symbol(
        "a.rs",
        SOURCE,
        "Point",
        expect![[r#"
        a.rs:8-13 struct Point
        8	/// A point
        9	/// in space.
        10	#[derive(Debug)]
        11	pub struct Point<T> {
        12	    x: T,
        13	}
        [its members:]
        18-25    pub fn new(x: T) -> Self where T: Sized
        27    fn shift(&self)
        31-33    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result
    "#]],
    );
}

#[test]
fn a_method_by_either_separator() {
    symbol(
        "a.rs",
        SOURCE,
        "Point::new",
        expect![[r#"
        a.rs:16-25 fn Point::new
        16	    /// Makes one.
        17	    #[inline]
        18	    pub fn new(x: T) -> Self
        19	    where
        20	        T: Sized,
        21	    {
        22	        fn helper() -> u8 { 0 }
        23	        let MOST_LOCAL = 1;
        24	        Self { x }
        25	    }
    "#]],
    );
    symbol(
        "a.rs",
        SOURCE,
        "Point.shift",
        expect![[r#"
        a.rs:27-27 fn Point::shift
        27	    fn shift(&self) {}
    "#]],
    );
}

#[test]
fn an_ambiguous_and_an_unknown_name() {
    symbol(
        "a.rs",
        SOURCE,
        "fmt",
        expect![[r#"
        a.rs:31-33 fn Point::fmt
        31	    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        32	        Ok(())
        33	    }
    "#]],
    );
    symbol(
        "a.rs",
        SOURCE,
        "Point::nwe",
        expect!["a.rs defines no Point::nwe; call read_symbol without `symbol` for its outline"],
    );
    symbol("a.rs", SOURCE, "shif", expect!["a.rs defines no shif; there is Point::shift"]);
}

#[test]
fn nested_modules_and_functions_in_functions() {
    symbol(
        "a.rs",
        SOURCE,
        "inner::deeper::go",
        expect![[r#"
        a.rs:47-47 fn inner::deeper::go
        47	        pub(super) async unsafe fn go() {}
    "#]],
    );
    symbol(
        "a.rs",
        SOURCE,
        "helper",
        expect![[r#"
        a.rs:22-22 fn Point::new::helper
        22	        fn helper() -> u8 { 0 }
    "#]],
    );
    symbol(
        "a.rs",
        SOURCE,
        "inner.函数",
        expect![[r#"
        a.rs:45-45 fn inner::函数
        45	    pub fn 函数(名: &str) -> Alias { 0 }
    "#]],
    );
}

#[test]
fn methods_of_several_traits_are_told_apart() {
    let source = "struct A;\nimpl fmt::Display for A {\n    fn fmt(&self) {}\n}\nimpl fmt::Debug for A {\n    fn fmt(&self) {}\n}\nimpl Area for (A, A) {\n    fn area(&self) {}\n}\n";
    symbol(
        "a.rs",
        source,
        "A::fmt",
        expect![[r#"
        2 definitions are called A::fmt; name one in full, or read its lines:
        3-3 A::fmt in impl fmt::Display for A: fn fmt(&self)
        6-6 A::fmt in impl fmt::Debug for A: fn fmt(&self)
    "#]],
    );
    symbol(
        "a.rs",
        source,
        "<A as std::fmt::Debug>::fmt",
        expect![[r#"
        a.rs:6-6 fn A::fmt
        6	    fn fmt(&self) {}
    "#]],
    );
    symbol("a.rs", source, "<A as Clone>::fmt", expect!["a.rs defines no <A as Clone>::fmt; there is A::fmt"]);
    outline(
        "a.rs",
        source,
        expect![[r#"
        a.rs: Rust, 10 lines
        1  struct A
        2-4  impl fmt::Display for A
        3    fn fmt(&self)
        5-7  impl fmt::Debug for A
        6    fn fmt(&self)
        8-10  impl Area for (A, A)
        9    fn area(&self)
    "#]],
    );
}
