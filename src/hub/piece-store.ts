import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HubCache } from "./cache.js";
import { dateBack, type FileState, isSameState, stateOf } from "./file-state.js";
import { hashOf } from "./verify.js";

/** A part of a file in the cache. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  /** The name of its file: where it belongs, and the hash of its content. */
  readonly name: string;
}

/** The parts of one file that have been fetched, each in a file whose name says what it must hold. */
export class PieceStore {
  readonly #dir: string;
  readonly #cache: HubCache;
  #pieces: readonly Piece[] = [];
  /** The state in which this process has hashed a piece: while it stays so, only the bytes asked for are read. */
  readonly #verified = new Map<string, FileState>();
  /** Damaged, and in a folder that does not let them go. */
  readonly #stuck = new Set<string>();

  constructor(cache: HubCache, key: string) {
    this.#cache = cache;
    this.#dir = cache.pieces(key);
  }

  /** Looks again at what is there, since other processes add to it. */
  async refresh(): Promise<void> {
    const names = await readdir(this.#dir).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    this.#pieces = names
      .filter((name) => !this.#stuck.has(name))
      .map(pieceOf)
      .filter((piece) => piece !== null);
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** The piece that goes on longest from this byte, if one holds it. */
  at(byte: number): Piece | undefined {
    const fitting = this.#pieces.filter(({ start, end }) => start <= byte && byte < end);
    return fitting.toSorted((a, b) => b.end - a.end)[0];
  }

  /** Where the next piece begins. */
  nextStart(byte: number): number {
    return Math.min(
      ...this.#pieces.map(({ start }) => start).filter((start) => start > byte),
      Number.POSITIVE_INFINITY,
    );
  }

  /** Bytes of a piece; null when it is damaged or gone, and then it is forgotten. */
  async read(piece: Piece, start: number, end: number): Promise<Uint8Array | null> {
    const file = await open(join(this.#dir, piece.name), "r").catch(() => null);
    const bytes = file === null ? null : await this.#readSound(file, piece, { start, end }).catch(() => null);
    await file?.close();
    if (bytes?.length === end - start) return bytes;
    await this.#forget(piece);
    return null;
  }

  async add(start: number, bytes: Uint8Array): Promise<void> {
    const hash = createHash("sha256").update(bytes).digest("hex");
    const piece = { start, end: start + bytes.length, name: `${start}-${start + bytes.length}-${hash}` };
    const path = join(this.#dir, piece.name);
    await this.#cache.prepare(path);
    const whole = join(this.#dir, `${randomUUID()}.tmp`);
    try {
      await writeFile(whole, bytes);
      await dateBack(whole);
      this.#verified.set(piece.name, stateOf(await stat(whole)));
      await rename(whole, path);
    } catch (error) {
      await rm(whole, { force: true });
      throw error;
    }
    this.#stuck.delete(piece.name);
    this.#pieces = [...this.#pieces.filter(({ name }) => name !== piece.name), piece];
  }

  async #readSound(file: FileHandle, piece: Piece, { start, end }: { start: number; end: number }) {
    if (!(await this.#isSound(file, piece))) return null;
    const buffer = new Uint8Array(end - start);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start - piece.start);
    return buffer.subarray(0, bytesRead);
  }

  async #isSound(file: FileHandle, { name, start, end }: Piece): Promise<boolean> {
    const state = stateOf(await file.stat());
    const known = this.#verified.get(name);
    if (known !== undefined && isSameState(known, state)) return true;
    if (state.size !== end - start || !name.endsWith(`-${await hashOf(file, createHash("sha256"))}`)) return false;
    this.#verified.set(name, state);
    return true;
  }

  async #forget({ name: gone }: Piece): Promise<void> {
    this.#verified.delete(gone);
    this.#pieces = this.#pieces.filter(({ name }) => name !== gone);
    await rm(join(this.#dir, gone), { force: true }).catch(() => this.#stuck.add(gone));
  }
}

function pieceOf(name: string): Piece | null {
  const match = /^(\d+)-(\d+)-[0-9a-f]{64}$/.exec(name);
  return match === null ? null : { start: Number(match[1]), end: Number(match[2]), name };
}
