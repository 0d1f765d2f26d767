/** A line longer than this is dropped: whole files in a tool's result are far below it. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** As much of a line that is no JSON as is kept. */
const MALFORMED_CHARACTERS = 2000;

const LF = 10;
const CR = 13;

/**
 * Puts the lines of a stream together from chunks of any size. Only a line feed ends a line: the separators U+2028 and
 * U+2029 stand in texts. Lines with nothing in them are left out.
 * @example
 * const lines = new StreamLines();
 * child.stdout.on("data", (chunk) => lines.push(chunk).map(eventOf).forEach(read));
 * child.stdout.on("end", () => lines.end().map(eventOf).forEach(read));
 */
export class StreamLines {
  readonly #maxBytes: number;
  /** Of the line that is not complete yet. They are joined once, so that a long line costs no more than its length. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isDropping = false;
  #dropped = 0;

  constructor(maxBytes = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** How many lines were too long to keep. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes in what came and gives the lines that are complete by now. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let feed = chunk.indexOf(LF); feed !== -1; feed = chunk.indexOf(LF, start)) {
      this.#hold(chunk.subarray(start, feed));
      this.#complete(lines);
      start = feed + 1;
    }
    this.#hold(chunk.subarray(start));
    return lines;
  }

  /** The last line, when it has no line feed. */
  end(): string[] {
    const lines: string[] = [];
    this.#complete(lines);
    return lines;
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0 || this.#isDropping) return;
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes <= this.#maxBytes) return;
    this.#isDropping = true;
    this.#dropped += 1;
    this.#release();
  }

  #complete(lines: string[]): void {
    const [first] = this.#held;
    const bytes = this.#held.length === 1 && first !== undefined ? first : Buffer.concat(this.#held);
    this.#release();
    this.#isDropping = false;
    const line = bytes.toString("utf8", 0, bytes.at(-1) === CR ? bytes.length - 1 : bytes.length);
    if (line.trim() !== "") lines.push(line);
  }

  #release(): void {
    this.#held = [];
    this.#heldBytes = 0;
  }
}

/** A line that is no JSON, or its beginning. */
export interface MalformedLine {
  readonly malformed: string;
}

/**
 * The event that a line holds.
 * @example
 * eventOf('{"type":"result"}'); // { type: "result" }
 * eventOf("Segmentation fault"); // { malformed: "Segmentation fault" }
 */
export function eventOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return { malformed: line.slice(0, MALFORMED_CHARACTERS) } satisfies MalformedLine;
  }
}
