//! Python.
//! The expectations are what a model reads.

use expect_test::expect;

use super::{outline, symbol};

const SOURCE: &str = r##""""Module docs."""
import os

LIMIT = 10
name = "x"
MAX_SIZE: int = 5


@decorator(
    arg=1,
)
class Animal(Base, metaclass=Meta):
    """An animal."""

    KIND = "a"

    def __init__(self, name: str, *, age=3) -> None:
        # set it
        self.name = name

    @property
    def title(self):
        """The title."""
        def inner(x):
            return x
        return inner(self.name)

    class Meta:
        pass


# Says hello.
# Twice.
async def greet(
    who: str,
    *rest,
) -> str:
    return who


def 问候(): return 1
"##;

#[test]
fn the_outline() {
    outline(
        "a.py",
        SOURCE,
        expect![[r#"
        a.py: Python, 41 lines
        4  constant LIMIT = 10
        6  constant MAX_SIZE: int = 5
        9-29  class Animal(Base, metaclass=Meta)
        15    constant KIND = "a"
        17-19    def __init__(self, name: str, *, age=3) -> None
        21-26    def title(self)
        28-29    class Meta
        34-38  async def greet( who: str, *rest, ) -> str
        41  def 问候()
    "#]],
    );
}

#[test]
fn a_class_with_its_decorator() {
    symbol(
        "a.py",
        SOURCE,
        "Animal.Meta",
        expect![[r#"
        a.py:28-29 class Animal::Meta
        28	    class Meta:
        29	        pass
    "#]],
    );
}

#[test]
fn a_method() {
    symbol(
        "a.py",
        SOURCE,
        "Animal.title",
        expect![[r#"
        a.py:21-26 def Animal::title
        21	    @property
        22	    def title(self):
        23	        """The title."""
        24	        def inner(x):
        25	            return x
        26	        return inner(self.name)
    "#]],
    );
    symbol(
        "a.py",
        SOURCE,
        "Animal::__init__",
        expect![[r#"
        a.py:17-19 def Animal::__init__
        17	    def __init__(self, name: str, *, age=3) -> None:
        18	        # set it
        19	        self.name = name
    "#]],
    );
}

#[test]
fn a_function_with_its_comment() {
    symbol(
        "a.py",
        SOURCE,
        "greet",
        expect![[r#"
        a.py:32-38 def greet
        32	# Says hello.
        33	# Twice.
        34	async def greet(
        35	    who: str,
        36	    *rest,
        37	) -> str:
        38	    return who
    "#]],
    );
    symbol(
        "a.py",
        SOURCE,
        "inner",
        expect![[r#"
        a.py:24-25 def Animal::title::inner
        24	        def inner(x):
        25	            return x
    "#]],
    );
    symbol(
        "a.py",
        SOURCE,
        "问候",
        expect![[r#"
        a.py:41-41 def 问候
        41	def 问候(): return 1
    "#]],
    );
}
