/**
 * What the tests take from the prompt. Functions with a body and plain values come from the prompt, since the program may
 * have replaced them. What the prompt only declares, and classes, come from the program: a class that both define would
 * exist twice. Expects `job`, `vm`, `define`, and `takeNames`.
 */
export const JAVASCRIPT_PROMPT = String.raw`
function runPrompt() {
  if (job.prompt === "") return new Map();
  let scope;
  try {
    scope = vm.runInThisContext("(function () {" + job.prompt + "\n;return (text) => eval(text)})()");
  } catch {
    return new Map();
  }
  const values = new Map();
  for (const name of new Set([...job.promptNames, ...job.names])) {
    const value = readName(scope, name);
    if (value !== undefined && !(name in globalThis)) values.set(name, { value, assign: (other) => assignName(scope, name, other) });
  }
  return values;
}

function readName(scope, name) {
  try {
    return scope("typeof " + name) === "undefined" ? undefined : scope(name);
  } catch {
    return undefined;
  }
}

// The helpers of the prompt see what the tests see; a constant stays what it is.
function assignName(scope, name, value) {
  try {
    scope("(value) => { " + name + " = value }")(value);
  } catch {}
}

function isOfProgram(value) {
  if (typeof value === "object") return value !== null;
  return typeof value === "symbol" || (typeof value === "function" && (isClass(value) || isStub(value)));
}

function isClass(work) {
  const text = Function.prototype.toString.call(work);
  return /^class\b/.test(text) || (/^function\b/.test(text) && /\bthis\s*\./.test(text));
}

// Nothing but comments, an error or an empty result.
function isStub(work) {
  const text = Function.prototype.toString.call(work).replace(/\/\*[^]*?\*\/|\/\/.*/g, "");
  return /^[^{]*\{\s*(?:throw\b[^;{}]*;?|return\s*(?:null|undefined)?\s*;?)?\s*\}$/.test(text);
}

// Data of the prompt's counts only where the program has the same.
function settlePrompt(values, taken) {
  for (const [name, { value, assign }] of values) {
    const isTaken = taken.has(name) && (typeof value !== "object" || isDeepStrictEqual(taken.get(name), value));
    if (isTaken) assign(taken.get(name));
    else define(name, value);
  }
}
`;
