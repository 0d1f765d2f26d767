import { digest } from "./fingerprint.js";

/** The id of an example that has none: the hash of its content. */
export function contentId(content: unknown): string {
  return digest(content).slice(0, 16);
}

/** Numbers ids that repeat: "…-2", "…-3", in order. */
export class RepeatedIds {
  /** How often each was met; counting on from there keeps many equal examples from taking quadratic time. */
  readonly #met = new Map<string, number>();

  next(id: string, isTaken: (id: string) => boolean): string {
    for (;;) {
      const copy = (this.#met.get(id) ?? 0) + 1;
      this.#met.set(id, copy);
      const numbered = copy === 1 ? id : `${id}-${copy}`;
      if (!isTaken(numbered)) return numbered;
    }
  }
}
