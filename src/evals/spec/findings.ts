import type { FileProblem, KeyPath, YamlTree } from "../../utils/files/yaml-tree.js";
import type { PathProblem } from "./respell.js";

/** Collects what is to be said of a file, with the places it has there. */
export class Findings {
  readonly problems: FileProblem[] = [];
  readonly #notes = new Set<string>();
  readonly #tree: YamlTree;
  readonly #sourceOf: (path: KeyPath) => KeyPath;

  /** `sourceOf` leads from a path in our own spelling to that in the file. */
  constructor(tree: YamlTree, sourceOf: (path: KeyPath) => KeyPath) {
    this.#tree = tree;
    this.#sourceOf = sourceOf;
  }

  get notes(): string[] {
    return [...this.#notes];
  }

  note(text: string): void {
    this.#notes.add(text);
  }

  /** A problem with the value at a path. */
  at(path: KeyPath, text: string): void {
    this.add({ path: this.#sourceOf(path), isKey: false, text });
  }

  /** A problem with the key that a path ends with. */
  atKey(path: KeyPath, text: string): void {
    this.add({ path: this.#sourceOf(path), isKey: true, text });
  }

  /** A problem whose path is that in the file. */
  add({ path, isKey, text }: PathProblem): void {
    const place = isKey ? this.#tree.placeOfKey(path) : this.#tree.placeOf(path);
    this.problems.push({ ...place, text });
  }

  placeOf(path: KeyPath) {
    return this.#tree.placeOf(this.#sourceOf(path));
  }
}
