import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { digest } from "../../core/index.js";
import { writeAtomically } from "../../utils/index.js";

/** Smaller parts stay in the line. */
const MIN_STORED_CHARS = 1024;

const REFERENCE_KEY = "$stored";
const HASH = /^[\da-f]{64}$/;

/** Fields of a request, and their elements: what agents repeat in every request of a conversation. */
const MAX_DEPTH = 2;

/** Large parts of requests, stored once by their content. Folder of all cassettes. */
export class StoredBodies {
  readonly #dir: string;
  readonly #written = new Set<string>();
  readonly #read = new Map<string, unknown>();

  constructor(dir: string) {
    this.#dir = join(dir, "bodies");
  }

  /** Replaces large parts by references. */
  pack(value: unknown, depth = 0): unknown {
    if (typeof value === "string") return value.length < MIN_STORED_CHARS ? value : this.#store(value);
    if (typeof value !== "object" || value === null) return value;
    // A request may contain the key itself, such as one about cassettes.
    if (Object.hasOwn(value, REFERENCE_KEY)) return this.#store(value);
    if (depth < MAX_DEPTH) return this.#packParts(value, depth + 1);
    return JSON.stringify(value).length < MIN_STORED_CHARS ? value : this.#store(value);
  }

  /** The value with its parts. */
  unpack(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const { [REFERENCE_KEY]: hash } = value as Record<string, unknown>;
    if (typeof hash === "string" && HASH.test(hash)) return this.#load(hash);
    if (Array.isArray(value)) return value.map((each) => this.unpack(each));
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.unpack(each)]));
  }

  #packParts(value: object, depth: number): unknown {
    if (Array.isArray(value)) return value.map((each) => this.pack(each, depth));
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.pack(each, depth)]));
  }

  #store(value: unknown): Record<string, string> {
    const hash = digest(value);
    if (!this.#written.has(hash)) this.#write(hash, value);
    this.#written.add(hash);
    return { [REFERENCE_KEY]: hash };
  }

  #write(hash: string, value: unknown): void {
    const path = this.#locate(hash);
    if (existsSync(path)) return;
    mkdirSync(join(this.#dir, hash.slice(0, 2)), { recursive: true });
    writeAtomically(path, `${JSON.stringify(value)}\n`);
  }

  #load(hash: string): unknown {
    if (!this.#read.has(hash)) this.#read.set(hash, JSON.parse(readFileSync(this.#locate(hash), "utf8")));
    return this.#read.get(hash);
  }

  #locate(hash: string): string {
    return join(this.#dir, hash.slice(0, 2), `${hash}.json`);
  }
}
