import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describeError, ModuleError } from "../core/index.js";

const TYPESCRIPT = new Set([".ts", ".mts", ".cts"]);
const MODULE_EXTENSIONS = [".ts", ".mts", ".mjs", ".js", ".cts", ".cjs"];

export type ModuleExports = Record<string, unknown>;

/** True for specs that can only be a module path: `./mine.ts`, `../x.mjs`, `/abs/y.js`, `systems/z.ts`. */
export function isModulePath(spec: string): boolean {
  return /^\.{0,2}\//.test(spec) || MODULE_EXTENSIONS.includes(extname(spec));
}

/** How the name of a file ends that exports an eval. */
export const EVAL_ENDING = /\.eval\.[cm]?[jt]s$/;

export function isEvalModule(path: string): boolean {
  return EVAL_ENDING.test(path);
}

/** TypeScript goes through jiti, which is loaded only then. */
export async function loadModule(path: string, what: string): Promise<ModuleExports> {
  const file = resolve(path);
  if (!existsSync(file)) throw new ModuleError(`The ${what} ${path} does not exist.`);
  if (!statSync(file).isFile()) throw new ModuleError(`The ${what} ${path} is not a file.`);
  requireModuleFile(path, what);
  try {
    return TYPESCRIPT.has(extname(file)) ? await importTypeScript(file) : await importPlain(file);
  } catch (cause) {
    const reason = (await findSyntaxError(file)) ?? takeFirstLines(describeError(cause));
    throw new ModuleError(`The ${what} ${path} cannot be loaded: ${reason}`, { cause });
  }
}

/** Programs that run files of other languages. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  ".go": "go run",
  ".jl": "julia",
  ".lua": "lua",
  ".php": "php",
  ".pl": "perl",
  ".py": "python3",
  ".r": "Rscript",
  ".rb": "ruby",
  ".sh": "sh",
};

/** Flags for programs, by what they replace. */
const COMMAND_FLAGS: Readonly<Record<string, string>> = {
  system: "--system-command",
  memory: "--system-command",
  evaluator: "--evaluator-command",
};

/** Rejects a file in another language, which would fail as if it had a syntax error. */
export function requireModuleFile(path: string, what: string): void {
  const interpreter = INTERPRETERS[extname(path).toLowerCase()];
  if (interpreter === undefined) return;
  const flag = COMMAND_FLAGS[what];
  const other =
    flag === undefined ? "" : ` For a program in another language, write: ${flag} '${interpreter} ${path}'.`;
  throw new ModuleError(
    `The ${what} ${path} is not a JavaScript or TypeScript file. Accepted: ${MODULE_EXTENSIONS.join(", ")}.${other}`,
  );
}

async function importPlain(file: string): Promise<ModuleExports> {
  return (await import(pathToFileURL(file).href)) as ModuleExports;
}

async function importTypeScript(file: string): Promise<ModuleExports> {
  const { createJiti } = await import("jiti");
  return createJiti(import.meta.url, { interopDefault: false, alias: findPackageEntries() }).import(file);
}

/** Entry points of this package, so that a file can import "assay" where it is not installed. */
function findPackageEntries(): Record<string, string> {
  const require = createRequire(import.meta.url);
  const { exports } = require("assay/package.json") as { exports: Record<string, unknown> };
  const names = Object.keys(exports).map((path) => path.replace(/^\./, "assay"));
  return Object.fromEntries(names.map((name) => [name, require.resolve(name)]));
}

/** A local module that a module imports by name, and what it exports. */
interface ImportedModule {
  readonly file: string;
  readonly exports: ModuleExports;
}

const STATIC_IMPORT = /^[ \t]*import\s+(?!type\b)[^"';]*\bfrom\s*["'](\.{1,2}\/[^"']+)["']/gm;

/** The local modules that a loaded module imports directly, as the same instances. */
export async function loadImports(path: string): Promise<ImportedModule[]> {
  const root = resolve(path);
  const specifiers = Array.from(readFileSync(root, "utf8").matchAll(STATIC_IMPORT), ([, specifier = ""]) => specifier);
  const files = specifiers.flatMap((specifier) => resolveLocalImport(dirname(root), specifier) ?? []);
  const load = TYPESCRIPT.has(extname(root)) ? importTypeScript : importPlain;
  return Promise.all(files.map(async (file) => ({ file, exports: await load(file) })));
}

/** Node does not report where a module fails to parse, so the module and its local imports are parsed again to find out. */
async function findSyntaxError(file: string): Promise<string | null> {
  const { createJiti } = await import("jiti");
  const jiti = createJiti(import.meta.url);
  for (const filename of collectLocalImports(file, new Set())) {
    const code = jiti.transform({
      filename,
      source: readFileSync(filename, "utf8"),
      ts: TYPESCRIPT.has(extname(filename)),
    });
    const found = /^exports\.__JITI_ERROR__ = (\{.*\})/.exec(code)?.[1];
    if (found === undefined) continue;
    const { line, column, message } = JSON.parse(found) as { line: number; column: number; message: string };
    return `${filename}:${line}:${column}: ${message.trim()}`;
  }
  return null;
}

/** Compilers quote the source at length; the first lines say what is wrong and where. */
function takeFirstLines(message: string): string {
  return message.split("\n").slice(0, 3).join("\n").trim();
}

/**
 * SHA-256 over a module and its local imports, direct or indirect: the fingerprint of a system that is a file. Packages are
 * identified by their versions, not here.
 */
export function fingerprintModule(path: string): string {
  const root = resolve(path);
  const files = listLocalImports(root).sort();
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${relative(dirname(root), file)}\u0000`)
      .update(readFileSync(file))
      .update("\u0000");
  return hash.digest("hex");
}

/** A module and its local imports, direct or indirect. */
export function listLocalImports(path: string): string[] {
  return [...collectLocalImports(resolve(path), new Set())];
}

const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

function collectLocalImports(file: string, seen: Set<string>): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(IMPORT)) {
    const imported = resolveLocalImport(dirname(file), specifier);
    if (imported !== null) collectLocalImports(imported, seen);
  }
  return seen;
}

/** `./x.js` may mean x.ts, `./x` any extension, and `./dir` its index. */
function resolveLocalImport(dir: string, specifier: string): string | null {
  const exact = join(dir, specifier);
  const bare = exact.replace(/\.[cm]?js$/, "");
  const candidates = [
    exact,
    ...MODULE_EXTENSIONS.flatMap((ending) => [bare + ending, exact + ending, join(exact, `index${ending}`)]),
  ];
  return candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile()) ?? null;
}
