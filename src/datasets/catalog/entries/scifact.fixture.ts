import type { Fixture } from "../fixture.js";

const INSTRUCTION =
  "Do the abstracts support this claim, contradict it, or not say enough to tell? Answer with one of: SUPPORT, CONTRADICT, NOT ENOUGH INFO.";

/** Made-up rows: the first claim has two pieces of evidence and is asked once. */
export const scifactFixture: Fixture = {
  files: {
    "claims/validation/0000.parquet": {
      isConverted: true,
      columns: {
        id: "INTEGER",
        claim: "VARCHAR",
        evidence_doc_id: "VARCHAR",
        evidence_label: "VARCHAR",
        evidence_sentences: "INTEGER[]",
        cited_doc_ids: "INTEGER[]",
      },
      rows: [
        {
          id: 3,
          claim: "Moss slows the wear of roofs.",
          evidence_doc_id: "101",
          evidence_label: "CONTRADICT",
          evidence_sentences: [0],
          cited_doc_ids: [101, 102],
        },
        {
          id: 3,
          claim: "Moss slows the wear of roofs.",
          evidence_doc_id: "101",
          evidence_label: "CONTRADICT",
          evidence_sentences: [1],
          cited_doc_ids: [101, 102],
        },
        {
          id: 5,
          claim: "Slate is warmer than tile.",
          evidence_doc_id: "",
          evidence_label: "",
          evidence_sentences: [],
          cited_doc_ids: [102],
        },
      ],
    },
    "corpus/train/0000.parquet": {
      isConverted: true,
      columns: { doc_id: "INTEGER", title: "VARCHAR", abstract: "VARCHAR[]", structured: "BOOLEAN" },
      rows: [
        {
          doc_id: 101,
          title: "Moss on roofs",
          abstract: ["Moss holds water. ", "Wet roofs wear sooner."],
          structured: false,
        },
        { doc_id: 102, title: "Of slate", abstract: ["Slate lasts."], structured: true },
      ],
    },
  },
  expected: [
    {
      id: 3,
      context: "Moss on roofs\nMoss holds water. Wet roofs wear sooner.\n\nOf slate\nSlate lasts.",
      question: `Claim: Moss slows the wear of roofs.\n\n${INSTRUCTION}`,
      answer: "CONTRADICT",
    },
    {
      id: 5,
      context: "Of slate\nSlate lasts.",
      question: `Claim: Slate is warmer than tile.\n\n${INSTRUCTION}`,
      answer: "NOT ENOUGH INFO",
    },
  ],
};
