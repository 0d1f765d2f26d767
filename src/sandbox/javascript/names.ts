/** What a program finds where it is to run. */
export interface Surroundings {
  /** The modules of Node that it may ask for. */
  modules: ReadonlySet<string>;
  /** What the language itself brings. */
  intrinsics: ReadonlySet<string>;
  /** What else Node brings. It can be changed, and so may only be called, or asked for something by name. */
  callable: ReadonlySet<string>;
  /** What it may ask these objects for, by name; they may stand for nothing else. */
  members: ReadonlyMap<string, ReadonlySet<string>>;
  /** Never, wherever they stand. */
  refused: ReadonlySet<string>;
  /** True where other programs are run before and after: a program may use only what shows nothing of where it is run. */
  isShared: boolean;
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));
const without = (all: ReadonlySet<string>, some: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...all].filter((name) => !some.has(name)));

/** What a program may take from modules of Node when it shares a process with its tests. */
export const HARMLESS_MODULES: Readonly<Record<string, readonly string[]>> = {
  events: ["EventEmitter", "once", "on"],
  util: ["promisify", "format", "isDeepStrictEqual", "inherits"],
  string_decoder: ["StringDecoder"],
  querystring: ["parse", "stringify", "escape", "unescape"],
  path: ["join", "basename", "dirname", "extname", "normalize", "relative", "isAbsolute", "sep"],
  crypto: ["createHash", "createHmac", "randomUUID", "randomInt", "randomBytes"],
  "timers/promises": ["setTimeout", "setImmediate", "setInterval"],
};

/** What the language itself brings. A program may do with it what it likes, since all of it is frozen. */
export const INTRINSICS = words(`
  undefined NaN Infinity Number String Boolean BigInt Symbol Array Object Map Set WeakMap WeakSet WeakRef Date RegExp
  Promise Math JSON Intl Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError
  ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array
  Float64Array BigInt64Array BigUint64Array parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent
  encodeURI decodeURI escape unescape`);

/** What else Node brings. It can be changed, and so may only be called, or asked for something by name. */
export const CALLABLE = words(`
  setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate queueMicrotask structuredClone Buffer URL
  URLSearchParams TextEncoder TextDecoder AbortController performance atob btoa require console`);

/** What a program is given of its own. */
export const OWN = words("module exports arguments");

/** Never, wherever they stand: they lead out of what a program has been given, or make objects that answer as the tests like. */
export const REFUSED = words(`
  eval Function Proxy Reflect globalThis global process import export with debugger Atomics SharedArrayBuffer
  WebAssembly FinalizationRegistry __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__
  defineProperty defineProperties getPrototypeOf setPrototypeOf getOwnPropertyDescriptor getOwnPropertyDescriptors
  getOwnPropertySymbols caller callee toJSON toPrimitive hasInstance species isConcatSpreadable unscopables
  prepareStackTrace stackTraceLimit __filename __dirname`);

/** Only where the rules of the inspection say so. */
export const GUARDED = words("constructor prototype then valueOf assign");

/** Names of methods that all functions, lists and promises have: a program must not put its own in their place. */
export const METHODS: ReadonlySet<string> = new Set(
  [Array.prototype, Function.prototype, Promise.prototype, String.prototype, Map.prototype, Set.prototype]
    .flatMap((prototype) => Object.getOwnPropertyNames(prototype))
    .filter((name) => !["constructor", "length", "name", "size", "arguments", "caller"].includes(name)),
);

/** What no computed key may be while a program shares a process with its tests. */
export function refusedKeys(): string[] {
  const inherited = [Array.prototype, Function.prototype, Promise.prototype].flatMap((prototype) =>
    Object.getOwnPropertyNames(prototype).filter((name) => METHODS.has(name)),
  );
  return [...REFUSED, ...GUARDED, ...inherited, "arguments"];
}

/** All that Node has by a name; the machine that looks at a program runs the same Node as the box. */
export const GLOBALS: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(globalThis));

/** One process with the tests: all that the language brings is frozen there. */
export const WITH_TESTS: Surroundings = {
  modules: new Set(Object.keys(HARMLESS_MODULES)),
  intrinsics: INTRINSICS,
  callable: CALLABLE,
  members: new Map(),
  refused: REFUSED,
  isShared: false,
};

/** Their memory lies outside of the heap, where other limits hold in a box that has run other programs before. */
const OUTSIDE_OF_HEAP = words(`
  ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array
  Float64Array BigInt64Array BigUint64Array`);

/** What the console of a shared process may be called for. */
export const PRINTS = words("log error warn info debug");

/** Errors may be thrown there, and nothing else: what they say tells how a program was written anew. */
export const ERRORS = words("Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError");

/**
 * A context of its own, in a process that other programs are run in before and after. Nobody catches an error there:
 * its text and its stack are those of the program as it was written anew, and what throws is run in a process anyway.
 */
export const IN_CONTEXT: Surroundings = {
  modules: new Set(),
  intrinsics: without(INTRINSICS, new Set([...OUTSIDE_OF_HEAP, "Symbol", "WeakRef"])),
  callable: new Set(),
  members: new Map([
    ["module", words("exports")],
    ["Symbol", words("iterator asyncIterator")],
  ]),
  refused: new Set([
    ...REFUSED,
    ...OUTSIDE_OF_HEAP,
    ...words(`
      WeakRef inspect nodejs.util.inspect.custom require arguments try catch finally then allSettled any
      captureStackTrace`),
  ]),
  isShared: true,
};
