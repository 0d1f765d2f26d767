import type { RawRow } from "../../source-row.js";
import { integer, list, RowProblem, text, texts } from "../columns.js";
import type { CatalogueEntry, RowContext } from "../entry.js";

const OPEN = "NOT ENOUGH INFO";
const LABELS = ["SUPPORT", "CONTRADICT", OPEN];
const ASK = `Do the abstracts support this claim, contradict it, or not say enough to tell? Answer with one of: ${LABELS.join(", ")}.`;
const CLAIMS = { config: "claims", split: "validation" };

/** One example per claim, although the table has one row per piece of evidence. */
export const scifact: CatalogueEntry = {
  about: "Scientific claims with cited abstracts that support them, contradict them or leave them open.",
  repo: "allenai/scifact",
  licence: "cc-by-nc-2.0",
  size: 300,
  sources: () => [CLAIMS],
  lookups: { corpus: () => ({ config: "corpus", split: "train" }), claims: () => CLAIMS },
  columns: ["id", "claim", "evidence_doc_id", "evidence_label", "evidence_sentences", "cited_doc_ids"],
  isExpanding: true,
  examples(row, { lookups }) {
    const id = integer(row, "id");
    const rows = (lookups.claims ?? []).filter((other) => integer(other, "id") === id);
    const [first = row] = rows;
    if (evidenceOf(first) !== evidenceOf(row)) return [];
    const golds = [...new Set((rows.length === 0 ? [row] : rows).map(labelOf))];
    const [answer] = golds;
    const question = `Claim: ${text(row, "claim")}\n\n${ASK}`;
    return { id, context: abstracts(row, lookups), question, ...(golds.length > 1 ? { answers: golds } : { answer }) };
  },
  evaluators: ["nli_label_match", "answer_quality"],
  primaryField: "nli_accuracy",
};

function evidenceOf(row: RawRow): string {
  return `${text(row, "evidence_doc_id")} ${list(row, "evidence_sentences").join(" ")}`;
}

function labelOf(row: RawRow): string {
  const label = text(row, "evidence_label").trim();
  if (label === "" || LABELS.includes(label)) return label === "" ? OPEN : label;
  throw new RowProblem(`has "${label}" in "evidence_label", not one of ${LABELS.join(", ")}`);
}

function abstracts(row: RawRow, lookups: RowContext["lookups"]): string {
  const cited = texts(row, "cited_doc_ids").map((id) => abstract(id, lookups.corpus ?? []));
  if (cited.length === 0) throw new RowProblem('has no "cited_doc_ids", so there is no abstract to read');
  return cited.join("\n\n");
}

function abstract(id: string, corpus: readonly RawRow[]): string {
  const found = corpus.find((document) => text(document, "doc_id") === id);
  if (found === undefined) throw new RowProblem(`cites ${id} in "cited_doc_ids", which is not in the corpus`);
  const sentences = texts(found, "abstract").map((sentence) => sentence.trim());
  return `${text(found, "title").trim()}\n${sentences.join(" ")}`;
}
