/** What tests get that require or import the program as a file, such as `./solution`. Expects `job`, `peer` and `define`. */
export const JAVASCRIPT_SOLUTION = String.raw`
const nodeRequire = require;
const RELATIVE = /^\.\.?\/(?!.*\.json$)/;
const REQUIRED_AS = /\b(?:const|let|var)\s+([\w$]+)\s*=\s*require\(\s*["']\.\.?\//g;
const requiredAs = new Set(Array.from(job.tests.matchAll(REQUIRED_AS), ([, name]) => name));

function provideSolution(taken) {
  const members = findMembers(taken), whole = findWhole(taken, members);
  define("require", Object.assign((id) => (RELATIVE.test(id) ? whole() : nodeRequire(id)), nodeRequire));
  define("__import", async (id) => (RELATIVE.test(id) ? asModule(members, peer.ask("exports")) : asModule(nodeRequire(id))));
}

function asModule(members, exported = members) {
  return Object.defineProperties({ default: exported }, Object.getOwnPropertyDescriptors(typeof members === "function" ? { ...members } : members));
}

function findMembers(taken) {
  const members = {};
  for (const [name, value] of taken) {
    const trait = typeof value === "function" ? { value, writable: true } : { get: () => peer.ask("name", name) };
    Object.defineProperty(members, name, { ...trait, configurable: true, enumerable: true });
  }
  return members;
}

function findWhole(taken, members) {
  // One function may be the whole module: the one that is exported, that has the name it gets, or that was asked for.
  return () => {
    if (requiredAs.size === 0) return members;
    const exported = peer.ask("exports");
    if (typeof exported === "function") return exported;
    const [name] = requiredAs;
    const isCalled = requiredAs.size === 1 && new RegExp("(?<![\\w$.])" + name.replaceAll("$", "\\$") + "\\s*\\(|\\bnew\\s+" + name.replaceAll("$", "\\$") + "\\b").test(job.tests);
    const own = isCalled ? [taken.get(name), taken.get(job.entry)].find((value) => typeof value === "function") : undefined;
    return own ?? members;
  };
}
`;
