//! TypeScript and TSX.
//! The expectations are what a model reads.

use expect_test::expect;

use super::{outline, symbol};

const SOURCE: &str = r##"export interface Options<T> {
  name: string;
  run(): void;
}

export type Id = string | number;

/** Colours. */
export enum Colour { Red, Blue }

declare function legacy(x: number): string;

export abstract class Shape<T> implements Options<T> {
  constructor(private readonly id: Id) {}
  abstract area(): number;
  protected async load(path: string): Promise<void> {}
  static create = <U,>(x: U): Shape<U> => null!;
}

namespace Inner {
  export const value = 1;
  export function helper<T extends object>(x: T): T { return x; }
}

export const useThing = async (id: Id): Promise<void> => {};

@Component({ selector: "x" })
export class Widget {
  @Input() name = "";
}
"##;

#[test]
fn the_outline() {
    outline(
        "a.ts",
        SOURCE,
        expect![[r#"
        a.ts: TypeScript, 30 lines
        1-4  export interface Options<T>
        6  export type Id = string | number
        9  export enum Colour
        11  declare function legacy(x: number): string
        13-18  export abstract class Shape<T> implements Options<T>
        14    method constructor(private readonly id: Id)
        15    method abstract area(): number
        16    method protected async load(path: string): Promise<void>
        17    method static create = <U,>(x: U): Shape<U>
        20-23  namespace Inner
        21    variable export const value = 1
        22    export function helper<T extends object>(x: T): T
        25  function export const useThing = async (id: Id): Promise<void>
        27-30  @Component({ selector: "x" }) export class Widget
    "#]],
    );
}

#[test]
fn members_and_namespaces() {
    symbol(
        "a.ts",
        SOURCE,
        "Shape.load",
        expect![[r#"
        a.ts:16-16 method Shape::load
        16	  protected async load(path: string): Promise<void> {}
    "#]],
    );
    symbol(
        "a.ts",
        SOURCE,
        "Inner::helper",
        expect![[r#"
        a.ts:22-22 function Inner::helper
        22	  export function helper<T extends object>(x: T): T { return x; }
    "#]],
    );
    symbol(
        "a.ts",
        SOURCE,
        "Colour",
        expect![[r#"
        a.ts:8-9 enum Colour
        8	/** Colours. */
        9	export enum Colour { Red, Blue }
    "#]],
    );
}

#[test]
fn a_decorated_class() {
    symbol(
        "a.ts",
        SOURCE,
        "Widget",
        expect![[r#"
        a.ts:27-30 class Widget
        27	@Component({ selector: "x" })
        28	export class Widget {
        29	  @Input() name = "";
        30	}
    "#]],
    );
}

#[test]
fn methods_that_are_only_declared_are_listed() {
    let declared = "export declare class Pool {\n  take(n: number): Item;\n  take(name: string): Item;\n  readonly size: number;\n}\ndeclare global {\n  interface Window {\n    x: number;\n  }\n}\n";
    outline(
        "a.d.ts",
        declared,
        expect![[r#"
        a.d.ts: TypeScript, 10 lines
        1-5  export declare class Pool
        2    method take(n: number): Item
        3    method take(name: string): Item
        7-9  interface Window
    "#]],
    );
}
