// Completes package-lock.json after `npm install` against a registry that carries this machine's platform only: such
// a lock file leaves out the native packages of all others, and `npm ci` refuses it. What each one is for stands in
// its name. Run it after changing a dependency; it does nothing when nothing is missing.
import { readFileSync, writeFileSync } from "node:fs";

const SYSTEMS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const PROCESSORS = ["arm64", "arm", "ia32", "loong64", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
const missing = Object.values(lock.packages).flatMap(({ optionalDependencies = {}, dev }) =>
  Object.entries(optionalDependencies)
    .filter(([name]) => lock.packages[`node_modules/${name}`] === undefined)
    .map(([name, version]) => [`node_modules/${name}`, entryOf(name, version, dev)]),
);
if (missing.length > 0) {
  const packages = Object.entries(lock.packages).concat(missing);
  packages.sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
}
console.log(`package-lock.json: ${missing.length} packages of other platforms added`);

function entryOf(name, version, dev) {
  const words = name.split(/[/-]/);
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const os = SYSTEMS.filter((system) => words.includes(system));
  if (cpu.length === 0 || !/^\d/.test(version)) throw new Error(`${name}@${version} says nothing about its platform`);
  const musl = words.some((word) => word.startsWith("musl"));
  const libc = os[0] === "linux" ? { libc: [musl ? "musl" : "glibc"] } : {};
  return { version, cpu, ...(dev ? { dev } : {}), ...libc, optional: true, ...(os.length > 0 ? { os } : {}) };
}
