//! Java.
//! The expectations are what a model reads.

use expect_test::expect;

use super::{outline, symbol};

const SOURCE: &str = r##"package a.b;

import java.util.List;

/** A service. */
@Service
public class Store<T extends Comparable<T>> extends Base implements Closeable {
    private final int size = 1;

    /** Makes one. */
    public Store(int size) {
        Runnable r = () -> {};
    }

    @Override
    public <R> List<R> map(Function<T, R> f, int... rest) throws IOException {
        return null;
    }

    interface Listener { void changed(String name); }

    enum Kind { A, B; int code() { return 1; } }

    static class Inner {
        void close() {}
    }

    void close() {}
}

record Point(int x, int y) {
    Point { }
}

@interface Marker { String value() default ""; }
"##;

#[test]
fn the_outline() {
    outline(
        "A.java",
        SOURCE,
        expect![[r#"
        A.java: Java, 35 lines
        6-29  @Service public class Store<T extends Comparable<T>> extends Base implements Closeable
        11-13    constructor public Store(int size)
        15-18    method @Override public <R> List<R> map(Function<T, R> f, int... rest) throws IOException
        20    interface Listener
        20      method void changed(String name)
        22    enum Kind
        22      method int code()
        24-26    static class Inner
        25      method void close()
        28    method void close()
        31-33  record Point(int x, int y)
        32    constructor Point
        35  @interface Marker
        35    method String value() default ""
    "#]],
    );
}

#[test]
fn a_method_with_annotation() {
    symbol(
        "A.java",
        SOURCE,
        "Store.map",
        expect![[r#"
        A.java:15-18 method Store::map
        15	    @Override
        16	    public <R> List<R> map(Function<T, R> f, int... rest) throws IOException {
        17	        return null;
        18	    }
    "#]],
    );
    symbol(
        "A.java",
        SOURCE,
        "Listener::changed",
        expect![[r#"
        A.java:20-20 method Store::Listener::changed
        20	    interface Listener { void changed(String name); }
    "#]],
    );
}

#[test]
fn an_ambiguous_name() {
    symbol(
        "A.java",
        SOURCE,
        "close",
        expect![[r#"
        2 definitions are called close; name one in full, or read its lines:
        25-25 Store::Inner::close: void close()
        28-28 Store::close: void close()
    "#]],
    );
}
