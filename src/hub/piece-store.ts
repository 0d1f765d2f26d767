import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

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
  #pieces: readonly Piece[] = [];
  /** Hashed once by this process; later reads take only the bytes they need. */
  readonly #verified = new Set<string>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Looks again at what is there, since other processes add to it. */
  async refresh(): Promise<void> {
    const names = await readdir(this.#dir).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    this.#pieces = names.map(pieceOf).filter((piece) => piece !== null);
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
    const bytes = this.#verified.has(piece.name)
      ? await this.#readPart(piece, start, end)
      : (await this.#readWhole(piece))?.subarray(start - piece.start, end - piece.start);
    if (bytes !== undefined && bytes.length === end - start) return bytes;
    this.#pieces = this.#pieces.filter(({ name }) => name !== piece.name);
    await rm(join(this.#dir, piece.name), { force: true });
    return null;
  }

  async add(start: number, bytes: Uint8Array): Promise<void> {
    const piece = { start, end: start + bytes.length, name: `${start}-${start + bytes.length}-${hashOf(bytes)}` };
    await mkdir(this.#dir, { recursive: true });
    const whole = join(this.#dir, `${randomUUID()}.tmp`);
    try {
      await writeFile(whole, bytes);
      await rename(whole, join(this.#dir, piece.name));
    } catch (error) {
      await rm(whole, { force: true });
      throw error;
    }
    this.#verified.add(piece.name);
    this.#pieces = [...this.#pieces.filter(({ name }) => name !== piece.name), piece];
  }

  async #readWhole({ name }: Piece): Promise<Uint8Array | undefined> {
    const bytes = await readFile(join(this.#dir, name)).catch(() => undefined);
    if (bytes === undefined || !name.endsWith(`-${hashOf(bytes)}`)) return undefined;
    this.#verified.add(name);
    return bytes;
  }

  async #readPart(piece: Piece, start: number, end: number): Promise<Uint8Array | undefined> {
    const file = await open(join(this.#dir, piece.name), "r").catch(() => undefined);
    if (file === undefined) return undefined;
    try {
      const buffer = new Uint8Array(end - start);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start - piece.start);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }
}

function pieceOf(name: string): Piece | null {
  const match = /^(\d+)-(\d+)-[0-9a-f]{64}$/.exec(name);
  return match === null ? null : { start: Number(match[1]), end: Number(match[2]), name };
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
