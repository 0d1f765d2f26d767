import type { KeyPath } from "../../utils/index.js";

/** Remembers where the values of a rewritten document stand in the file, so that messages can name the line. */
export class SourcePaths {
  readonly #moved = new Map<string, KeyPath>();

  move(to: KeyPath, from: KeyPath): void {
    this.#moved.set(JSON.stringify(to), from);
  }

  /** The longest moved prefix of the path says where the rest is. */
  find(path: KeyPath): KeyPath {
    for (let length = path.length; length > 0; length--) {
      const source = this.#moved.get(JSON.stringify(path.slice(0, length)));
      if (source !== undefined) return [...source, ...path.slice(length)];
    }
    return path;
  }
}
