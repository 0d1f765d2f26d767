/** Pieces are told in stretches of this many characters: one at a time, a long text would be thousands of events. */
const STRETCH = 400;

/** What a block of a message holds. */
export type SpokenKind = "text" | "thinking";

interface Block {
  readonly kind: SpokenKind;
  told: string;
  /** Came in pieces and is not told yet. */
  held: string;
  /** It came whole as well. */
  isWhole: boolean;
}

/**
 * The texts of one message, which come in pieces and then once more as a whole: says what of each is new. The first
 * piece is told at once, so that the moment of the first text is known.
 */
export class Spoken {
  readonly #blocks: Block[] = [];

  /** What was said for the reader, as far as it came. */
  get text(): string {
    const texts = this.#blocks.filter(({ kind }) => kind === "text");
    return texts.map(({ told, held }) => told + held).join("");
  }

  begin(kind: SpokenKind): void {
    this.#blocks.push({ kind, told: "", held: "", isWhole: false });
  }

  /** A piece of the block that was begun last. Gives what is to be told now, often nothing. */
  piece(kind: SpokenKind, text: string): string {
    const block = this.#last(kind);
    block.held += text;
    return block.told === "" || block.held.length >= STRETCH ? tell(block) : "";
  }

  /** The block that was begun last is complete. */
  stop(kind: SpokenKind): string {
    return tell(this.#last(kind));
  }

  /** A block as a whole. */
  whole(kind: SpokenKind, text: string): string {
    let block = this.#blocks.find((one) => one.kind === kind && !one.isWhole);
    if (block === undefined) {
      this.begin(kind);
      block = this.#last(kind);
    }
    const rest = text.startsWith(block.told) ? text.slice(block.told.length) : text;
    Object.assign(block, { told: text, held: "", isWhole: true });
    return rest;
  }

  #last(kind: SpokenKind): Block {
    const last = this.#blocks.at(-1);
    if (last?.kind === kind) return last;
    this.begin(kind);
    return this.#last(kind);
  }
}

function tell(block: Block): string {
  const { held } = block;
  block.told += held;
  block.held = "";
  return held;
}
