import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { getErrorMessage, UsageError } from "../../core/index.js";
import { findMatchingFiles, isGlob } from "../../graders/index.js";
import { isInsideDir, type KeyPath, parseYaml } from "../../utils/index.js";

/** A part of a config and where it stands, for notes. */
export interface Part {
  readonly value: unknown;
  readonly source: SourceFile;
  readonly path: KeyPath;
}

/** A file of a promptfoo config, with the lines of its values. */
export interface SourceFile {
  /** As shown in notes. */
  readonly name: string;
  readonly value: unknown;
  line(path: KeyPath): number;
}

/** A key or an item of a part. */
export function take({ value, source, path }: Part, key: string | number): Part {
  const inner =
    typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
  return { value: inner, source, path: [...path, key] };
}

/** The items of a list; a single value is a list of one. */
export function listParts(part: Part): Part[] {
  if (part.value === undefined || part.value === null) return [];
  return Array.isArray(part.value) ? part.value.map((_, index) => take(part, index)) : [part];
}

/** Replaces `{ $ref: "#/key/name" }` by what it names in the same file. */
export function resolveReferences(value: unknown, root: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, root, depth));
  if (!isMap(value)) return value;
  const { $ref, ...own } = value;
  if (typeof $ref === "string" && $ref.startsWith("#/") && depth < MAX_REFERENCES) {
    const keys = $ref.slice("#/".length).split("/");
    const found = keys.reduce<unknown>((inner, key) => (isMap(inner) ? inner[key] : undefined), root);
    if (isMap(found)) return resolveReferences({ ...found, ...own }, root, depth + 1);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveReferences(item, root, depth)]));
}

/** References to references, before they count as a circle. */
const MAX_REFERENCES = 20;

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Something that was not taken over, or only in part. */
export interface ConversionNote {
  /** `FILE:LINE` */
  readonly place: string;
  readonly text: string;
}

/** Collects what was not taken over, each line and text once. */
export class ConversionNotes {
  readonly #notes = new Map<string, ConversionNote>();

  add({ source, path }: Pick<Part, "source" | "path">, text: string): void {
    const place = `${source.name}:${source.line(path)}`;
    this.#notes.set(`${place}\n${text}`, { place, text });
  }

  /** Adds a text only where it applies first. */
  addFirst(part: Pick<Part, "source" | "path">, text: string): void {
    if (!this.list().some((note) => note.text === text)) this.add(part, text);
  }

  list(): ConversionNote[] {
    return [...this.#notes.values()];
  }
}

/** Matches a value that comes from the environment, and may be a secret. */
export const ENVIRONMENT_VALUE = /\{\{\s*(?:env\.|process\.env)|\$\{?[A-Z_]{3,}/;

const FILE_PREFIX = "file://";

/** The path of a `file://` reference, or null. */
export function parseFileReference(value: unknown): string | null {
  return typeof value === "string" && value.startsWith(FILE_PREFIX) ? value.slice(FILE_PREFIX.length) : null;
}

/** Far larger than any config or test file that is worth taking over. */
const MAX_FILE_BYTES = 64_000_000;

/** Reads the files that a config names. Those outside the config's folder are read only if it is trusted. */
export class ConfigFiles {
  /** The folder of the config. */
  readonly dir: string;
  readonly #trust: boolean;

  constructor(config: string, trust: boolean) {
    this.dir = dirname(resolve(config));
    this.#trust = trust;
  }

  /** The absolute path of a file that the config names. Throws if it lies outside and is not trusted. */
  resolve(path: string): string {
    const full = isAbsolute(path) ? path : join(this.dir, path);
    if (!this.#trust && !isInsideDir(findRealPath(this.dir), findRealPath(full)))
      throw new FileReferenceError(`${path} is outside the folder of the config. Move it there, or add --trust`);
    return full;
  }

  readText(path: string): string {
    const full = this.resolve(path);
    try {
      const { size } = statSync(full);
      if (size > MAX_FILE_BYTES) throw new Error(`it has ${size} bytes`);
      return readFileSync(full, "utf8").replace(/^\uFEFF/, "");
    } catch (cause) {
      const { code } = cause as { code?: string };
      throw new FileReferenceError(
        code === "ENOENT" ? `there is no file ${path}` : `${path} cannot be read: ${code ?? getErrorMessage(cause)}`,
      );
    }
  }

  /** Reads a YAML or JSON file. */
  async readTree(path: string): Promise<SourceFile> {
    const tree = await parseYaml(this.readText(path));
    const name = this.getName(path);
    const [problem] = tree.problems;
    if (tree.isBroken)
      throw new FileReferenceError(`${name}:${problem?.line ?? 1}: ${problem?.text ?? "it cannot be read"}`);
    return { name, value: tree.value, line: (keys) => tree.locate(keys).line };
  }

  /** The files that a path or pattern names, relative to the config's folder. */
  async find(path: string): Promise<string[]> {
    if (!isGlob(path)) return [path];
    const found = await findMatchingFiles(join(this.dir, path));
    return found.map((file) => relative(this.dir, resolve(file)).split(sep).join("/"));
  }

  getName(path: string): string {
    return (
      relative(this.dir, isAbsolute(path) ? path : join(this.dir, path))
        .split(sep)
        .join("/") || basename(path)
    );
  }
}

/** A file that the config names cannot be used. */
export class FileReferenceError extends UsageError {}

function findRealPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

export function getExtension(path: string): string {
  return extname(path.replace(/:[\w.]+$/, "")).toLowerCase();
}

/** A name of letters, digits and hyphens, for files. */
export function toFileName(text: string, fallback: string): string {
  const words =
    text
      .toLowerCase()
      .replace(/\{\{.*?\}\}/g, " ")
      .match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 5).join("-").slice(0, 40) || fallback;
}
