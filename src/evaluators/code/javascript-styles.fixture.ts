/** Correct programs in many styles, for tests: [description, program, tests]. */
export const CORRECT: readonly (readonly [string, string, string])[] = [
  ["returns what it was given", "const f = (x) => x", "const x = [1]; assert.strictEqual(f(x), x)"],
  [
    "returns an object it was given",
    "const f = (a, b) => (a.n > b.n ? a : b)",
    "const a = { n: 2 }, b = { n: 1 }; assert.strictEqual(f(a, b), a)",
  ],
  [
    "sorts in place and returns the list",
    "const f = (xs) => xs.sort((a, b) => a - b)",
    "const x = [2, 1]; assert.strictEqual(f(x), x); assert.deepEqual(x, [1, 2])",
  ],
  [
    "shares a row",
    "const f = (g) => { g[0][0] = 9 }",
    "const r = [0]; const g = [r, r]; f(g); assert.deepEqual(g, [[9], [9]])",
  ],
  ["takes a symbol", "const f = (o, s) => o[s]", "const s = Symbol('k'); assert.equal(f({ [s]: 4 }, s), 4)"],
  [
    "returns a symbol",
    "const KEY = Symbol('key'); const f = () => KEY",
    "assert.equal(typeof f(), 'symbol'); assert.strictEqual(f(), f()); assert.equal(f().description, 'key')",
  ],
  [
    "has properties under symbols",
    "const tag = Symbol.for('tag'); const f = () => ({ [tag]: 1, a: 2 })",
    "assert.equal(f()[Symbol.for('tag')], 1); assert.deepEqual(Object.getOwnPropertySymbols(f()).length, 1)",
  ],
  [
    "is a generator",
    "function* f(n) { for (let i = 0; i < n; i += 1) yield i }",
    "const g = f(3); assert.equal(g.next().value, 0); assert.deepStrictEqual([...g], [1, 2]); assert.equal(Object.prototype.toString.call(f(1)), '[object Generator]')",
  ],
  [
    "takes what is sent to a generator",
    "function* f() { let sum = 0; for (;;) { const x = yield sum; if (x === undefined) return sum; sum += x } }",
    "const g = f(); g.next(); assert.deepStrictEqual(g.next(2), { value: 2, done: false }); assert.deepStrictEqual(g.next(3), { value: 5, done: false }); assert.deepStrictEqual(g.next(), { value: 5, done: true })",
  ],
  [
    "delegates to generators",
    "function* walk(t) { if (Array.isArray(t)) for (const x of t) yield* walk(x); else yield t }",
    "assert.deepStrictEqual(Array.from(walk([1, [2, [3]]])), [1, 2, 3])",
  ],
  [
    "iterates asynchronously",
    "async function* f(n) { for (let i = 0; i < n; i++) { await null; yield i } }",
    "(async () => { const all = []; for await (const x of f(3)) all.push(x); assert.deepStrictEqual(all, [0, 1, 2]) })()",
  ],
  [
    "iterates by an object of its own",
    "class Range { constructor(a, b) { this.a = a; this.b = b } *[Symbol.iterator]() { for (let i = this.a; i < this.b; i++) yield i } }",
    "assert.deepStrictEqual([...new Range(1, 4)], [1, 2, 3]); assert.equal(Math.max(...new Range(0, 3)), 2)",
  ],
  [
    "returns a map",
    "const f = (xs) => xs.reduce((m, x) => m.set(x, (m.get(x) ?? 0) + 1), new Map())",
    "assert.ok(f('aab'.split('')) instanceof Map); assert.deepStrictEqual(f(['a', 'a']), new Map([['a', 2]]))",
  ],
  [
    "changes a map in an object",
    "const f = (o) => { o.m.set('k', 1) }",
    "const o = { m: new Map() }; f(o); assert.equal(o.m.get('k'), 1)",
  ],
  [
    "keeps the keys of a map",
    "const k = {}; const f = () => new Map([[k, 1]]); const key = () => k",
    "assert.equal(f().get(key()), 1)",
  ],
  [
    "returns a weak map",
    "const f = () => new WeakMap()",
    "const w = f(); const k = {}; w.set(k, 1); assert.equal(w.get(k), 1); assert.ok(w instanceof WeakMap)",
  ],
  [
    "returns a date that is changed",
    "const f = (d) => { d.setDate(d.getDate() + 1); return d }",
    "const d = new Date(2024, 1, 28); assert.strictEqual(f(d), d); assert.equal(d.getDate(), 29)",
  ],
  [
    "counts with bigints",
    "const f = (n) => { let r = 1n; for (let i = 2n; i <= n; i++) r *= i; return { r } }",
    "assert.deepStrictEqual(f(20n), { r: 2432902008176640000n })",
  ],
  ["counts in a global", "let n = 0\nfunction f() { n += 1 }", "f(); f(); assert.equal(n, 2)"],
  ["keeps a global list", "const log = []\nfunction f(x) { log.push(x) }", "f(1); f(2); assert.deepEqual(log, [1, 2])"],
  ["has a global that the tests set", "let base = 10\nconst f = (x) => x + base", "base = 1; assert.equal(f(1), 2)"],
  [
    "is a class that is derived from",
    "class A { hi() { return this.name() } name() { return 'a' } }",
    "class B extends A { name() { return 'b' } }\nassert.equal(new B().hi(), 'b'); assert.ok(new B() instanceof A)",
  ],
  [
    "has private fields",
    "class C { #n = 0; static made = 0; constructor() { C.made += 1 } add(x) { this.#n += x; return this } get n() { return this.#n } }",
    "const c = new C(); assert.strictEqual(c.add(2), c); assert.equal(c.add(1).n, 3); assert.equal(C.made, 1)",
  ],
  [
    "has accessors",
    "class T { constructor(c) { this.c = c } get f() { return this.c * 1.8 + 32 } set f(v) { this.c = (v - 32) / 1.8 } }",
    "const t = new T(100); assert.equal(t.f, 212); t.f = 32; assert.equal(t.c, 0); assert.deepEqual(Object.keys(t), ['c'])",
  ],
  [
    "extends lists",
    "class Stack extends Array { peek() { return this[this.length - 1] } }",
    "const s = new Stack(); s.push(1, 2); assert.equal(s.peek(), 2); assert.ok(Array.isArray(s)); assert.equal(s.length, 2); assert.ok(s instanceof Stack)",
  ],
  [
    "extends maps",
    "class Counter extends Map { add(k) { return this.set(k, (this.get(k) ?? 0) + 1) } }",
    "const c = new Counter(); c.add('a').add('a'); assert.equal(c.get('a'), 2); assert.ok(c instanceof Map); assert.equal(c.size, 1)",
  ],
  [
    "uses prototypes",
    "function Animal(name) { this.name = name }\nAnimal.prototype.speak = function () { return this.name + ' speaks' }\nfunction Dog(name) { Animal.call(this, name) }\nDog.prototype = Object.create(Animal.prototype)\nDog.prototype.constructor = Dog\nDog.prototype.bark = function () { return 'woof' }",
    "const d = new Dog('Rex'); assert.equal(d.speak(), 'Rex speaks'); assert.ok(d instanceof Animal); assert.equal(d.constructor, Dog); assert.ok(Object.hasOwn(d, 'name'))",
  ],
  [
    "has its prototype extended by the tests",
    "class P { constructor(x) { this.x = x } }",
    "P.prototype.double = function () { return this.x * 2 }; assert.equal(new P(2).double(), 4)",
  ],
  [
    "uses methods that the tests add to lists",
    "const f = (xs) => xs.last()",
    "Array.prototype.last = function () { return this[this.length - 1] }; assert.equal(f([1, 2]), 2)",
  ],
  [
    "throws errors of its own",
    "class NotFound extends Error { constructor(what) { super(what + ' not found'); this.name = 'NotFound'; this.what = what } }\nfunction f(k) { throw new NotFound(k) }",
    "assert.throws(() => f('x'), NotFound); assert.throws(() => f('x'), { name: 'NotFound', message: 'x not found', what: 'x' }); try { f('y') } catch (e) { assert.ok(e instanceof Error && e.constructor === NotFound) }",
  ],
  [
    "has causes of errors",
    "const f = () => { try { JSON.parse('{') } catch (cause) { throw new RangeError('bad', { cause }) } }",
    "assert.throws(f, (e) => e instanceof RangeError && e.cause instanceof SyntaxError)",
  ],
  [
    "throws something that is no error",
    "const f = (x) => { throw { code: 7, x } }",
    "const x = []; assert.throws(() => f(x), (e) => e.code === 7 && e.x === x)",
  ],
  [
    "is curried",
    "const curry = (fn) => function c(...a) { return a.length >= fn.length ? fn.apply(this, a) : (...b) => c.apply(this, [...a, ...b]) }",
    "const add = curry((a, b, c) => a + b + c); assert.equal(add(1)(2)(3), 6); assert.equal(add(1, 2)(3), 6); assert.equal(add(1).length, 0)",
  ],
  [
    "binds what it is called on",
    "const bind = (fn, self, ...a) => (...b) => fn.call(self, ...a, ...b)",
    "const o = { n: 1, add(x) { return this.n + x } }; assert.equal(bind(o.add, o)(2), 3); assert.equal(bind(o.add, o, 5)(), 6)",
  ],
  [
    "passes this on",
    "function once(fn) { let done = false, r; return function (...a) { if (!done) { done = true; r = fn.apply(this, a) } return r } }",
    "const o = { n: 4, get: once(function () { return this }) }; assert.strictEqual(o.get(), o); assert.strictEqual(o.get(), o)",
  ],
  [
    "remembers results by identity",
    "const memo = (fn) => { const seen = new Map(); return (k) => { if (!seen.has(k)) seen.set(k, fn(k)); return seen.get(k) } }",
    "let calls = 0; const k = {}; const m = memo((x) => { calls += 1; return [x] }); assert.strictEqual(m(k), m(k)); assert.equal(calls, 1); assert.strictEqual(m(k)[0], k)",
  ],
  [
    "emits events",
    "const { EventEmitter } = require('events')\nclass Door extends EventEmitter { open() { this.emit('open', this) } }",
    "const d = new Door(); let got; d.on('open', (x) => { got = x }); d.open(); assert.strictEqual(got, d); assert.equal(d.listenerCount('open'), 1)",
  ],
  [
    "keeps listeners of its own",
    "class Bus { constructor() { this.all = new Map() } on(t, fn) { (this.all.get(t) ?? this.all.set(t, new Set()).get(t)).add(fn); return () => this.all.get(t).delete(fn) } emit(t, ...a) { for (const fn of this.all.get(t) ?? []) fn(...a) } }",
    "const b = new Bus(); const got = []; const off = b.on('x', (v) => got.push(v)); b.emit('x', 1); off(); b.emit('x', 2); assert.deepEqual(got, [1]); assert.equal(b.all.get('x').size, 0)",
  ],
  [
    "is promisified by the tests",
    "const f = (x, done) => setTimeout(() => done(x < 0 ? new Error('neg') : null, x * 2), 1)",
    "const { promisify } = require('util'); (async () => { assert.equal(await promisify(f)(2), 4); await assert.rejects(promisify(f)(-1), /neg/) })()",
  ],
  [
    "runs promises in order",
    "const series = (works) => works.reduce((p, w) => p.then((all) => w().then((x) => [...all, x])), Promise.resolve([]))",
    "(async () => { const log = []; const w = (n) => () => { log.push(n); return Promise.resolve({ n }) }; const r = await series([w(1), w(2)]); assert.deepEqual(r, [{ n: 1 }, { n: 2 }]); assert.deepEqual(log, [1, 2]) })()",
  ],
  [
    "limits concurrency",
    "async function pool(works, n) { const out = []; let i = 0; await Promise.all(Array.from({ length: n }, async () => { while (i < works.length) { const at = i++; out[at] = await works[at]() } })); return out }",
    "(async () => { let now = 0, most = 0; const w = (x) => async () => { most = Math.max(most, ++now); await new Promise((r) => setTimeout(r, 2)); now -= 1; return x }; assert.deepEqual(await pool([w(1), w(2), w(3)], 2), [1, 2, 3]); assert.equal(most, 2) })()",
  ],
  [
    "settles with errors of its own",
    "class Timeout extends Error {}\nconst within = (p, ms) => Promise.race([p, new Promise((_, no) => setTimeout(() => no(new Timeout('late')), ms))])",
    "(async () => { await assert.rejects(within(new Promise(() => {}), 5), Timeout); const o = {}; assert.strictEqual(await within(Promise.resolve(o), 50), o) })()",
  ],
  [
    "debounces calls",
    "function debounce(fn, ms) { let t; return function (...a) { clearTimeout(t); t = setTimeout(() => fn.apply(this, a), ms) } }",
    "(async () => { const got = []; const d = debounce((x) => got.push(x), 20); d(1); d(2); await new Promise((r) => setTimeout(r, 200)); assert.deepEqual(got, [2]) })()",
  ],
  [
    "has bytes",
    "const f = (s) => Buffer.from(s, 'utf8')",
    "assert.ok(Buffer.isBuffer(f('é'))); assert.equal(f('é').toString('hex'), 'c3a9'); assert.ok(f('a').equals(Buffer.from('a')))",
  ],
  [
    "has typed lists on one memory",
    "const f = () => { const b = new ArrayBuffer(4); return [new Uint8Array(b), new Uint32Array(b)] }",
    "const [a, b] = f(); a[0] = 1; assert.equal(b[0], 1); assert.strictEqual(a.buffer, b.buffer)",
  ],
  [
    "returns something that holds itself",
    "const f = () => { const o = { n: 1 }; o.self = o; return o }",
    "const o = f(); assert.strictEqual(o.self, o); assert.strictEqual(o.self.self.n, 1)",
  ],
  [
    "copies cyclic objects deeply",
    "const copy = (v, seen = new Map()) => { if (typeof v !== 'object' || v === null) return v; if (seen.has(v)) return seen.get(v); const out = Array.isArray(v) ? [] : {}; seen.set(v, out); for (const k of Object.keys(v)) out[k] = copy(v[k], seen); return out }",
    "const o = { a: [1] }; o.me = o; const c = copy(o); assert.notStrictEqual(c, o); assert.strictEqual(c.me, c); assert.deepEqual(c.a, [1])",
  ],
  [
    "makes lists with holes",
    "const f = () => [1, , 3]",
    "assert.equal(1 in f(), false); assert.equal(f().length, 3); assert.deepStrictEqual(Object.keys(f()), ['0', '2'])",
  ],
  [
    "has properties on lists",
    "const f = (s) => { const m = /(?<y>\\d+)-(?<m>\\d+)/.exec(s); return m }",
    "const m = f('on 2024-05'); assert.equal(m.index, 3); assert.equal(m.groups.y, '2024'); assert.equal(m[2], '05')",
  ],
  [
    "has properties on functions",
    "function f(x) { f.calls += 1; return x }\nf.calls = 0",
    "f(1); f(2); assert.equal(f.calls, 2); assert.equal(f.name, 'f')",
  ],
  [
    "freezes",
    "const f = (o) => Object.freeze({ ...o })",
    "'use strict'; const o = f({ a: 1 }); assert.ok(Object.isFrozen(o)); assert.throws(() => { 'use strict'; o.a = 2 }, TypeError); assert.equal(o.a, 1)",
  ],
  [
    "distinguishes -0 and NaN",
    "const f = (xs) => xs.map((x) => -x)",
    "assert.ok(Object.is(f([0])[0], -0)); assert.ok(Number.isNaN(f([NaN])[0])); assert.deepStrictEqual(f([1]), [-1])",
  ],
  [
    "destructures with computed keys",
    "const pick = (o, ...ks) => ks.reduce((r, k) => ({ ...r, ...(k in o ? { [k]: o[k] } : {}) }), {})\nconst omit = (o, k) => { const { [k]: _, ...rest } = o; return rest }",
    "const inner = {}; assert.strictEqual(pick({ a: inner, b: 2 }, 'a').a, inner); assert.deepStrictEqual(omit({ a: 1, b: 2 }, 'a'), { b: 2 })",
  ],
  [
    "swaps",
    "function f(a) {\n  for (let i = 0, j = a.length - 1; i < j; i++, j--) {\n    [a[i], a[j]] = [a[j], a[i]];\n  }\n  return a\n}",
    "const x = [1, 2, 3]; assert.strictEqual(f(x), x); assert.deepEqual(x, [3, 2, 1])",
  ],
  [
    "tags templates",
    "const f = (parts, ...values) => parts.raw.map((p, i) => p + (values[i] ?? '')).join('')",
    "assert.equal(f`a$" + "{1}\\n$" + "{2}`, 'a1\\\\n2')",
  ],
  [
    "is printed",
    "function f(n) { for (let i = 1; i <= n; i++) console.log(i) }",
    "const out = []; const old = console.log; console.log = (x) => out.push(x); f(3); console.log = old; assert.deepEqual(out, [1, 2, 3])",
  ],
  [
    "gets the time from the tests",
    "const f = () => Date.now()",
    "const real = Date.now; const t = f(); assert.ok(Math.abs(real() - t) < 1000)",
  ],
  [
    "mixes in",
    "const Fly = (Base) => class extends Base { fly() { return this.name + ' flies' } }",
    "class Bird { constructor() { this.name = 'b' } }\nconst F = Fly(Bird); const f = new F(); assert.equal(f.fly(), 'b flies'); assert.ok(f instanceof Bird)",
  ],
  [
    "is a linked list",
    "class Node_ { constructor(v, next = null) { this.v = v; this.next = next } }\nfunction reverse(h) { let p = null; while (h) { [h.next, p, h] = [p, h, h.next] } return p }",
    "const a = new Node_(1), b = new Node_(2, a); const r = reverse(b); assert.strictEqual(r, a); assert.strictEqual(r.next, b); assert.strictEqual(b.next, null)",
  ],
  [
    "works on nodes of the tests",
    "const invert = (t) => { if (t) { const l = invert(t.left); t.left = invert(t.right); t.right = l } return t }",
    "class T { constructor(v, l = null, r = null) { this.v = v; this.left = l; this.right = r } }\nconst t = new T(1, new T(2), new T(3)); const l = t.left; invert(t); assert.strictEqual(t.right, l); assert.deepStrictEqual(t, new T(1, new T(3), new T(2)))",
  ],
  [
    "is an immediately called module",
    "const counter = (() => { let n = 0; return { up: () => ++n, get value() { return n } } })()",
    "counter.up(); counter.up(); assert.equal(counter.value, 2)",
  ],
  [
    "exports a class",
    "class Q { constructor() { this.items = [] } add(x) { this.items.push(x); return this } }\nmodule.exports = { Q }",
    "const q = new Q(); const o = {}; q.add(o); assert.strictEqual(q.items[0], o)",
  ],
  [
    "pipes",
    "const pipe = (...fns) => (x) => fns.reduce((v, fn) => fn(v), x)",
    "const o = {}; assert.strictEqual(pipe()(o), o); assert.equal(pipe((x) => x + 1, String)(1), '2')",
  ],
  [
    "compares deeply",
    "const eq = (a, b) => a === b || (typeof a === 'object' && typeof b === 'object' && a && b && Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((k) => eq(a[k], b[k])))",
    "const fn = () => {}; assert.equal(eq({ a: fn }, { a: fn }), true); assert.equal(eq({ a: fn }, { a: () => {} }), false); assert.equal(eq([1, [2]], [1, [2]]), true)",
  ],
  [
    "is made by a function and taken apart",
    "const makeSet = () => { const all = new Set(); return { add: (x) => all.add(x), has: (x) => all.has(x), remove: (x) => all.delete(x) } }",
    "const { add, has } = makeSet(); add(1); assert.ok(has(1)); assert.ok(!has(2))",
  ],
  [
    "is made by a function and keeps values",
    "const createStore = () => { const m = new Map(); return { set(k, v) { m.set(k, v) }, get: (k) => m.get(k), delete: (k) => m.delete(k) } }",
    "const s = createStore(); s.set('a', 1); assert.equal(s.get('a'), 1); assert.ok(s.delete('a')); assert.equal(s.get('a'), undefined)",
  ],
  [
    "is made by a function, grows and is searched",
    "class Tree { constructor() { this.xs = [] } insert(x) { this.xs.push(x); return this } find(x) { return this.xs.includes(x) } includes(x) { return this.find(x) } }\nconst build = (xs) => { const t = new Tree(); xs.forEach((x) => t.insert(x)); return t }",
    "const t = build([1, 2]); t.insert(3); assert.ok(t.find(3) && t.includes(1))",
  ],
  [
    "is made by a function, of a class that the tests name",
    "class Tree { constructor() { this.xs = [] } insert(x) { this.xs.push(x); return this } find(x) { return this.xs.includes(x) } }\nconst build = (xs) => { const t = new Tree(); xs.forEach((x) => t.insert(x)); return t }",
    "const t = build([1, 2]); assert.ok(t instanceof Tree); assert.ok(t.find(2))",
  ],
  [
    "is made by a method of its class",
    "class Money { constructor(n) { this.n = n } static of(n) { return new Money(n) } plus(o) { return new Money(this.n + o.n) } equals(o) { return this.n === o.n } }",
    "assert.ok(Money.of(1).plus(Money.of(2)).equals(Money.of(3))); assert.ok(!Money.of(1).equals(Money.of(2)))",
  ],
  [
    "chains operations",
    "const chain = (xs) => ({ map: (w) => chain(xs.map(w)), filter: (w) => chain(xs.filter(w)), value: () => xs })",
    "assert.deepEqual(chain([1, 2, 3]).filter((x) => x > 1).map((x) => x * 2).value(), [4, 6])",
  ],
  [
    "has data by the names of methods",
    "class R { get find() { return 3 } get size() { return 2 } }\nconst f = () => new R()",
    "assert.equal(f().find, 3); assert.equal(f().size, 2)",
  ],
  [
    "exports functions by the names of methods",
    "module.exports = { includes: (xs, x) => xs.includes(x), get: (o, k) => o[k] }",
    "const s = require('./solution'); assert.ok(s.includes([1], 1)); assert.equal(s.get({ a: 1 }, 'a'), 1)",
  ],
  [
    "searches words",
    "class Trie { constructor() { this.w = new Set() } insert(x) { this.w.add(x) } search(x) { return this.w.has(x) } startsWith(p) { return [...this.w].some((x) => x.startsWith(p)) } }",
    "const t = new Trie(); assert.equal(t.search('a'), false); t.insert('ab'); assert.equal(t.startsWith('a'), true)",
  ],
  [
    "is asked for one value of an object that is no data",
    "const load = () => ({ get: (k) => ({ a: 1 })[k] })",
    "assert.equal(load().get('a'), 1)",
  ],
  [
    "is a proxy that has numbers",
    "const range = (a, b) => new Proxy({}, { has: (_, k) => +k >= a && +k < b })",
    "assert.ok(5 in range(1, 10)); assert.ok(!(50 in range(1, 10)))",
  ],
];
