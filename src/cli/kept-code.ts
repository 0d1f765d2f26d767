import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import Module from "node:module";
import { basename, dirname, isAbsolute, join } from "node:path";
import { Script } from "node:vm";
import { writeAtomically } from "../files/atomic.js";

/** What is not in the types: compiling a file, which Node 20 does here, and keeping compiled code, which it cannot. */
interface Internals {
  enableCompileCache?: (folder: string) => unknown;
  wrap: (code: string) => string;
  prototype: { _compile: (this: NodeJS.Module, code: string, file: string, ...more: unknown[]) => unknown };
}

/** The files of the build: each is named by its content. */
const CHUNKS = join(import.meta.dirname, "../chunks");
/** The one file that imports: from compiled code that was kept, Node cannot. */
const IMPORTING = "import.cjs";
/** What is answered without running the command. */
const ASKING = new Set(["--help", "-h", "--version", "-V"]);

/**
 * Keeps what Node has compiled for the next start of the same command, in a folder of the user's own, because others can
 * write to that of temporary files. Nodes from 22.8 can do that themselves.
 */
export function keepCode(env: NodeJS.ProcessEnv, args: readonly string[]): void {
  const caches = cacheFolder(env);
  if (caches === null || env.NODE_DISABLE_COMPILE_CACHE) return;
  const folder = join(caches, "assay", "code");
  const { enableCompileCache } = Module as unknown as Internals;
  if (enableCompileCache === undefined)
    keepCompiled(join(folder, `${process.version}-${process.arch}`, commandOf(args)), args);
  else if (makeFolder(folder)) enableCompileCache(folder);
}

function cacheFolder({ XDG_CACHE_HOME = "", HOME = "" }: NodeJS.ProcessEnv): string | null {
  if (isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  return HOME === "" ? null : join(HOME, ".cache");
}

/** The name of the command; flags alone are those of the usual one. */
function commandOf([word = ""]: readonly string[]): string {
  return /^[a-z]+$/.test(word) ? word : "run";
}

/**
 * Has files of the build compiled from what is kept of them, and keeps what was not yet when the process ends. Each
 * command has a folder of its own: another one runs other parts of the same files.
 */
function keepCompiled(folder: string, args: readonly string[]): void {
  const { prototype, wrap } = Module as unknown as Internals;
  const compile = prototype._compile;
  const fresh: Fresh[] = [];
  prototype._compile = function (code, file, ...more) {
    if (dirname(file) !== CHUNKS || basename(file) === IMPORTING) return compile.call(this, code, file, ...more);
    const kept = join(folder, `${basename(file)}.bin`);
    const cachedData = readKept(kept, code);
    const script = new Script(wrap(code), { filename: file, ...(cachedData === null ? {} : { cachedData }) });
    if (cachedData === null || script.cachedDataRejected === true) fresh.push({ kept, code, script });
    const run = script.runInThisContext() as (...context: unknown[]) => unknown;
    return run.call(this.exports, this.exports, (id: string): unknown => this.require(id), this, file, CHUNKS);
  };
  process.on("exit", (exitCode) => {
    // Only a command that came to a good end has shown what it runs.
    const hasRun = exitCode === 0 && !args.some((word) => ASKING.has(word));
    if (hasRun && fresh.length > 0 && makeFolder(folder)) writeKept(folder, fresh);
  });
}

/** A file that was compiled here. */
interface Fresh {
  readonly kept: string;
  readonly code: string;
  readonly script: Script;
}

const DIGEST_BYTES = 32;

/** Null when there is none, not all of it, or of another source: V8 looks at none of that, and may end the process. */
function readKept(file: string, code: string): Buffer | null {
  try {
    const bytes = readFileSync(file);
    const compiled = bytes.subarray(DIGEST_BYTES);
    return digestOf(code, compiled).equals(bytes.subarray(0, DIGEST_BYTES)) ? compiled : null;
  } catch {
    return null;
  }
}

function digestOf(code: string, compiled: Uint8Array): Buffer {
  return createHash("sha256").update(code).update(compiled).digest();
}

/** Where nothing can be written, nothing is kept. */
function writeKept(folder: string, files: readonly Fresh[]): void {
  try {
    for (const { kept, code, script } of files) {
      const compiled = script.createCachedData();
      writeAtomically(kept, Buffer.concat([digestOf(code, compiled), compiled]));
    }
    removeOld(folder);
  } catch {}
}

/** One by one: in a place that is not of a disk (/proc), `recursive` does not end. False when it cannot be made. */
function makeFolder(folder: string): boolean {
  if (existsSync(folder)) return true;
  if (dirname(folder) === folder || !makeFolder(dirname(folder))) return false;
  try {
    mkdirSync(folder);
    return true;
  } catch {
    // Another process may have been faster.
    return existsSync(folder);
  }
}

const DAY_MS = 86_400_000;

/** Removes what other builds have left, unless it is of today: they may be in use by turns. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const isOfThisBuild = name.endsWith(".bin") && existsSync(join(CHUNKS, basename(name, ".bin")));
    const path = join(folder, name);
    if (!isOfThisBuild && Date.now() - statSync(path).mtimeMs > DAY_MS) rmSync(path, { force: true });
  }
}
