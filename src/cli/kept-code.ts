import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/** What is not in the types: compiling a file, which Node 20 does here, and keeping compiled code, which it cannot. */
interface Internals {
  enableCompileCache?: (folder: string) => unknown;
  wrap: (code: string) => string;
  prototype: { _compile: (this: NodeJS.Module, code: string, file: string) => unknown };
}

/** The files of the build: each is named by its content. */
const CHUNKS = join(import.meta.dirname, "../chunks");
/** The one file that imports: from compiled code that was kept, Node cannot. */
const IMPORTING = "import.cjs";

/**
 * Keeps what Node has compiled for the next start of the same command, in a folder of the user's own, because others can
 * write to that of temporary files. Nodes from 22.1 can do that themselves.
 */
export function keepCode({ XDG_CACHE_HOME, HOME, NODE_DISABLE_COMPILE_CACHE }: NodeJS.ProcessEnv, command = ""): void {
  const caches = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  if (!caches || NODE_DISABLE_COMPILE_CACHE) return;
  const folder = join(caches, "assay", "code");
  const node = Module as unknown as Internals;
  if (node.enableCompileCache !== undefined) node.enableCompileCache(folder);
  else keepCompiled(join(folder, `${process.version}-${process.arch}`, nameOf(command)));
}

/** The name of a command; flags belong to the usual one. */
function nameOf(word: string): string {
  return /^[a-z]+$/.test(word) ? word : "run";
}

/**
 * Has files of the build compiled from what is kept of them, and keeps what was not yet when the process ends. Each
 * command has a folder of its own: another one runs other parts of the same files.
 */
function keepCompiled(folder: string): void {
  const { prototype, wrap } = Module as unknown as Internals;
  const compile = prototype._compile;
  const fresh = new Map<string, Script>();
  prototype._compile = function (code, file) {
    if (dirname(file) !== CHUNKS || basename(file) === IMPORTING) return compile.call(this, code, file);
    const name = `${basename(file)}.bin`;
    const cachedData = readKept(join(folder, name));
    const script = new Script(wrap(code), { filename: file, ...(cachedData === null ? {} : { cachedData }) });
    if (cachedData === null || script.cachedDataRejected === true) fresh.set(name, script);
    const run = script.runInThisContext() as (...context: unknown[]) => unknown;
    return run.call(this.exports, this.exports, (id: string): unknown => this.require(id), this, file, CHUNKS);
  };
  process.on("exit", (code) => {
    // A command line that was not understood has run next to nothing.
    if (code === 0 && fresh.size > 0) writeKept(folder, fresh);
  });
}

const DIGEST_BYTES = 32;

/** Null when there is none, or not all of it: V8 does not look, and would end the process. */
function readKept(file: string): Buffer | null {
  try {
    const bytes = readFileSync(file);
    const code = bytes.subarray(DIGEST_BYTES);
    return digestOf(code).equals(bytes.subarray(0, DIGEST_BYTES)) ? code : null;
  } catch {
    return null;
  }
}

/** Where nothing can be written, nothing is kept. */
function writeKept(folder: string, scripts: ReadonlyMap<string, Script>): void {
  try {
    makeFolder(folder);
    for (const [name, script] of scripts) {
      const code = script.createCachedData();
      const aside = join(folder, `${name}.${process.pid}`);
      writeFileSync(aside, Buffer.concat([digestOf(code), code]));
      renameSync(aside, join(folder, name));
    }
    removeOld(folder, [...scripts.keys()]);
  } catch {}
}

/** One by one: in a place that is not of a disk (/proc), `recursive` does not end. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

const DAY_MS = 86_400_000;

/** Removes what other builds have left of the same files, unless one of them was in use today. */
function removeOld(folder: string, names: readonly string[]): void {
  const written = new Set(names);
  const replaced = new Set(names.map(withoutHash));
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isOld = !written.has(name) && replaced.has(withoutHash(name));
    if (isOld && Date.now() - statSync(path).mtimeMs > DAY_MS) rmSync(path);
  }
}

function withoutHash(name: string): string {
  return name.replace(/-[\w-]{8}\.cjs\..*$/, "");
}

function digestOf(code: Uint8Array): Buffer {
  return createHash("sha256").update(code).digest();
}
