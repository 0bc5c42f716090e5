/** Forms of TypeScript that the scanner and the tree must agree on. */
import def, { a, type B, c as d, default as e } from "./a";
import * as ns from './ns';
import type { T } from './types';
import type from './type';
import './effect';
import old = require('old');
import json from './x.json' with { type: 'json' };
export * from './all';
export * as named from './named';
export { f, g as h } from './list';
export type { I } from './i';
export { local };
export {};

const { required, renamed: alias } = require('./r');
const whole = require('./w');
const part = require('./p').part;

// Several.
export const one = 1, TWO: Map<string, () => void> = new Map<string, number>(), three = (a: number): number => a;
let unset;
let later!: { handler: () => void; method(): void };
var fn = function named() {}, gen = function* () {}, cls = class Named extends Base {};
const notFn = function () {}.bind(this);
const chosen = flag ? () => 1 : () => 2;
const wrapped = memo(async ({ a, b = () => 1 }: Props) => {
  const inside = 1;
  const deep = () => inside;
});
const chained = a.b(c).d<E, F>(() => 1);
const awaited = await run(() => 1);
const generic = <T, U = T>(x: T): x is T => !!x;
const asserted = ((x) => x) as unknown as { (y: string): void; z(): void };
const object = {
  method() {},
  async *generator<T>(this: T) {},
  get value() { return 1; },
  'quoted-name': () => 1,
  [computed]: () => 1,
  [`t`]() {},
  key: function () {},
  nested: { arrow: async (x) => x, plain: 1 },
  async: 1,
  shorthand,
  ...spread,
  cond: a ? { b: () => 1 } : [],
};
const regex = /[/"']\/{/g.test(a) ? a / b / c : `x ${ { y: () => 1 }.y() } ${`in ${1}`} z`;
for (const item of items) { const seen = 1; }
for (let i = 0, n = 2; i < n; i++) {}
label: for (;;) { break label; }

declare module 'ambient' {
  export function ambient(a: string): void;
  const value: number;
}
declare global {
  interface Window { extra(): void }
}
declare function declared(a: string): void;
export declare const ambientConst: unique symbol;
namespace A.B {
  export const inNamespace = 1;
  export namespace C {}
}

/** Overloads. */
export function over(a: string): string;
export function over(a: number): number;
export function over(a: any): asserts a is string {
  function inner() {}
  if (a) function odd() {}
  return a
}
export default function main<T extends { a(): void }>(x: T, { y, z = () => 1 }: { y: number; z?: () => void }): Promise<{
  r(): T;
}> {}

/** A cart. */
@Component({
  selector: 'x',
})
@Other
export class Cart<T extends Base = Base> extends mixin(Base, { a() {} })<T> implements Able, Other<string> {
  static #count = 0;
  private readonly items: Thing[] = [];
  declare name: string;
  optional?: () => void;
  definite!: Map<string, { run(): void }>;
  handler = async (event: Event): Promise<void> => {
    const local = () => 1;
  };
  static { const inStatic = () => 1; }
  [key: string]: any;
  @Input() decorated = 1
  @Output({
    alias: 'x',
  })
  /** Said. */
  changed = new EventEmitter<{ a: () => void }>()
  static async *[Symbol.iterator]() {}
  get total(): number { return 1 }
  set total(value) {}
  get
  async() {}
  constructor(private stock: Stock, public b = () => 1) { super(); }
  over(a: string): void;
  over(a: any) {}
  protected abstract missing(): { x(): void };
  @HostListener('click', ['$event'])
  /** Clicked. */
  onClick<T>(event: T): asserts event is T {
    this.later = function () {};
    return { then: () => 1, catch() {} } as any;
  }
  ;
}
abstract class Shape { abstract area(): number; abstract readonly sides: number }
const Anonymous = class { method() {} };

interface Able<T = {}> extends A<B>, C {
  (call: string): void;
  new (make: string): Able;
  [index: string]: unknown;
  readonly prop: () => void;
  method?<U>(a: U, b?: { inner(): void }): void
  another(): asserts this is T
  get accessor(): string;
  multi:
    | string
    | { deep(): void };
}
type Id = string | number;
type Fn<T> = (a: T, b: { c(): void }) => T extends (infer U)[] ? U : never
type Mapped = { readonly [K in keyof T]?: T[K] } & { fn(): void };
type Template = `a-${string}`;
enum Kind { A = 1, B = A << 2, 'C' = "x".length }
export const enum Fast { X }

exports.pay = function () {};
Cart.prototype.total = async function total() {};
a.b(c)[0].d = () => 1;
this.x = y = () => 1;
a ??= () => 1;
(function () { const iife = 1; })();
describe('x', () => { const inCallback = 1; it('y', function () { const deeper = () => 1; }); });
switch (a) { case 1: { const inCase = 1; } default: { const inDefault = () => 1; } }
if (x < y && z > (w)) { const compared = 1 }
x = a as B ? () => 1 : c!;
export { alias as default }
