/**
 * Freezes all that the language brings, so that nothing of it can be changed by a program that shares a process with
 * its tests. What objects and errors inherit may still be given anew to one object: `error.name = …` and its like would
 * fail otherwise. Where the tests themselves add methods to built-in classes, these may get new ones, and no others.
 */
export const JAVASCRIPT_HARDENED = `
function harden(intrinsics, mayGrow) {
  // The text of a function of the tests may hold what they expect.
  Function.prototype.toString = function toString() { return "function () { [native code] }"; };
  const hidden = [function* () {}, async () => {}, async function* () {}, [].values(), new Map().values(), new Set().values(), ""[Symbol.iterator](), "".matchAll(/x/g), (function* () {})(), (async function* () {})(), Function];
  const givenAnew = new Set([Object.prototype, Function.prototype, ...intrinsics.filter((name) => name.endsWith("Error")).map((name) => globalThis[name].prototype)]);
  const todo = [...hidden.map((item) => Object.getPrototypeOf(item)), ...intrinsics.map((name) => globalThis[name]), Function, Reflect, Proxy];
  const seen = new Set();
  while (todo.length > 0) {
    const item = todo.pop();
    if (Object(item) !== item || seen.has(item)) continue;
    seen.add(item);
    todo.push(Object.getPrototypeOf(item));
    for (const key of Reflect.ownKeys(item)) {
      const trait = Object.getOwnPropertyDescriptor(item, key);
      todo.push(trait.value, trait.get, trait.set);
    }
  }
  for (const item of seen) {
    for (const key of Reflect.ownKeys(item)) fix(item, key, givenAnew.has(item) && key !== "constructor");
    if (!mayGrow) Object.preventExtensions(item);
  }
  for (const name of intrinsics) fix(globalThis, name, false);
}

function fix(item, key, isGivenAnew) {
  const { value, writable, configurable, enumerable } = Object.getOwnPropertyDescriptor(item, key);
  if (!configurable) return writable ? void Object.defineProperty(item, key, { writable: false }) : undefined;
  if (!isGivenAnew || !writable) return void Object.defineProperty(item, key, { configurable: false, ...(writable ? { writable: false } : {}) });
  const set = function (given) {
    if (this === item || Object(this) !== this) throw new TypeError("it cannot be changed");
    Object.defineProperty(this, key, { value: given, writable: true, configurable: true, enumerable: true });
  };
  Object.defineProperty(item, key, { get: () => value, set, enumerable, configurable: false });
}
`;
