/**
 * Runs in both JavaScript processes of a trial: the one with the tests and the one with the program. They share
 * nothing but lines of text. Every object that crosses gets a number and a counterpart on the other side, made of the
 * same built-in kind: an array, a map, an object with the same own properties. Before a side hands over, it sends
 * the properties of shared objects that it changed, so that identity, aliases and changes hold on both sides.
 * What cannot be copied (functions, promises, generators, proxies) stays where it was made and is called remotely.
 *
 * This is the text of a function. Each side runs it in its own context, where no program has replaced anything, with
 * `main`, the global objects of the program or the tests.
 *
 * On the side of the tests only plain data decides. There, objects of built-in kinds have only the language's own
 * methods, unless the tests name their class; no object of the program is asked what it equals or which number
 * it is; and what the program sends never replaces a function or a prototype of the tests.
 */
const JAVASCRIPT_PEER = String.raw`"use strict";
(function makePeer({ main, makers, types, send, receive, holdsTests, beforeAsk, onAssertion, onUncrossable }) {
  // As variables: to look up a global of this context takes a hundred times as long.
  const { Array, BigInt, Boolean, Date, Error, JSON, Map, Number, Object, Promise, Reflect, RegExp, Set, String, Symbol, Uint8Array, WeakMap, WeakSet } = globalThis;
  const MAX_WATCHED = 100, MAX_WATCHED_FACTS = 20000, MAX_KEYED_LENGTH = 1000, MAX_LENGTH = 5000000;
  const HOLE = Symbol("hole"), LATER = Symbol("later"), PROPERTIES = Symbol("properties");
  const WELL_KNOWN = Reflect.ownKeys(Symbol).filter((key) => typeof Symbol[key] === "symbol");
  // What the tests' side lets an object of the program define by a symbol of the language.
  const OPEN_SYMBOLS = new Set([Symbol.iterator, Symbol.asyncIterator, Symbol.toStringTag, Symbol.toPrimitive]);
  // A result that answers these itself would be judge of itself: they are given what is expected.
  // Of these an object that is no data makes another such object.
  const TRANSFORMING = ["map", "flatMap", "filter"];
  const SET_METHODS = ["union", "intersection", "difference", "symmetricDifference"];
  const PREDICATES = new Set(["every", "some", "includes", "has", "get", "delete", "startsWith", "endsWith", "test", "exec", "isSubsetOf", "isSupersetOf", "isDisjointFrom", "equals", "indexOf", "lastIndexOf", "find", "findIndex", "findLast", "findLastIndex", "match", "matchAll", "search", "localeCompare", "concat", "replace", "replaceAll", "split", "reduce", "reduceRight", ...TRANSFORMING, ...SET_METHODS]);
  // What any list, map or text has. Whoever calls another method of an object, or one that adds to it, does not take it for data.
  const READING = new Set(["Array", "Map", "Set", "String", "Number", "RegExp", "Date", "Object", "Function", "Promise", "Buffer", "Uint8Array"].flatMap((name) => Object.getOwnPropertyNames(main[name].prototype)).concat(...PREDICATES));
  for (const name of ["add", "set", "push", "unshift"]) READING.delete(name);
  const CONVERSIONS = ["valueOf", "toString", Symbol.toPrimitive];
  const BUILT_IN_DATA = { a: main.Array.prototype, m: main.Map.prototype, s: main.Set.prototype, d: main.Date.prototype, x: main.RegExp.prototype, b: main.ArrayBuffer.prototype };
  const { Object: MainObject, TypeError: MainTypeError, Proxy: MainProxy } = main;

  // ---- what the language and Node bring, on both sides the same: it crosses by its name ----
  const intrinsicNames = new Map(), intrinsics = new Map();
  const LEAVES = new Set(["console", "process", "require", "module", "globalThis"]);
  // What each process has for itself. The program must not answer with those of the tests.
  const CLOSED = new Set(["process", "require", "module", "globalThis"]);
  function addIntrinsic(name, value, depth) {
    if (!isObject(value) || intrinsicNames.has(value)) return;
    intrinsicNames.set(value, name);
    intrinsics.set(name, value);
    if (depth === 0 || LEAVES.has(name)) return;
    for (const key of Reflect.ownKeys(value)) {
      const trait = Reflect.getOwnPropertyDescriptor(value, key);
      const path = name + "." + String(key);
      for (const part of ["value", "get", "set"]) addIntrinsic(part === "value" ? path : path + ":" + part, trait[part], depth - 1);
    }
  }
  for (const name of LEAVES) addIntrinsic(name, name === "globalThis" ? main : main[name], 0);
  addIntrinsic("Buffer", main.Buffer, 2);
  for (const [name, sample] of Object.entries(makers.samples)) {
    let depth = 0;
    for (let item = sample; item !== null && item !== main.Object.prototype && item !== main.Function.prototype; item = Reflect.getPrototypeOf(item)) {
      if (depth > 0) addIntrinsic("%" + name + depth, item, 0);
      depth += 1;
    }
  }
  const GLOBALS = Object.getOwnPropertyNames(main).sort().filter((name) => Reflect.getOwnPropertyDescriptor(main, name).value !== undefined);
  for (const name of GLOBALS) addIntrinsic(name, main[name], /^[A-Z]/.test(name) ? 2 : 0);
  for (const [name, sample] of Object.entries(makers.samples)) {
    const kind = Reflect.getPrototypeOf(sample);
    for (const key of Reflect.ownKeys(kind)) addIntrinsic("%" + name + "." + String(key), Reflect.getOwnPropertyDescriptor(kind, key).value, 0);
  }
  const COPIED = new Set(["Object", "Function", "Array", "Map", "Set", "Date", "RegExp", "Promise", "ArrayBuffer", "Number", "String", "Boolean", "BigInt", "Symbol", "Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "Buffer", "Iterator"].map((name) => main[name]?.prototype));
  const bases = [makers.samples.arrayIterator, makers.samples.asyncGenerator].map((sample) => chain(sample).at(-2));
  for (const item of bases) COPIED.add(item);
  for (let item = makers.samples.typedArray; item !== null; item = Reflect.getPrototypeOf(item)) COPIED.add(item);
  const VIEWS = {};
  for (const name of GLOBALS) if (/Array$/.test(name) && name !== "Array") { VIEWS[name] = main[name]; COPIED.add(main[name].prototype); }

  function chain(value) {
    const all = [];
    for (let item = value; item !== null; item = Reflect.getPrototypeOf(item)) all.push(item);
    return all;
  }

  // ---- the objects that both sides know ----
  const entries = new Map(), entryOf = new Map(), symbols = new Map(), symbolIds = new Map(), pending = [], settled = [];
  const watched = new Set(), hidden = new WeakSet(), namedPrototypes = new Set(), conversions = new WeakMap();
  const promised = new Set(), prototypes = new WeakSet();
  // Objects of the program that the tests use as such, and the guards of methods with what they stand for.
  const used = new WeakSet(), holders = new WeakSet(), guarded = new WeakMap();
  // Errors of the program that left a function of the tests with assertions in it.
  const swallowed = new Set();
  let nextId = holdsTests ? 2 : 1, turn = 0, isGone = false, asked = 0, uses = 0, hasHanded = false, hasHolders = false;

  function register(value) {
    const known = entryOf.get(value);
    if (known !== undefined) return known;
    const entry = addEntry({ id: nextId, value, kind: kindOf(value), isOwn: true });
    nextId += 2;
    if (entry.kind === "f") hasHanded = true;
    if (entry.kind === "p") watchPromise(entry);
    return entry;
  }

  function addEntry(known) {
    const entry = Object.assign(known, { snapshot: null, turn: -1, isThen: false });
    entries.set(entry.id, entry);
    entryOf.set(entry.value, entry);
    return entry;
  }

  function kindOf(value) {
    if (types.isProxy(value)) return "z";
    if (typeof value === "function") return "f";
    if (Array.isArray(value)) return "a";
    if (types.isMap(value)) return "m";
    if (types.isSet(value)) return "s";
    if (types.isDate(value)) return "d";
    if (types.isRegExp(value)) return "x";
    if (types.isNativeError(value)) return "e";
    if (types.isPromise(value)) return "p";
    if (types.isArrayBuffer(value)) return "b";
    if (types.isTypedArray(value)) return "t";
    if (types.isBoxedPrimitive(value)) return "w";
    return slotBase(value) === null ? "o" : "g";
  }

  // The prototype of the language's or of Node's that an object keeps hidden state for.
  function slotBase(value) {
    const base = chain(value).find((item) => intrinsicNames.has(item));
    return base === undefined || base === value || COPIED.has(base) || intrinsicNames.has(value) ? null : base;
  }

  // Somebody will wait for it later: until then a rejection is not an unhandled one.
  function watchPromise({ value }) {
    const keep = (isFine) => (result) => {
      if (!holdsTests) return;
      // The program may catch it, as if all had been well.
      if (!isFine && isObject(result) && isAssertion(result) && !isForeign(result)) onAssertion(result);
      settled.push([value, isFine, result]);
    };
    Promise.prototype.then.call(value, keep(true), keep(false));
  }

  // ---- writing ----
  let visits = [];
  function visit(entry) {
    if (entry.turn === turn) return;
    entry.turn = turn;
    visits.push(entry);
  }

  function encode(value) {
    switch (typeof value) {
      case "undefined": return ["u"];
      case "boolean": case "string": return value;
      case "number": return Number.isFinite(value) && !Object.is(value, -0) ? value : ["n", Object.is(value, -0) ? "-0" : String(value)];
      case "bigint": return ["b", String(value)];
      case "symbol": return encodeSymbol(value);
      default: return value === null ? null : encodeObject(value);
    }
  }

  function encodeObject(value) {
    const name = intrinsicNames.get(value);
    if (name !== undefined) return ["i", name];
    const entry = register(value);
    visit(entry);
    return ["r", entry.id];
  }

  function encodeSymbol(value) {
    if (value === HOLE) return ["h"];
    const name = WELL_KNOWN.find((key) => Symbol[key] === value);
    if (name !== undefined) return ["w", name];
    const key = Symbol.keyFor(value);
    if (key !== undefined) return ["k", key];
    if (!symbolIds.has(value)) {
      symbolIds.set(value, nextId);
      symbols.set(nextId, value);
      nextId += 2;
    }
    return ["y", symbolIds.get(value), value.description ?? null];
  }

  // Sends values, and what has changed of the objects that they lead to, of those in also, and of the ones that
  // crossed last. Others may be out of date on the other side until they cross again.
  function write(mark, kind, values, also = []) {
    turn += 1;
    visits = [];
    const changes = [];
    const forms = values.map(encode);
    for (const value of also) if (isObject(value) && entryOf.has(value)) visit(entryOf.get(value));
    flushVisits(changes);
    visitWatched();
    flushVisits(changes);
    const globals = holdsTests ? changedGlobals() : [];
    flushVisits(changes);
    send(JSON.stringify([mark, kind, forms, changes, globals]));
  }

  function visitWatched() {
    const old = [...watched].filter((entry) => entry.turn !== turn);
    let facts = 0;
    old.reverse().forEach((entry, at) => {
      facts += entry.snapshot.length;
      if (at >= MAX_WATCHED || facts > MAX_WATCHED_FACTS) watched.delete(entry);
      else if (!hasSameItems(entry)) visit(entry);
    });
  }

  // To list the keys of an array costs many times what it costs to look at its items.
  function hasSameItems({ value, kind, snapshot }) {
    if (kind !== "a" || snapshot.length !== value.length + 3) return false;
    for (let at = 0; at < value.length; at += 1) if (!Object.is(value[at], snapshot[at + 2])) return false;
    return true;
  }

  function isObject(value) {
    return typeof value === "object" ? value !== null : typeof value === "function";
  }

  function flushVisits(changes) {
    for (let at = 0; at < visits.length; at += 1) {
      const entry = visits[at];
      const facts = readFacts(entry);
      for (const fact of facts) if (isObject(fact) && !intrinsicNames.has(fact)) visit(register(fact));
      watched.delete(entry);
      watched.add(entry);
      if (isSame(facts, entry.snapshot)) continue;
      entry.snapshot = facts;
      changes.push([entry.id, entry.kind, facts.map((fact) => (fact === PROPERTIES ? ["|"] : encode(fact)))]);
    }
    visits = [];
  }

  function isSame(facts, others) {
    if (others === null || facts.length !== others.length) return false;
    for (let at = 0; at < facts.length; at += 1) if (!Object.is(facts[at], others[at])) return false;
    return true;
  }

  // What there is to know about an object: a flat list, so that two states are quick to compare.
  function readFacts({ value, kind }) {
    if (kind === "p" || kind === "z") return kind === "z" ? [typeof value === "function", Array.isArray(value)] : [];
    if (holdsTests && isAssertion(value)) return redacted();
    const facts = [Reflect.getPrototypeOf(value), integrityOf(value)];
    if (facts[0] !== null) prototypes.add(facts[0]);
    readContent(value, kind, facts);
    facts.push(PROPERTIES);
    if (kind === "a" && value.length > MAX_KEYED_LENGTH) return facts;
    if (kind === "t" || kind === "b") return facts;
    for (const key of namedKeys(value, kind)) readProperty(value, kind, key, facts);
    return facts;
  }

  // Indexes come first among the keys of an array: no need to look at each.
  function namedKeys(value, kind) {
    const keys = Reflect.ownKeys(value);
    if (kind !== "a") return keys;
    let at = keys.length;
    while (at > 0 && !isIndex(keys[at - 1])) at -= 1;
    return keys.slice(at);
  }

  // What a failed assertion of the tests expected is not for the program to read.
  function isAssertion(value) {
    return types.isNativeError(value) && Reflect.getOwnPropertyDescriptor(value, "code")?.value === "ERR_ASSERTION";
  }
  function redacted() {
    return [main.Error.prototype, 0, "Error", PROPERTIES, "message", 6, "an assertion of the tests failed"];
  }

  function readProperty(value, kind, key, facts) {
    if (kind === "a" && (key === "length" || isIndex(key))) return;
    if (kind === "w" && (key === "length" || isIndex(key)) && types.isStringObject(value)) return;
    if (kind === "e" && key === "stack") return;
    if (kind === "x" && key === "lastIndex") return;
    if (kind === "f" && ["length", "name", "arguments", "caller"].includes(key)) return;
    const trait = Reflect.getOwnPropertyDescriptor(value, key);
    if (trait === undefined || hidden.has(trait.value) || hidden.has(trait.get)) return;
    const flags = (trait.enumerable ? 1 : 0) + (trait.writable ? 2 : 0) + (trait.configurable ? 4 : 0);
    if (kind === "f" && key === "prototype" && isObject(trait.value)) prototypes.add(trait.value);
    if ("value" in trait) facts.push(key, flags, guarded.get(trait.value) ?? trait.value);
    else facts.push(key, flags + 8, guarded.get(trait.get) ?? trait.get, trait.set);
  }

  function isIndex(key) {
    return typeof key === "string" && /^(?:0|[1-9]\d*)$/.test(key);
  }

  function integrityOf(value) {
    if (Object.isExtensible(value)) return 0;
    return Object.isFrozen(value) ? 3 : Object.isSealed(value) ? 2 : 1;
  }

  function readContent(value, kind, facts) {
    if (kind === "a") readArray(value, facts);
    else if (kind === "m") Map.prototype.forEach.call(value, (item, key) => { facts.push(key, item); });
    else if (kind === "s") Set.prototype.forEach.call(value, (item) => { facts.push(item); });
    else if (kind === "d") facts.push(Date.prototype.getTime.call(value));
    else if (kind === "x") facts.push(sourceOf(value), flagsOf(value), Reflect.getOwnPropertyDescriptor(value, "lastIndex").value);
    else if (kind === "e") facts.push(errorName(value));
    else if (kind === "b") facts.push(makers.base64(value, 0, value.byteLength));
    else if (kind === "t") readView(value, facts);
    else if (kind === "w") facts.push(unboxed(value));
    else if (kind === "f") facts.push(isConstructor(value), textTrait(value, "name"), numberTrait(value, "length"));
  }

  const getter = (prototype, key) => Reflect.getOwnPropertyDescriptor(prototype, key).get;
  const sourceGetter = getter(RegExp.prototype, "source"), flagsGetter = getter(RegExp.prototype, "flags");
  const sourceOf = (value) => sourceGetter.call(value), flagsOf = (value) => flagsGetter.call(value);

  function readArray(value, facts) {
    if (value.length > MAX_LENGTH) throw uncrossable("an array of " + value.length + " items");
    for (let at = 0; at < value.length; at += 1) {
      const item = value[at];
      facts.push(item === undefined && !Object.hasOwn(value, at) ? HOLE : item);
    }
  }

  function errorName(value) {
    const base = chain(value).find((item) => intrinsicNames.has(item));
    return /^(\w*Error)\.prototype$/.exec(intrinsicNames.get(base) ?? "")?.[1] ?? "Error";
  }

  // A view on a part of some memory crosses without the rest: in it may be the text of the tests.
  function readView(value, facts) {
    const name = types.isUint8Array(value) && chain(value).includes(main.Buffer.prototype) ? "Buffer" : viewName(value);
    const isWhole = name !== "Buffer" && value.byteOffset === 0 && value.byteLength === value.buffer.byteLength && types.isArrayBuffer(value.buffer);
    facts.push(name, isWhole ? value.buffer : makers.base64(value.buffer, value.byteOffset, value.byteLength));
  }
  const tagGetter = getter(Reflect.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
  const viewName = (value) => tagGetter.call(value);

  function unboxed(value) {
    if (types.isNumberObject(value)) return Number.prototype.valueOf.call(value);
    if (types.isStringObject(value)) return String.prototype.valueOf.call(value);
    if (types.isBooleanObject(value)) return Boolean.prototype.valueOf.call(value);
    return types.isBigIntObject(value) ? BigInt.prototype.valueOf.call(value) : Symbol.prototype.valueOf.call(value);
  }

  function isConstructor(value) {
    return Object.hasOwn(value, "prototype");
  }
  function textTrait(value, key) {
    const found = Reflect.getOwnPropertyDescriptor(value, key)?.value;
    return typeof found === "string" ? found : "";
  }
  function numberTrait(value, key) {
    const found = Reflect.getOwnPropertyDescriptor(value, key)?.value;
    return typeof found === "number" ? found : 0;
  }

  // ---- reading ----
  const UNREADABLE = "the program's answer cannot be read";
  function unreadable() {
    return new MainTypeError(UNREADABLE);
  }

  function read() {
    const line = receive();
    if (line === null) {
      isGone = true;
      throw new main.Error("the program ended before its tests did");
    }
    try {
      return readMessage(JSON.parse(line));
    } catch (error) {
      throw error instanceof Error ? unreadable() : error;
    }
  }

  function readMessage([mark, kind, forms, changes, globals]) {
    const filled = changes.map(([id, kindName, facts]) => ({ entry: entries.get(id) ?? makeShell(id, kindName, facts, changes), facts }));
    for (const { entry, facts } of filled) fill(entry, facts);
    for (const { entry } of filled) finish(entry);
    if (!holdsTests) for (const global of globals) replaceGlobal(...global.map(decode));
    return { mark, kind, values: forms.map(decode) };
  }

  function replaceGlobal(owner, key, value) {
    Reflect.defineProperty(owner, key, { value, writable: true, configurable: true, enumerable: false });
  }

  function decode(form) {
    if (!Array.isArray(form)) return form;
    const [tag, first, second] = form;
    switch (tag) {
      case "u": return undefined;
      case "n": return Number(first);
      case "b": return BigInt(first);
      case "h": return HOLE;
      case "w": return WELL_KNOWN.includes(first) ? Symbol[first] : undefined;
      case "k": return Symbol.for(first);
      case "y": return decodeSymbol(first, second);
      case "i": if (intrinsics.has(first)) return holdsTests && CLOSED.has(first) ? undefined : intrinsics.get(first); break;
      case "r": if (entries.has(first)) return decodeObject(entries.get(first)); break;
    }
    throw unreadable();
  }

  // What the functions of a Solution return is data, never the object that holds them.
  function decodeObject({ value }) {
    if (hasHolders && isHeld(value)) used.delete(value);
    return value;
  }

  function decodeSymbol(id, description) {
    if (!symbols.has(id)) {
      const made = Symbol(description ?? undefined);
      symbols.set(id, made);
      symbolIds.set(made, id);
    }
    return symbols.get(id);
  }

  // First only the kind of each new object, since they may hold each other.
  function makeShell(id, kind, facts, changes) {
    if (entries.has(id)) return entries.get(id);
    if (!Number.isInteger(id) || id % 2 !== (holdsTests ? 1 : 0) || !Array.isArray(facts)) throw unreadable();
    const entry = { id, kind, isOwn: false };
    entry.value = shellOf(entry, facts, changes);
    return addEntry(entry);
  }

  function shellOf(entry, facts, changes) {
    const { kind } = entry;
    if (kind === "o" || kind === "g") return new MainObject();
    if (kind === "a") return new made.Array();
    if (kind === "m") return new made.Map();
    if (kind === "s") return new made.Set();
    if (kind === "d") return new made.Date(NaN);
    if (kind === "x") return new made.RegExp(decode(facts[2]), decode(facts[3]));
    if (kind === "e") return new (Object.hasOwn(made.errors, facts[2]) ? made.errors[facts[2]] : made.Error)();
    if (kind === "b") return makers.memory(decode(facts[2]));
    if (kind === "t") return viewOf(facts, changes);
    if (kind === "w") return MainObject(decode(facts[2]));
    if (kind === "p") return new made.Promise((resolve, reject) => pending.push({ entry, resolve, reject }));
    if (kind === "f") return functionOf(entry, facts[2] === true);
    if (kind === "z") return proxyOf(entry, facts[0] === true, facts[1] === true);
    throw unreadable();
  }
  const made = { Array: main.Array, Map: main.Map, Set: main.Set, Date: main.Date, RegExp: main.RegExp, Promise: main.Promise, Error: main.Error, errors: {} };
  for (const name of ["Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"]) made.errors[name] = main[name];

  function viewOf(facts, changes) {
    const name = decode(facts[2]);
    if (name === "Buffer") return makers.buffer(decode(facts[3]));
    if (!Object.hasOwn(VIEWS, name)) throw unreadable();
    if (!Array.isArray(facts[3])) return new VIEWS[name](makers.memory(decode(facts[3])));
    const [, id] = facts[3];
    const change = changes.find(([other]) => other === id);
    if (!entries.has(id) && change?.[1] !== "b") throw unreadable();
    const memory = (entries.get(id) ?? makeShell(...change, changes)).value;
    if (!types.isArrayBuffer(memory)) throw unreadable();
    return new VIEWS[name](memory);
  }

  function functionOf(entry, isClass) {
    const call = (self, args) => {
      const target = isForeign(self) ? self : entry.owner;
      if (holdsTests && target !== undefined && entry.keys !== undefined && !entry.keys.some((key) => READING.has(key))) use(target);
      const value = ask("call", entry.value, self, ...(entry.isThen ? expected(args) : args));
      if (entry.givesThen) markThen(value);
      if (holdsTests && isObject(value) && isForeign(value)) useResult(value, target, entry.keys);
      return value;
    };
    const build = (args, target) => {
      const value = ask("new", entry.value, target, ...args);
      if (!isObject(value)) throw unreadable();
      if (holdsTests && isForeign(value)) used.add(value);
      return value;
    };
    return isClass ? makers.constructor(call, build) : makers.method(call);
  }

  // What comes of a method of an object may be another such object.
  function useResult(value, target, keys) {
    if (target !== undefined && isUsed(target) && !isHeld(target) && isLike(value, target, keys)) use(value);
  }
  function isLike(value, target, keys = []) {
    const kind = Reflect.getPrototypeOf(value);
    if (kind !== null && isForeign(kind)) return kind === Reflect.getPrototypeOf(target) || kind === Reflect.getOwnPropertyDescriptor(target, "prototype")?.value;
    return keys.some((key) => !READING.has(key) && typeof Reflect.getOwnPropertyDescriptor(value, key)?.value === "function");
  }
  function use(target) {
    if (!isHeld(target)) used.add(target);
  }
  function isUsed(target) {
    return used.has(target) || (!types.isProxy(target) && chain(target).some((item) => entryOf.get(item)?.isKnown));
  }
  function isHeld(target) {
    return !types.isProxy(target) && chain(target).some((item) => holders.has(item));
  }

  // A method that answers only for an object that the tests use as one.
  function guardMethod(work, key, owner) {
    const guard = makers.method((self, args) => {
      const target = isForeign(self) ? self : owner;
      if (SET_METHODS.includes(key) && !args.some(isObject)) use(target);
      const isAllowed = isUsed(target);
      if (!isAllowed && !TRANSFORMING.includes(key)) throw uncrossable("the program's own " + key);
      const value = Reflect.apply(work, self, args);
      if (!isAllowed && !(isObject(value) && isForeign(value) && entryOf.get(value).kind === "o")) throw uncrossable("the program's own " + key);
      return value;
    });
    guarded.set(guard, work);
    return guard;
  }
  function guardGetter(work, key, owner) {
    const guard = makers.method((self) => {
      const value = Reflect.apply(work, self, []);
      return typeof value === "function" ? guardMethod(value, key, owner) : value;
    });
    guarded.set(guard, work);
    return guard;
  }

  function markThen(value) {
    if (typeof value === "function" && isForeign(value)) entryOf.get(value).isThen = true;
  }

  // Whoever is asked to call back when something is done has to do so.
  function expected(args) {
    if (!holdsTests || typeof args[0] !== "function") return args;
    const promise = {};
    promised.add(promise);
    const kept = (work) => makers.method((self, given) => {
      promised.delete(promise);
      return Reflect.apply(work, self, given);
    });
    return Array.from(args, (item) => (typeof item === "function" && !isForeign(item) ? kept(item) : item));
  }

  function fill(entry, forms) {
    if (entry.kind === "p" || entry.kind === "z") return;
    if (holdsTests && entry.isOwn && isProtected(entry.value)) return;
    const facts = forms.map((form) => (Array.isArray(form) && form[0] === "|" ? PROPERTIES : decode(form)));
    const at = facts.indexOf(PROPERTIES);
    if (at < 2) throw unreadable();
    if (!entry.isOwn) Reflect.setPrototypeOf(entry.value, prototypeFor(entry, facts[0]));
    fillContent(entry, facts.slice(2, at));
    fillProperties(entry, facts.slice(at + 1));
    if (entry.kind === "g") addSlotMethods(entry);
    const integrity = facts[1];
    if (integrity === 3) MainObject.freeze(entry.value);
    else if (integrity === 2) MainObject.seal(entry.value);
    else if (integrity === 1) MainObject.preventExtensions(entry.value);
  }

  // Functions and prototypes of the tests are theirs alone.
  function isProtected(value) {
    return typeof value === "function" || prototypes.has(value);
  }

  function finish(entry) {
    entry.snapshot = readFacts(entry);
    watched.delete(entry);
    watched.add(entry);
  }

  // On the side of the tests an object of a built-in kind has the methods of the language: those of a subclass count
  // only where the tests name the class.
  function prototypeFor({ kind, value }, asked) {
    const base = basePrototype(kind, value);
    if (!holdsTests || base === null) return asked ?? null;
    return asked !== null && chain(asked).some((item) => namedPrototypes.has(item)) && chain(asked).includes(base) ? asked : base;
  }

  function basePrototype(kind, value) {
    if (Object.hasOwn(BUILT_IN_DATA, kind)) return BUILT_IN_DATA[kind];
    if (kind === "t") return chain(value).find((item) => intrinsicNames.has(item));
    if (kind === "w") return Reflect.getPrototypeOf(MainObject(unboxed(value)));
    return null;
  }

  function fillContent({ value, kind, isOwn }, content) {
    if (kind === "a") fillArray(value, content);
    else if (kind === "m") {
      if (content.length % 2 !== 0) throw unreadable();
      Map.prototype.clear.call(value);
      for (let at = 0; at < content.length; at += 2) Map.prototype.set.call(value, content[at], content[at + 1]);
    } else if (kind === "s") {
      Set.prototype.clear.call(value);
      for (const item of content) Set.prototype.add.call(value, item);
    } else if (kind === "d") Date.prototype.setTime.call(value, typeof content[0] === "number" ? content[0] : NaN);
    else if (kind === "x") Reflect.set(value, "lastIndex", Number(content[2]));
    else if (kind === "b") makers.copyInto(value, 0, String(content[0]));
    else if (kind === "t" && typeof content[1] === "string") makers.copyInto(value.buffer, value.byteOffset, content[1], value.byteLength);
    else if (kind === "f" && !isOwn) {
      Reflect.defineProperty(value, "name", { value: String(content[1]), configurable: true });
      Reflect.defineProperty(value, "length", { value: Number(content[2]), configurable: true });
    }
  }

  function fillArray(value, content) {
    for (let at = 0; at < content.length; at += 1) {
      if (content[at] === HOLE) Reflect.deleteProperty(value, at);
      else if (value[at] === undefined || !Object.is(value[at], content[at])) Reflect.set(value, at, content[at], value);
    }
    if (value.length !== content.length) Reflect.set(value, "length", content.length, value);
  }

  function fillProperties(entry, list) {
    const { value, kind } = entry;
    if (kind === "t" || kind === "b" || (kind === "a" && value.length > MAX_KEYED_LENGTH)) return;
    const told = new Set();
    const converting = new Map();
    for (let at = 0; at < list.length; ) {
      const [key, flags, first] = [list[at], list[at + 1], list[at + 2]];
      const isAccessor = flags >= 8;
      const second = isAccessor ? list[at + 3] : undefined;
      at += isAccessor ? 4 : 3;
      if (typeof flags !== "number" || (typeof key !== "string" && typeof key !== "symbol")) throw unreadable();
      told.add(key);
      if (isRefused(entry, key, isAccessor, isAccessor ? first ?? second : first)) continue;
      if (holdsTests && CONVERSIONS.includes(key) && (isAccessor || typeof first === "function")) converting.set(key, isAccessor ? undefined : first);
      if (holdsTests && key === Symbol.toPrimitive) continue;
      if (key === "then" && !isAccessor) markThen(first);
      if (key === "then" && isAccessor && isForeign(first)) entryOf.get(first).givesThen = true;
      const common = { enumerable: (flags & 1) !== 0, configurable: (flags & 4) !== 0 };
      const trait = isAccessor ? { get: functionOr(first), set: functionOr(second), ...common } : { value: first, writable: (flags & 2) !== 0, ...common };
      if (holdsTests && !entry.isOwn) guardProperty(value, key, trait);
      Reflect.defineProperty(value, key, trait);
    }
    for (const key of namedKeys(value, kind)) if (!told.has(key) && isShared(value, kind, key)) Reflect.deleteProperty(value, key);
    if (converting.size > 0 && !entry.isOwn) guardConversions(value, converting);
  }

  function guardProperty(owner, key, trait) {
    if (isForeign(trait.value) && typeof trait.value === "function") noteMethod(trait.value, key, owner);
    if (!PREDICATES.has(key)) return;
    if (trait.get !== undefined) trait.get = guardGetter(trait.get, key, owner);
    else if (typeof trait.value === "function") trait.value = guardMethod(trait.value, key, owner);
  }
  function noteMethod(work, key, owner) {
    const entry = entryOf.get(work);
    (entry.keys ??= []).push(key);
    entry.owner ??= owner;
  }

  function functionOr(value) {
    return typeof value === "function" ? value : undefined;
  }

  function isShared(value, kind, key) {
    const facts = [];
    readProperty(value, kind, key, facts);
    return facts.length > 0;
  }

  // What would let the program decide in the place of the language, or of the tests' own methods.
  function isRefused({ value, kind, isOwn }, key, isAccessor, item) {
    if (!holdsTests) return false;
    const isCode = isAccessor || typeof item === "function";
    if (typeof key === "symbol" && WELL_KNOWN.some((name) => Symbol[name] === key) && !OPEN_SYMBOLS.has(key)) return refuse(key, isCode);
    if (key === Symbol.for("nodejs.util.inspect.custom")) return true;
    const base = basePrototype(kind, value);
    if (base !== null && key in base) return refuse(key, isCode);
    if (isOwn && isCode && key in (Reflect.getPrototypeOf(value) ?? {}) && !Object.hasOwn(value, key)) return refuse(key, isCode);
    if (kind === "f" && ["call", "apply", "bind"].includes(key)) return refuse(key, isCode);
    if (!isCode || key === "constructor" || CONVERSIONS.includes(key) || key === "toLocaleString") return false;
    return typeof key === "string" && key in Object.prototype ? refuse(key, isCode) : false;
  }

  function refuse(key, isCode) {
    if (isCode) onUncrossable?.("the program's own " + String(key) + " in place of the language's", false);
    return true;
  }

  // Which number or text an object of the program is in a comparison or a sum is not for the program to say.
  function guardConversions(value, guarded) {
    conversions.set(value, guarded);
    const guard = makers.method((self, [hint]) => primitiveOf(self, hint));
    hidden.add(guard);
    Reflect.defineProperty(value, Symbol.toPrimitive, { value: guard, configurable: true, writable: true, enumerable: false });
  }

  function primitiveOf(self, hint) {
    if (types.isBoxedPrimitive(self)) return unboxed(self);
    if (types.isDate(self)) return hint === "number" ? Date.prototype.getTime.call(self) : Date.prototype.toString.call(self);
    if (hint !== "string") throw uncrossable("an object's value in a comparison or a sum, by its own valueOf or toString");
    const own = chain(self).map((item) => conversions.get(item)?.get(Symbol.toPrimitive)).find((item) => item !== undefined);
    const works = own === undefined ? [self.toString, self.valueOf] : [own];
    for (const work of works) {
      const value = typeof work === "function" ? Reflect.apply(work, self, own === undefined ? [] : ["string"]) : self;
      if (!isObject(value)) return value;
    }
    throw new MainTypeError("Cannot convert object to primitive value");
  }

  function uncrossable(what) {
    onUncrossable?.(what, true);
    return new MainTypeError("the tests need something that cannot cross between processes: " + what);
  }

  // Generators, weak maps and their like: the methods of the language, called where the object is.
  function addSlotMethods(entry) {
    const { value } = entry;
    const seen = new Set();
    for (const item of chain(value).slice(1)) {
      if (item === main.Object.prototype || bases.includes(item)) break;
      for (const key of Reflect.ownKeys(item)) {
        if (seen.has(key) || key === "constructor" || Object.hasOwn(value, key)) continue;
        seen.add(key);
        const trait = intrinsicNames.has(item) ? Reflect.getOwnPropertyDescriptor(item, key) : {};
        const remote = (how) => {
          const work = makers.method((self, args) => ask("slot", self, key, how, ...args));
          hidden.add(work);
          return work;
        };
        if (typeof trait.value === "function") Reflect.defineProperty(value, key, { value: remote("call"), configurable: true, writable: true });
        else if (trait.get !== undefined && key !== Symbol.toStringTag) Reflect.defineProperty(value, key, { get: remote("get"), set: remote("set"), configurable: true });
      }
    }
  }

  function callSlot(target, key, how, args) {
    for (const item of chain(target).slice(1)) {
      const trait = intrinsicNames.has(item) ? Reflect.getOwnPropertyDescriptor(item, key) : undefined;
      if (trait === undefined) continue;
      const work = how === "call" ? trait.value : how === "get" ? trait.get : trait.set;
      return Reflect.apply(work, target, args);
    }
    throw new MainTypeError("not allowed");
  }

  function proxyOf(entry, isFunction, isList) {
    const self = () => entry.value;
    const target = isFunction ? makers.method(() => undefined) : new MainObject();
    const guard = makers.method((_, [hint]) => {
      if (hint !== "string") throw uncrossable("an object's value in a comparison or a sum, by a proxy");
      return String(ask("text", self()));
    });
    const isClosed = (key) => holdsTests && typeof key === "symbol" && key !== Symbol.iterator && key !== Symbol.asyncIterator;
    return new MainProxy(target, {
      apply: (_, receiver, args) => ask("call", self(), receiver, ...args),
      construct(_, args, newTarget) {
        const value = ask("new", self(), newTarget, ...args);
        if (!isObject(value)) throw unreadable();
        return value;
      },
      get(_, key) {
        if (holdsTests && key === Symbol.toPrimitive) return guard;
        if (isClosed(key)) return undefined;
        const value = ask("get", self(), key);
        if (holdsTests && typeof value === "function" && !intrinsicNames.has(value)) {
          const language = isList ? main.Array.prototype : main.Object.prototype;
          if (key in language && !CONVERSIONS.includes(key)) return language[key];
          if (PREDICATES.has(key)) return guardMethod(value, key, self());
          if (isForeign(value)) noteMethod(value, key, self());
        }
        if (key === "then") markThen(value);
        return value;
      },
      set: (_, key, value) => ask("set", self(), key, value) === true,
      has: (_, key) => !isClosed(key) && ask("has", self(), key) === true && isListed(self(), key),
      deleteProperty: (_, key) => ask("delete", self(), key) === true,
      ownKeys: () => Array.from(ask("keys", self())),
      getOwnPropertyDescriptor(_, key) {
        const isEnumerable = isClosed(key) ? undefined : ask("enumerable", self(), key);
        if (isEnumerable !== undefined) isListed(self(), key);
        return isEnumerable === undefined ? undefined : { value: ask("get", self(), key), writable: true, enumerable: isEnumerable === true, configurable: true };
      },
      getPrototypeOf: () => ask("prototype", self()),
      defineProperty: (_, key, trait) => "value" in trait && ask("set", self(), key, trait.value) === true,
    });
  }

  // A proxy that is taken for data has the properties that it lists, not those that it is asked for.
  function isListed(proxy, key) {
    if (!holdsTests || isUsed(proxy) || Array.from(ask("keys", proxy)).includes(key)) return true;
    throw uncrossable("the properties of a proxy that it does not list");
  }

  function answerProxy(kind, target, key, value) {
    switch (kind) {
      case "get": return Reflect.get(target, key);
      case "set": return Reflect.set(target, key, value);
      case "has": return Reflect.has(target, key);
      case "delete": return Reflect.deleteProperty(target, key);
      case "keys": return main.Array.from(Reflect.ownKeys(target));
      case "enumerable": return Reflect.getOwnPropertyDescriptor(target, key)?.enumerable;
      case "prototype": return Reflect.getPrototypeOf(target);
      case "text": return String(target);
    }
    throw new MainTypeError("not allowed");
  }

  // ---- asking and answering ----
  const UPKEEP = new Set(["load", "names", "additions", "exports", "tick", "idle", "settled"]);
  function ask(kind, ...values) {
    if (kind !== "idle") asked += 1;
    if (!UPKEEP.has(kind)) uses += 1;
    beforeAsk?.();
    write("?", kind, values);
    for (;;) {
      const message = read();
      if (message.mark === "?") {
        serve(message);
        continue;
      }
      if (message.mark === "=") return message.values[0];
      if (message.mark === "~") return LATER;
      swallowed.delete(message.values[0]);
      throw message.values[0];
    }
  }

  function serve(message, extra) {
    let mark = "=", value;
    try {
      value = answer(message, extra);
    } catch (error) {
      mark = "!";
      value = error instanceof Error ? ownError(error) : error;
      if (holdsTests && isForeign(error)) noteSwallowed(error, message.values[0]);
      else if (holdsTests && isAssertion(error)) onAssertion(error);
    }
    reply(mark, value, message.values);
  }

  // It keeps an assertion from being reached, unless the program lets it through.
  function noteSwallowed(error, work) {
    if (typeof work === "function" && /\bassert\b/.test(Function.prototype.toString.call(work))) swallowed.add(error);
  }

  // An error of the world of this text, in the world of the others.
  function ownError({ name, message }) {
    return new (made.errors[name] ?? made.Error)(message);
  }

  function reply(mark, value, also) {
    try {
      write(mark, null, [value], also);
    } catch (error) {
      write("!", null, [error instanceof Error ? ownError(error) : error]);
    }
  }

  function answer({ kind, values }, extra) {
    if (extra !== undefined && Object.hasOwn(extra, kind)) return extra[kind](...values);
    if (kind === "settled" && !holdsTests) return settlePending(...values);
    const [target, ...rest] = values;
    const entry = entryOf.get(target);
    // Only what was handed over may be used, and only as what it is. A program is free to use its own in any way.
    if (holdsTests && entry?.isOwn !== true) throw new MainTypeError("not allowed");
    if (kind === "call") return Reflect.apply(target, rest[0], rest.slice(1));
    if (kind === "new") return Reflect.construct(target, rest.slice(1), rest[0] ?? target);
    if (kind === "slot" && entry?.kind === "g") return callSlot(target, rest[0], rest[1], rest.slice(2));
    if (entry?.kind === "z") return answerProxy(kind, target, ...rest);
    throw new MainTypeError("not allowed");
  }

  function settlePending(promise, isFine, value) {
    const at = pending.findIndex(({ entry }) => entry.value === promise);
    if (at === -1) return;
    const [{ resolve, reject }] = pending.splice(at, 1);
    if (isFine) resolve(value);
    else reject(value);
  }

  // ---- what tests change of the world, for the program to find it changed ----
  const OWNERS = ["console", "Math", "Date", "JSON", "Array.prototype", "String.prototype", "Number.prototype"];
  const globalsBefore = new Map();
  const replacedGlobals = new Map();
  function rememberGlobals(names) {
    for (const name of OWNERS) globalsBefore.set(name, new Map(globalValues(name)));
    for (const name of names) replacedGlobals.set(name, Reflect.getOwnPropertyDescriptor(main, name)?.value);
  }
  function globalValues(name) {
    const owner = intrinsics.get(name);
    return Reflect.ownKeys(owner).map((key) => [key, Reflect.getOwnPropertyDescriptor(owner, key).value]);
  }
  function changedGlobals() {
    const changed = [];
    for (const [name, before] of globalsBefore) {
      for (const [key, value] of globalValues(name)) {
        if (Object.is(before.get(key), value)) continue;
        before.set(key, value);
        if (typeof value === "function") changed.push([encode(intrinsics.get(name)), encode(key), encode(value)]);
      }
    }
    for (const [name, before] of replacedGlobals) {
      const value = Reflect.getOwnPropertyDescriptor(main, name)?.value;
      if (Object.is(value, before)) continue;
      replacedGlobals.set(name, value);
      changed.push([encode(main), name, encode(value)]);
    }
    return changed;
  }

  // Methods that the program adds to built-in classes, where these have none of that name. Some names are asked for by
  // the language itself.
  const EXTENDED = ["Array", "String", "Number", "Map", "Set", "Date"].map((name) => name + ".prototype");
  const namesBefore = new Map(EXTENDED.map((name) => [name, new Set(Reflect.ownKeys(intrinsics.get(name)))]));
  function additions() {
    const added = new main.Array();
    for (const [name, before] of namesBefore) {
      for (const key of Reflect.ownKeys(intrinsics.get(name))) {
        const value = Reflect.getOwnPropertyDescriptor(intrinsics.get(name), key).value;
        if (typeof key === "string" && !before.has(key) && typeof value === "function") added.push(name, key, value);
      }
    }
    return added;
  }
  function takeAdditions(added, isWanted) {
    for (let at = 0; at + 2 < added.length; at += 3) {
      const [name, key, value] = [added[at], added[at + 1], added[at + 2]];
      const owner = EXTENDED.includes(name) ? intrinsics.get(name) : {};
      if (typeof key !== "string" || key in owner || key === "then" || key === "toJSON" || PREDICATES.has(key) || !isWanted(key) || !isForeign(value)) continue;
      Reflect.defineProperty(owner, key, { value, writable: true, configurable: true, enumerable: false });
    }
  }

  // A class or an object that the tests name: what it says of itself is what the tests ask for.
  function nameClass(value, name) {
    if (typeof value !== "function" || !isForeign(value) || !isObject(value.prototype)) return;
    if (name === "Solution") {
      hasHolders = true;
      return void holders.add(value.prototype);
    }
    namedPrototypes.add(value.prototype);
    nameObject(value.prototype);
  }
  function nameObject(value) {
    if (!isObject(value) || !isForeign(value)) return;
    used.add(value);
    for (const item of types.isProxy(value) ? [] : chain(value).filter(isForeign)) entryOf.get(item).isKnown = true;
    onUncrossable?.(null, false);
  }

  function isForeign(value) {
    return entryOf.get(value)?.isOwn === false;
  }

  return {
    ask,
    serve,
    read,
    reply,
    rememberGlobals,
    additions,
    takeAdditions,
    LATER,
    nameClass,
    nameObject,
    nextPending: () => pending.shift(),
    putBack: (item) => { pending.push(item); },
    nextSettled: () => settled.shift(),
    get hasSettled() { return settled.length > 0; },
    isForeign,
    get hasPending() { return pending.length > 0; },
    get asked() { return asked; },
    get uses() { return uses; },
    noteUse: () => { uses += 1; },
    get hasHanded() { return hasHanded; },
    get hasPromised() { return promised.size > 0; },
    get hasSwallowed() { return swallowed.size > 0; },
    get isGone() { return isGone; },
  };
})`;

/**
 * Creates a peer in the context of the program or of the tests. Expects `require` and provides `createPeer(options)`.
 * What the peer hands out is made here, so that it belongs to this context.
 */
export const JAVASCRIPT_PEER_FACTORY = `
const createPeer = (() => {
  "use strict";
  const { types } = require("util"), { Buffer } = require("buffer"), vm = require("vm");
  const makers = {
    method: (run) => ({ method(...args) { return run(this, args); } }).method,
    constructor: (run, build) => function (...args) { return new.target === undefined ? run(this, args) : build(args, new.target); },
    base64: (memory, offset, length) => Buffer.from(memory, offset, length).toString("base64"),
    memory: (text) => { const bytes = Buffer.from(String(text), "base64"); return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength); },
    buffer: (text) => Buffer.from(String(text), "base64"),
    copyInto: (memory, offset, text, most) => { Buffer.from(String(text), "base64").copy(Buffer.from(memory, offset, most)); },
    samples: {
      generatorFunction: function* () {}, asyncFunction: async () => {}, asyncGeneratorFunction: async function* () {},
      arrayIterator: [].values(), mapIterator: new Map().values(), setIterator: new Set().values(), stringIterator: ""[Symbol.iterator](),
      matches: "".matchAll(/x/g), generator: Object.create((function* () {}).prototype), asyncGenerator: Object.create((async function* () {}).prototype),
      typedArray: new Uint8Array(0), ...(typeof Iterator === "function" ? { iteratorHelper: [].values().map((x) => x) } : {}),
    },
  };
  // A generator inherits from an object of its function's first.
  makers.samples.generator = Object.getPrototypeOf(makers.samples.generator);
  makers.samples.asyncGenerator = Object.getPrototypeOf(makers.samples.asyncGenerator);
  const makePeer = vm.runInNewContext(${JSON.stringify(JAVASCRIPT_PEER)}, {}, { filename: "assay-peer.js" });
  return (options) => makePeer({ main: globalThis, makers, types: { ...types }, ...options });
})();
`;
