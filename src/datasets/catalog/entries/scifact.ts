import type { RawRow } from "../../source-row.js";
import type { CatalogEntry, RowContext } from "../entry.js";
import { RowProblem, requireIntegerValue, requireListValue, requireText, requireTextList } from "../row-fields.js";

const NOT_ENOUGH_INFO = "NOT ENOUGH INFO";
const LABELS = ["SUPPORT", "CONTRADICT", NOT_ENOUGH_INFO];
const INSTRUCTION = `Do the abstracts support this claim, contradict it, or not say enough to tell? Answer with one of: ${LABELS.join(", ")}.`;
const CLAIMS = { config: "claims", split: "validation" };

/** One example per claim, although the table has one row per piece of evidence. */
export const scifact: CatalogEntry = {
  about: "Scientific claims with cited abstracts that support them, contradict them or leave them open.",
  repo: "allenai/scifact",
  license: "cc-by-nc-2.0",
  size: 300,
  sources: () => [CLAIMS],
  lookups: { corpus: () => ({ config: "corpus", split: "train" }), claims: () => CLAIMS },
  columns: ["id", "claim", "evidence_doc_id", "evidence_label", "evidence_sentences", "cited_doc_ids"],
  isExpanding: true,
  examples(row, { lookups }) {
    const id = requireIntegerValue(row, "id");
    const rows = (lookups.claims ?? []).filter((other) => requireIntegerValue(other, "id") === id);
    const [first = row] = rows;
    if (readClaimEvidence(first) !== readClaimEvidence(row)) return [];
    const golds = [...new Set((rows.length === 0 ? [row] : rows).map(readClaimLabel))];
    const [answer] = golds;
    const question = `Claim: ${requireText(row, "claim")}\n\n${INSTRUCTION}`;
    return {
      id,
      context: formatAbstracts(row, lookups),
      question,
      ...(golds.length > 1 ? { answers: golds } : { answer }),
    };
  },
  evaluators: ["nli_label_match", "answer_quality"],
  primaryField: "nli_accuracy",
};

function readClaimEvidence(row: RawRow): string {
  return `${requireText(row, "evidence_doc_id")} ${requireListValue(row, "evidence_sentences").join(" ")}`;
}

function readClaimLabel(row: RawRow): string {
  const label = requireText(row, "evidence_label").trim();
  if (label === "" || LABELS.includes(label)) return label === "" ? NOT_ENOUGH_INFO : label;
  throw new RowProblem(`has "${label}" in "evidence_label", not one of ${LABELS.join(", ")}`);
}

function formatAbstracts(row: RawRow, lookups: RowContext["lookups"]): string {
  const cited = requireTextList(row, "cited_doc_ids").map((id) => formatAbstract(id, lookups.corpus ?? []));
  if (cited.length === 0) throw new RowProblem('has no "cited_doc_ids", so there is no abstract to read');
  return cited.join("\n\n");
}

function formatAbstract(id: string, corpus: readonly RawRow[]): string {
  const found = corpus.find((document) => requireText(document, "doc_id") === id);
  if (found === undefined) throw new RowProblem(`cites ${id} in "cited_doc_ids", which is not in the corpus`);
  const sentences = requireTextList(found, "abstract").map((sentence) => sentence.trim());
  return `${requireText(found, "title").trim()}\n${sentences.join(" ")}`;
}
