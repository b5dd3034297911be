//! C and C++.
//! The expectations are what a model reads.

use expect_test::expect;

use super::{outline, symbol};

const C: &str = r##"#include <stdio.h>
#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* A point. */
struct point {
    int x, y;
};

typedef struct {
    char *name;
} person_t;

typedef int (*callback)(void *data);

enum colour { RED, BLUE };

static int counter;
int (*handler)(int);

/* Adds. */
static inline int add(int a, int b)
{
    return a + b;
}

char *find(const char *name, size_t n);

#ifdef LINUX
void **only_linux(void) { return 0; }
#endif
"##;

const CPP: &str = r##"#pragma once
namespace app::net {

template <typename T>
class Stack : public Base<T> {
public:
    Stack() = default;
    ~Stack();
    void push(const T& value);
    T pop() { return items.back(); }
    bool operator==(const Stack& other) const;
    static constexpr int kLimit = 3;
private:
    std::vector<T> items;
};

enum class Mode : int { A, B };
using Name = std::string;

// Opens it.
template <typename T>
void Stack<T>::push(const T& value) {
    auto f = [](int x) { return x; };
    items.push_back(value);
}

std::ostream& operator<<(std::ostream& out, const Stack<int>& s) { return out; }

struct Point { int x; Point operator+(Point o) { return o; } };
}

extern "C" {
int c_entry(int argc, char** argv) { return 0; }
}

int main() { return 0; }
"##;

#[test]
fn the_outline_of_c() {
    outline(
        "a.c",
        C,
        expect![[r#"
        a.c: C, 31 lines
        3  macro #define MAX(a, b)
        6-8  struct point
        10-12  typedef struct
        14  typedef int (*callback)(void *data)
        16  enum colour
        22-25  function static inline int add(int a, int b)
        27  prototype char *find(const char *name, size_t n)
        30  function void **only_linux(void)
    "#]],
    );
}

#[test]
fn definitions_of_c() {
    symbol(
        "a.c",
        C,
        "add",
        expect![[r#"
        a.c:21-25 function add
        21	/* Adds. */
        22	static inline int add(int a, int b)
        23	{
        24	    return a + b;
        25	}
    "#]],
    );
    symbol(
        "a.c",
        C,
        "point",
        expect![[r#"
        a.c:5-8 struct point
        5	/* A point. */
        6	struct point {
        7	    int x, y;
        8	};
    "#]],
    );
    symbol(
        "a.c",
        C,
        "person_t",
        expect![[r#"
        a.c:10-12 typedef person_t
        10	typedef struct {
        11	    char *name;
        12	} person_t;
    "#]],
    );
    symbol(
        "a.c",
        C,
        "find",
        expect![[r#"
        a.c:27-27 prototype find
        27	char *find(const char *name, size_t n);
    "#]],
    );
}

#[test]
fn the_outline_of_cpp() {
    outline(
        "a.hpp",
        CPP,
        expect![[r#"
        a.hpp: C++, 36 lines
        2-30  namespace app::net
        4-15    template <typename T> class Stack : public Base<T>
        7      function Stack()
        8      prototype ~Stack()
        9      prototype void push(const T& value)
        10      function T pop()
        11      prototype bool operator==(const Stack& other) const
        17    enum class Mode : int
        18    using Name = std::string
        21-25    function template <typename T> void Stack<T>::push(const T& value)
        27    function std::ostream& operator<<(std::ostream& out, const Stack<int>& s)
        29    struct Point
        29      function Point operator+(Point o)
        33  function int c_entry(int argc, char** argv)
        36  function int main()
    "#]],
    );
}

#[test]
fn definitions_of_cpp() {
    symbol(
        "a.hpp",
        CPP,
        "Stack",
        expect![[r#"
        a.hpp:4-15 class app::net::Stack
        4	template <typename T>
        5	class Stack : public Base<T> {
        6	public:
        7	    Stack() = default;
        8	    ~Stack();
        9	    void push(const T& value);
        10	    T pop() { return items.back(); }
        11	    bool operator==(const Stack& other) const;
        12	    static constexpr int kLimit = 3;
        13	private:
        14	    std::vector<T> items;
        15	};
        [its members:]
        21-25    function template <typename T> void Stack<T>::push(const T& value)
    "#]],
    );
    symbol(
        "a.hpp",
        CPP,
        "Stack::push",
        expect![[r#"
        a.hpp:20-25 function app::net::Stack::push
        20	// Opens it.
        21	template <typename T>
        22	void Stack<T>::push(const T& value) {
        23	    auto f = [](int x) { return x; };
        24	    items.push_back(value);
        25	}
    "#]],
    );
    symbol(
        "a.hpp",
        CPP,
        "app::net::Mode",
        expect![[r#"
        a.hpp:17-17 enum app::net::Mode
        17	enum class Mode : int { A, B };
    "#]],
    );
    symbol(
        "a.hpp",
        CPP,
        "operator<<",
        expect![[r#"
        a.hpp:27-27 function app::net::operator<<
        27	std::ostream& operator<<(std::ostream& out, const Stack<int>& s) { return out; }
    "#]],
    );
}

#[test]
fn a_header_is_cpp_when_it_says_so() {
    outline(
        "a.h",
        "class A { void f(); };\n",
        expect![[r#"
        a.h: C++, 1 line
        1  class A
        1    prototype void f()
    "#]],
    );
    outline(
        "b.h",
        "struct a { int class; };\n",
        expect![[r#"
        b.h: C, 1 line
        1  struct a
    "#]],
    );
}

const MACROS: &str = r##"class API_EXPORT Widget final : public Base<int> {
public:
    explicit Widget(int a);
    void paint() const;
};

struct MY_API Plain {
    void go();
};

template <>
struct std::hash<Plain> {
    size_t operator()(const Plain& p) const;
};

struct FILE_T make(int a) { return {}; }
struct OUTER::Inner { int x; };
Widget::operator bool() const { return true; }
void Widget::operator()(int a) const {}
"##;

#[test]
fn macros_before_a_class_name_do_not_hide_the_class() {
    outline(
        "a.hpp",
        MACROS,
        expect![[r#"
        a.hpp: C++, 19 lines
        1-5  class API_EXPORT Widget final : public Base<int>
        3    prototype explicit Widget(int a)
        4    prototype void paint() const
        7-9  struct MY_API Plain
        8    prototype void go()
        11-14  template <> struct std::hash<Plain>
        13    prototype size_t operator()(const Plain& p) const
        16  function struct FILE_T make(int a)
        17  struct OUTER::Inner
        18  function Widget::operator bool() const
        19  function void Widget::operator()(int a) const
    "#]],
    );
}

#[test]
fn operators_are_found_by_name() {
    symbol(
        "a.hpp",
        MACROS,
        "Widget::operator()",
        expect![[r#"
        a.hpp:19-19 function Widget::operator()
        19	void Widget::operator()(int a) const {}
    "#]],
    );
    symbol(
        "a.hpp",
        MACROS,
        "Widget::operator bool",
        expect![[r#"
        a.hpp:18-18 function Widget::operator bool
        18	Widget::operator bool() const { return true; }
    "#]],
    );
    symbol(
        "a.hpp",
        MACROS,
        "Widget::paint()",
        expect![[r#"
        a.hpp:4-4 prototype Widget::paint
        4	    void paint() const;
    "#]],
    );
}
