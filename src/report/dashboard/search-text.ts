/** A text that is looked for, whatever its case. */
export class Needle {
  readonly #folded: string;
  /** As a line of JSON has it, where quotes and line breaks are spelled out. */
  readonly #spelled: string;

  constructor(text: string) {
    this.#folded = folded(text);
    this.#spelled = folded(JSON.stringify(text).slice(1, -1));
  }

  /** More characters than a part of it can have at the end of a piece of JSON. */
  get longest(): number {
    return this.#spelled.length * 2;
  }

  /** Whether a line of JSON holds it, in whatever field: if not, no text in it does. */
  isIn(json: string): boolean {
    return folded(json).includes(this.#spelled);
  }

  /** Whether a text holds it. */
  isSaidIn(text: string): boolean {
    return folded(text).includes(this.#folded);
  }
}

/** Small letters, with one sigma wherever it stands in a word. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

interface Wanted {
  fields: readonly string[];
  needle: Needle;
}

/** Whether any of these fields says a text: as it is, or somewhere in a list such as that of turns. */
export function hasText(value: Readonly<Record<string, unknown>>, { fields, needle }: Wanted): boolean {
  return fields.some((field) => textsIn(value[field]).some((text) => needle.isSaidIn(text)));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const text = typeof item === "string" ? item : (item as { content?: unknown } | null)?.content;
    return typeof text === "string" ? [text] : [];
  });
}
