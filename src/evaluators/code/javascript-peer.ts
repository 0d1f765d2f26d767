/**
 * What both JavaScript processes of a trial run: the one with the tests and the one with the program. They share
 * nothing but lines of text. Plain data is copied; functions and objects of classes stay where they are and are
 * reached through a proxy. Changes that a call makes to the arrays and objects it was given are sent back.
 * It is the text of a function, since the side of the tests runs it in a context of its own for each trial.
 */
export const JAVASCRIPT_PEER = `(function makePeer(send, receive, holdsTests, beforeAsk) {
  "use strict";
  const objects = [], numbers = new Map(), standIns = new Map(), foreign = new WeakMap(), pending = [];
  const primitives = new Map(), thens = new WeakSet(), promises = new Set();
  const ERRORS = { Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError };
  const ARRAYS = { Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array };
  const SYMBOLS = ["iterator", "asyncIterator", "toPrimitive", "toStringTag", "hasInstance"];
  const HIDDEN = new Set(["constructor", "prototype", "caller", "callee", "arguments"]);
  const SHARED = { Object: Object.prototype, Function: Function.prototype, Array: Array.prototype };
  const CHANGING = new Set(["call", "new", "set", "delete", "await", "tick"]);
  const DEEPEST = 200;
  // The answer of a program that itself waits for a promise of the tests.
  const LATER = Symbol("later"), settled = [];
  let isGone = false, asked = 0, hasHanded = false, unusual = 0;

  function ask(kind, target, ...rest) {
    const given = kind === "call" || kind === "new" ? rest[rest.length - 1] : [];
    if (CHANGING.has(kind)) primitives.clear();
    if (kind !== "idle") asked += 1;
    beforeAsk?.();
    const forms = [kind, target, ...rest].map((item) => pack(item));
    write(["?", ...forms]);
    for (;;) {
      const message = read();
      if (message[0] !== "?") return settle(message, given);
      serve(message);
    }
  }

  function settle([mark, form, changed], given) {
    // What is a copy or a stand-in may differ from what it stands for.
    if (Array.isArray(form) && (form[1] === "symbol" || !["u", "n", "b"].includes(form[0]))) unusual += 1;
    unusual += changed.length;
    for (const [index, value] of changed) restore(given[index], unpack(value));
    const value = unpack(form);
    if (mark === "=") return value;
    if (mark === "~") return LATER;
    throw value;
  }

  function write(message) {
    send(JSON.stringify(message));
  }

  function read() {
    const line = receive();
    if (line === null) {
      isGone = true;
      throw new Error("the program ended before its tests did");
    }
    return JSON.parse(line);
  }

  function serve(message, extra) {
    let answer;
    try {
      const [kind, target, ...given] = message.slice(1).map(unpack);
      const result = handle(kind, target, given, extra);
      answer = ["=", pack(result), changes(kind, message, given)];
    } catch (error) {
      answer = ["!", packThrown(error), []];
    }
    write(answer);
  }

  function handle(kind, target, given, extra) {
    if (extra !== undefined && kind in extra) return extra[kind](target, ...given);
    if (kind === "call") return Reflect.apply(target, given[0], given[1]);
    if (kind === "new") return Reflect.construct(target, given[0]);
    guard(kind, target, given[0]);
    if (kind === "get") return Reflect.get(target, given[0]);
    if (kind === "set") return Reflect.set(target, given[0], given[1]);
    if (kind === "has") return Reflect.has(target, given[0]);
    if (kind === "delete") return Reflect.deleteProperty(target, given[0]);
    if (kind === "keys") return Reflect.ownKeys(target).filter((key) => typeof key === "string");
    if (kind === "isInstance") return given[0] instanceof target;
    if (kind === "prototype") return prototypeOf(target);
    if (kind === "primitive") return primitiveIn(target, given[0]);
    if (kind === "settled") return settlePending(...given);
    throw new TypeError(String(kind));
  }

  function prototypeOf(target) {
    const kind = Object.getPrototypeOf(target);
    const name = Object.keys(SHARED).find((known) => SHARED[known] === kind);
    return name ?? exported(kind);
  }

  function primitiveIn(target, hint) {
    const own = target[Symbol.toPrimitive];
    if (own !== undefined && own !== null) return Reflect.apply(own, target, [hint]);
    for (const name of hint === "string" ? ["toString", "valueOf"] : ["valueOf", "toString"]) {
      const value = typeof target[name] === "function" ? Reflect.apply(target[name], target, []) : target;
      if (Object(value) !== value) return value;
    }
    throw new TypeError("Cannot convert object to primitive value");
  }

  // An object of the program is one number, however often it is looked at, until something is done to it.
  function primitiveOf(number, hint) {
    const key = number + (hint === "string" ? "s" : "n");
    if (!primitives.has(key)) primitives.set(key, ask("primitive", standIns.get(number), hint));
    return primitives.get(key);
  }

  // What the program may do with objects of the tests: nothing that leads out of them.
  function guard(kind, target, key) {
    if (!holdsTests || kind === "keys") return;
    const isFunction = typeof target === "function" && !(kind === "get" && (key === "length" || key === "name"));
    const isName = typeof key === "string" && !HIDDEN.has(key) && !key.startsWith("__");
    const isKnown = typeof key === "symbol";
    if (!(isName || isKnown) || isFunction || kind === "prototype" || kind === "isInstance" || kind === "primitive") {
      throw new TypeError("not allowed");
    }
  }

  function changes(kind, message, given) {
    if (kind !== "call" && kind !== "new") return [];
    const last = message[message.length - 1], values = given[given.length - 1];
    const changed = [];
    values.forEach((value, index) => {
      if (typeof value !== "object" || value === null || foreign.has(value)) return;
      const form = pack(value);
      if (JSON.stringify(form) !== JSON.stringify(last[index + 1])) changed.push([index, form]);
    });
    return changed;
  }

  function restore(old, value) {
    if (typeof old !== "object" || old === null || typeof value !== "object" || value === null) return value;
    if (Array.isArray(old) && Array.isArray(value)) {
      value.forEach((item, index) => { old[index] = index < old.length ? restore(old[index], item) : item; });
      old.length = value.length;
    } else if (old instanceof Map && value instanceof Map) {
      const items = [...value].map(([key, item]) => [key, old.has(key) ? restore(old.get(key), item) : item]);
      old.clear();
      for (const [key, item] of items) old.set(key, item);
    } else if (old instanceof Set && value instanceof Set) {
      old.clear();
      for (const item of value) old.add(item);
    } else if (isPlain(old) && isPlain(value)) {
      for (const key of Object.keys(old)) if (!(key in value)) delete old[key];
      for (const key of Object.keys(value)) old[key] = key in old ? restore(old[key], value[key]) : value[key];
    } else {
      return value;
    }
    return old;
  }

  function pack(value, depth = 0) {
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (value === undefined) return ["u"];
    if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? value : ["n", Object.is(value, -0) ? "-0" : String(value)];
    if (typeof value === "bigint") return ["b", String(value)];
    if (typeof value === "symbol") return packSymbol(value);
    if (foreign.has(value)) return ["y", foreign.get(value)];
    if (depth > DEEPEST) return exported(value).form;
    return packObject(value, depth + 1);
  }

  function packSymbol(value) {
    unusual += 1;
    const name = SYMBOLS.find((known) => Symbol[known] === value);
    return name === undefined ? ["u", "symbol"] : ["sym", name];
  }

  function packObject(value, depth) {
    const all = (items) => Array.from(items, (item) => pack(item, depth));
    if (value instanceof Export) return value.form;
    if (Array.isArray(value)) return ["a", ...all(value)];
    if (typeof value === "function") return exported(value).form;
    if (isPlain(value)) {
      const keys = Object.keys(value);
      if (keys.some((key) => typeof value[key] === "function")) return exported(value).form;
      return ["o", Object.getPrototypeOf(value) === null, ...keys.flatMap((key) => [key, pack(value[key], depth)])];
    }
    unusual += 1;
    const kind = Object.getPrototypeOf(value);
    if (kind === Map.prototype) return ["m", ...[...value].map((pair) => all(pair))];
    if (kind === Set.prototype) return ["s", ...all(value)];
    if (kind === Date.prototype) return ["d", pack(value.getTime())];
    if (kind === RegExp.prototype) return ["r", value.source, value.flags];
    if (kind === Promise.prototype) return promised(value);
    if (ArrayBuffer.isView(value) && kind.constructor.name in ARRAYS) return ["t", kind.constructor.name, ...all(value)];
    if (value instanceof Error) return packThrown(value);
    return exported(value).form;
  }

  class Export {
    constructor(form) { this.form = form; }
  }

  function exported(value) {
    if (value === null || foreign.has(value)) return value;
    unusual += 1;
    if (!numbers.has(value)) {
      numbers.set(value, objects.length);
      objects.push(value);
    }
    if (typeof value === "function") hasHanded = true;
    return new Export(["x", numbers.get(value), typeof value === "function"]);
  }

  // Somebody will wait for it later: until then a rejection is not an unhandled one.
  function promised(value) {
    const isNew = !numbers.has(value);
    const { form } = exported(value);
    const keep = (isFine) => (result) => { if (holdsTests) settled.push([form[1], isFine, result]); };
    if (isNew) value.then(keep(true), keep(false));
    return ["p", form[1]];
  }

  function settlePending(number, isFine, value) {
    const at = pending.findIndex((item) => item.number === number);
    if (at === -1) return;
    const [{ resolve, reject }] = pending.splice(at, 1);
    if (isFine) resolve(value);
    else reject(value);
  }

  function packThrown(error) {
    if (!(error instanceof Error) || foreign.has(error)) return pack(error);
    const traits = {};
    for (const key of Object.keys(error)) if (typeof error[key] !== "function") traits[key] = error[key];
    return ["e", String(error.name), String(error.message), exported(error).form[1], pack(traits)];
  }

  function isPlain(value) {
    if (typeof value !== "object" || value === null || foreign.has(value)) return false;
    const kind = Object.getPrototypeOf(value);
    return (kind === Object.prototype && !Object.hasOwn(value, "constructor")) || kind === null;
  }

  function unpack(form) {
    if (!Array.isArray(form)) return form;
    const [tag, ...rest] = form;
    switch (tag) {
      case "u": return undefined;
      case "n": return Number(rest[0]);
      case "b": return BigInt(rest[0]);
      case "sym": return SYMBOLS.includes(rest[0]) ? Symbol[rest[0]] : undefined;
      case "y": return objects[rest[0]];
      case "a": return rest.map(unpack);
      case "o": return unpackPlain(rest);
      case "m": return new Map(rest.map((pair) => pair.map(unpack)));
      case "s": return new Set(rest.map(unpack));
      case "d": return new Date(unpack(rest[0]));
      case "r": return new RegExp(rest[0], rest[1]);
      case "t": return ARRAYS[rest[0]].from(rest.slice(1).map(unpack));
      case "e": return unpackError(rest);
      case "p": return standIns.get(rest[0]) ?? awaited(rest[0]);
      case "x": return standIns.get(rest[0]) ?? standIn(rest[0], rest[1]);
      default: throw new TypeError("an answer of the program cannot be read");
    }
  }

  function unpackPlain([isBare, ...parts]) {
    const value = isBare ? Object.create(null) : {};
    for (let at = 0; at < parts.length; at += 2) {
      Object.defineProperty(value, parts[at], { value: unpack(parts[at + 1]), writable: true, enumerable: true, configurable: true });
    }
    return value;
  }

  function unpackError([name, message, number, traits]) {
    if (standIns.has(number)) return standIns.get(number);
    const error = new (Object.hasOwn(ERRORS, name) ? ERRORS[name] : Error)(message);
    if (error.name !== name) Object.defineProperty(error, "name", { value: name, configurable: true, writable: true });
    for (const [key, value] of Object.entries(Object(unpack(traits)))) if (key !== "__proto__") error[key] = value;
    foreign.set(error, number);
    standIns.set(number, error);
    return error;
  }

  function awaited(number) {
    const promise = new Promise((resolve, reject) => pending.push({ number, resolve, reject }));
    foreign.set(promise, number);
    standIns.set(number, promise);
    return promise;
  }

  function standIn(number, isFunction) {
    const made = new Proxy(isFunction ? function () {}.bind() : {}, traps(number));
    foreign.set(made, number);
    standIns.set(number, made);
    return made;
  }

  // Whoever is asked to call back when something is done has to do so.
  function expected(args) {
    if (!holdsTests || typeof args[0] !== "function") return args;
    const promise = {};
    promises.add(promise);
    const kept = (work) => function (...given) {
      promises.delete(promise);
      return Reflect.apply(work, this, given);
    };
    return args.map((item) => (typeof item === "function" && !foreign.has(item) ? kept(item) : item));
  }

  function traps(number) {
    const self = () => standIns.get(number);
    return {
      apply(_, receiver, args) {
        const given = thens.has(self()) ? expected(args) : args;
        return ask("call", self(), foreign.has(Object(receiver)) || isPlain(receiver) ? receiver : undefined, given);
      },
      construct: (_, args) => Object(ask("new", self(), args)),
      get(_, key) {
        if (key === Symbol.hasInstance) return (value) => Object(value) === value && foreign.has(value) && ask("isInstance", self(), value);
        if (typeof key === "symbol" && packSymbol(key)[0] === "u") return undefined;
        if (key === Symbol.toPrimitive && holdsTests) return (hint) => primitiveOf(number, hint);
        const value = ask("get", self(), key);
        if (key === "then" && typeof value === "function" && foreign.has(value)) thens.add(value);
        return value;
      },
      set: (_, key, value) => (ask("set", self(), key, value), true),
      has: (_, key) => typeof key === "string" && ask("has", self(), key),
      deleteProperty: (_, key) => ask("delete", self(), key),
      ownKeys: () => ask("keys", self()),
      getOwnPropertyDescriptor: (_, key) =>
        typeof key === "string" && ask("keys", self()).includes(key)
          ? { value: ask("get", self(), key), writable: true, enumerable: true, configurable: true }
          : undefined,
      getPrototypeOf() {
        const kind = holdsTests ? ask("prototype", self()) : null;
        return typeof kind === "string" ? SHARED[kind] : kind;
      },
    };
  }

  return {
    ask,
    serve,
    read,
    write,
    packThrown,
    pack,
    unpack,
    object: (number) => objects[number],
    LATER,
    nextPending: () => pending.shift(),
    putBack: (item) => { pending.push(item); },
    nextSettled: () => settled.shift(),
    get hasSettled() { return settled.length > 0; },
    isForeign: (value) => foreign.has(value),
    get hasPending() { return pending.length > 0; },
    get asked() { return asked; },
    get unusual() { return unusual; },
    get hasHanded() { return hasHanded; },
    get hasPromised() { return promises.size > 0; },
    get isGone() { return isGone; },
  };
})`;
