/**
 * Keeps what the program wrote from being run in the process of the tests: of its texts, `eval` takes literals and
 * calculations only, and `Function` takes none. Expects `job`, and `refuseText`, which makes the error.
 */
export const JAVASCRIPT_TEXTS = String.raw`
const RUNNING = /\b(?:eval|Function)\s*\(/;
const told = RUNNING.test(job.tests) ? new Set() : null;

function noteTexts(line) {
  if (told === null || line === null) return;
  JSON.parse(line, (key, value) => {
    for (const text of [key, value]) if (typeof text === "string") told.add(text);
    return value;
  });
}

function guardTexts() {
  if (told === null) return job.tests;
  globalThis.Function = new Proxy(Function, {
    apply: (make, self, texts) => (texts.forEach(refuseTold), Reflect.apply(make, self, texts)),
    construct: (make, texts, target) => (texts.forEach(refuseTold), Reflect.construct(make, texts, target)),
  });
  Object.defineProperty(globalThis, "__text", { set(text) { if (!isPlain(text)) refuseTold(text); } });
  // An assignment gives what it assigns, so that eval stays the one that sees the variables around it.
  return job.tests.replace(/(?<![\w$.])eval\s*\((?!\s*\))/g, "eval(globalThis.__text = ");
}

function refuseTold(text) {
  const isWithin = (each) => each.length > 1 && text.includes(each) && !job.tests.includes(each) && !/^[\w$]+$/.test(each);
  const isWhole = told.has(text) && !["'", '"', "${"`"}"].some((quote) => job.tests.includes(quote + text + quote));
  if (typeof text === "string" && (isWhole || Array.from(told).some(isWithin))) throw refuseText();
}

// No names, and nothing that could be called.
function isPlain(text) {
  const parts = String(text).replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "s").replace(/\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b|\b(?:true|false|null|undefined|NaN|Infinity)\b/gi, "0");
  return !/[A-Za-rt-z_$\\${"`"}]|[\])}s0]\s*(?:\(|\?\.)/.test(parts);
}
`;
