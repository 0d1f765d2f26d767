import type { Dataset } from "../core/dataset.js";
import type { Example } from "../core/example.js";
import { breakdownOf } from "../core/facets.js";
import type { Facets } from "../core/row.js";

/**
 * Reads the facets of a dataset's examples. Examples with the same values share one object: a million rows of sixty
 * subjects hold sixty of them.
 */
export class FacetReader {
  readonly fields: readonly string[];
  readonly #breakdown: Pick<Dataset, "facets" | "labels">;
  readonly #known = new Map<string, Facets>();

  constructor(breakdown: Pick<Dataset, "facets" | "labels">) {
    this.fields = breakdown.facets ?? [];
    this.#breakdown = breakdown;
  }

  of(example: Example): Facets | null {
    const facets = breakdownOf(example, this.#breakdown);
    if (facets === null) return null;
    const text = JSON.stringify(facets);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, Object.freeze(facets));
    return facets;
  }
}
