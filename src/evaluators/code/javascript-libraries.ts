/** What tests may use without saying where it comes from. Expects the `peer`, `builtinModules` and `isDeepStrictEqual`. */
export const JAVASCRIPT_LIBRARIES = String.raw`
// A name that only a library for tests has is never taken from the program: it would judge itself.
const LIBRARIES = new Set(["describe", "it", "test", "expect", "jest", "vi", "chai", "should", "sinon", "_", "beforeEach", "afterEach", "beforeAll", "afterAll"]);
function missingLibrary(error) {
  if (typeof error !== "object" || error === null || peer.isForeign(error) || error.name !== "ReferenceError") return null;
  const name = /^(\w+) is not defined$/.exec(error.message)?.[1];
  return LIBRARIES.has(name) ? "they need " + name + ", which is not part of Node" : null;
}

// Nor is a module of Node's that the tests use without asking for it: one of whose members they name.
function usedModules({ names, tests, entry }) {
  const isMember = (name) => Array.from(tests.matchAll(new RegExp("(?<![\\w$.])" + name + "\\.(\\w+)", "g"))).some(([, key]) => key in require(name));
  return names.filter((name) => name !== entry && builtinModules.includes(name) && isMember(name));
}

// Nor is a function by which the tests compare what another function returns: it is Node's own, or it is missing.
function usedComparisons({ names, tests, entry }) {
  const known = { ...require("assert"), isDeepStrictEqual };
  const isComparing = (name) => Array.from(tests.matchAll(new RegExp("(?<![\\w$.])" + name.replaceAll("$", "\\$") + "\\(\\s*(?:await\\s+)?([\\w$]+)\\s*\\(", "g"))).some(([, inner]) => inner !== name && !(inner in globalThis));
  return names.filter((name) => name !== entry && (/^assert[A-Z_]/.test(name) || Object.hasOwn(known, name)) && isComparing(name)).map((name) => [name, known[name]]);
}
`;
