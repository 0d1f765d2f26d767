import type { Evaluator, Scored } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { citationId, citedIn, listedIds } from "./citation-marks.js";
import { responseOf, textOf, undecided } from "./gold.js";
import { parseJson } from "./json-text.js";

const PRECISION = "citation_precision";
const RECALL = "citation_recall";
const F1 = "citation_f1";
const NUMBERS = /^[\d\s,;[\]]+$/;

/**
 * Compares the sources that a response cites, as [1], [2, 3], [1-3], [^4], (source 5), ¹ or [@smith2020], with the
 * example's `citations`, a list of numbers or names. A source counts once, however often it is cited. Of a response that cites
 * nothing there is no precision.
 * @example
 * new Citation().score({ id: 1, question: "…", citations: [1, 3] }, { response: "Yes [1], as shown in [2]." });
 * // { scores: { citation_precision: 0.5, citation_recall: 0.5, citation_f1: 0.5 }, evidence: { citation_f1: "cited 1, 2; gold 1, 3" } }
 */
export class Citation implements Evaluator {
  readonly name = "citation";
  readonly fields: readonly string[] = [PRECISION, RECALL, F1];
  readonly primaryFields: readonly string[] = [F1];

  score(original: Example, processed: Output): Scored {
    const golds = goldCitations(original.citations);
    if (golds.size === 0) return undecided(this.fields, "the example has no citations (a list of numbers or names)");
    const cited = citedIn(responseOf(processed), golds);
    const evidence = { [F1]: `cited ${listed(cited)}; gold ${listed(golds)}` };
    if (cited.size === 0) {
      const unscored = { [PRECISION]: "the response cites nothing" };
      return { scores: { [RECALL]: 0, [F1]: 0 }, unscored, evidence };
    }
    const shared = [...cited].filter((id) => golds.has(id)).length;
    const f1 = (2 * shared) / (cited.size + golds.size);
    return { scores: { [PRECISION]: shared / cited.size, [RECALL]: shared / golds.size, [F1]: f1 }, evidence };
  }

  fingerprint(): unknown {
    return { evaluator: this.name, version: 1 };
  }
}

/** The sources an example asks for: one or a list, each a number, a text, or an object with an id. */
function goldCitations(citations: unknown): Set<string> {
  const read = typeof citations === "string" ? listIn(citations) : citations;
  const list: unknown[] = Array.isArray(read) ? read : [read];
  return new Set(list.map(idOf).filter((id) => id !== ""));
}

/** Files without types, such as CSV, hold lists as JSON, or as "1, 2". A name may have a comma in it. */
function listIn(text: string): unknown {
  const list = parseJson(text)?.value;
  if (Array.isArray(list)) return list;
  return NUMBERS.test(text) ? listedIds(text.replace(/[[\]]/g, " ")) : text;
}

function idOf(citation: unknown): string {
  const { id } = (typeof citation === "object" && citation !== null ? citation : {}) as { id?: unknown };
  return citationId(textOf(id ?? citation));
}

function listed(ids: ReadonlySet<string>): string {
  if (ids.size === 0) return "nothing";
  const shown = [...ids].slice(0, 8).map((id) => id.slice(0, 40));
  return `${shown.join(", ")}${ids.size > shown.length ? ", …" : ""}`;
}
