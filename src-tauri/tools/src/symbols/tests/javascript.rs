//! JavaScript.
//! The expectations are what a model reads.

use expect_test::expect;

use super::{outline, symbol};

const SOURCE: &str = r##"import React from "react";
const fs = require("fs");

/** Limit of it. */
export const LIMIT = 10;
let counter = 0, other = 1;

/**
 * Adds.
 */
export function add(a, b) {
  const local = 1;
  return a + b;
}

export default class Store extends Base {
  #size = 0;
  static from(items) { return new Store(); }
  get size() { return this.#size; }
  onChange = (event) => {
    this.x = event;
  };
}

export const View = ({ items }) => {
  const onClick = () => {};
  return <div onClick={onClick}>{items}</div>;
};

const api = {
  get() {},
  post: async function () {},
  version: 1,
};

exports.helper = function () {};
Store.prototype.legacy = function legacy() {};

function* ids() { yield 1; }

describe("x", () => {
  const hidden = () => {};
});
"##;

#[test]
fn the_outline() {
    outline(
        "a.jsx",
        SOURCE,
        expect![[r#"
        a.jsx: JavaScript, 43 lines
        5  variable export const LIMIT = 10
        6  variable counter = 0
        6  variable other = 1
        11-14  export function add(a, b)
        16-23  export default class Store extends Base
        18    method static from(items)
        19    method get size()
        20-22    method onChange = (event)
        25-28  function export const View = ({ items })
        30-34  variable const api
        31    method get()
        32    method post: async function ()
        36  exports.helper = function ()
        37  Store.prototype.legacy = function legacy()
        39  function* ids()
    "#]],
    );
}

#[test]
fn a_function_with_its_comment() {
    symbol(
        "a.jsx",
        SOURCE,
        "add",
        expect![[r#"
        a.jsx:8-14 function add
        8	/**
        9	 * Adds.
        10	 */
        11	export function add(a, b) {
        12	  const local = 1;
        13	  return a + b;
        14	}
    "#]],
    );
}

#[test]
fn members() {
    symbol(
        "a.jsx",
        SOURCE,
        "Store.onChange",
        expect![[r#"
        a.jsx:20-22 method Store::onChange
        20	  onChange = (event) => {
        21	    this.x = event;
        22	  };
    "#]],
    );
    symbol(
        "a.jsx",
        SOURCE,
        "api.post",
        expect![[r#"
        a.jsx:32-32 method api::post
        32	  post: async function () {},
    "#]],
    );
    symbol(
        "a.jsx",
        SOURCE,
        "Store.legacy",
        expect![[r#"
        a.jsx:37-37 function Store::legacy
        37	Store.prototype.legacy = function legacy() {};
    "#]],
    );
}

#[test]
fn what_is_inside_functions_is_found_by_name() {
    symbol(
        "a.jsx",
        SOURCE,
        "onClick",
        expect![[r#"
        a.jsx:26-26 function View::onClick
        26	  const onClick = () => {};
    "#]],
    );
}

const EXPORTS: &str = r#"module.exports = {
  first() {
    return 1;
  },
  second: async (x) => {
    return x;
  },
};

Foo.prototype.area = function () {};

const Card = memo(function Inner() {});
"#;

#[test]
fn members_of_an_exported_object_have_lines_of_their_own() {
    outline(
        "a.cjs",
        EXPORTS,
        expect![[r#"
        a.cjs: JavaScript, 12 lines
        1-8  object module.exports
        2-4    method first()
        5-7    method second: async (x)
        10  Foo.prototype.area = function ()
        12  variable const Card = memo(function Inner() {})
    "#]],
    );
    symbol(
        "a.cjs",
        EXPORTS,
        "second",
        expect![[r#"
        a.cjs:5-7 method exports::second
        5	  second: async (x) => {
        6	    return x;
        7	  },
    "#]],
    );
}

#[test]
fn a_default_export_is_found_as_such() {
    let component = "export default {\n  name: 'x',\n  methods: {\n    go() {\n      return 1;\n    },\n  },\n};\n";
    outline(
        "a.js",
        component,
        expect![[r#"
        a.js: JavaScript, 8 lines
        1-8  object export default
        4-6    method go()
    "#]],
    );
    symbol(
        "a.js",
        component,
        "go",
        expect![[r#"
        a.js:4-6 method default::go
        4	    go() {
        5	      return 1;
        6	    },
    "#]],
    );
    outline(
        "b.js",
        "/** Starts. */\nexport default async function () {\n  run();\n}\n",
        expect![[r#"
        b.js: JavaScript, 4 lines
        2-4  export default async function ()
    "#]],
    );
    outline(
        "c.js",
        "export default class {\n  m() {}\n}\n",
        expect![[r#"
        c.js: JavaScript, 3 lines
        1-3  export default class
        2    method m()
    "#]],
    );
    outline(
        "d.js",
        "export default (a) => a;\n",
        expect![[r#"
        d.js: JavaScript, 1 line
        1  function export default (a)
    "#]],
    );
    let wrapped = "export default defineComponent({\n  setup() {\n    return 1;\n  },\n});\n";
    outline(
        "e.js",
        wrapped,
        expect![[r#"
        e.js: JavaScript, 5 lines
        2-4  method setup()
    "#]],
    );
}
