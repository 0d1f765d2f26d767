/** What tests may use without saying where it comes from. Expects the running `trial` and `builtinModules`. */
export const JAVASCRIPT_LIBRARIES = String.raw`
// A name that only a library for tests has is never taken from the program: it would judge itself.
const LIBRARIES = new Set(["describe", "it", "test", "expect", "jest", "vi", "chai", "should", "sinon", "_", "beforeEach", "afterEach", "beforeAll", "afterAll"]);
function missingLibrary(error) {
  if (typeof error !== "object" || error === null || trial.peer.isForeign(error) || error.name !== "ReferenceError") return null;
  const name = /^(\w+) is not defined$/.exec(error.message)?.[1];
  return LIBRARIES.has(name) ? "they need " + name + ", which is not part of Node" : null;
}

// So does a module of Node's that the tests use without asking for it.
function modulesOf({ words, tests, entry }) {
  const used = new Set(tests.match(/(?<![\w$.])[a-z_0-9]+(?=\.)/g));
  return entry === "" ? [] : words.filter((name) => name !== entry && used.has(name) && builtinModules.includes(name));
}
`;
