import type { Fixture } from "../fixture.js";

const ANSWER =
  "STRUCT(unanswerable BOOLEAN, extractive_spans VARCHAR[], yes_no BOOLEAN, free_form_answer VARCHAR, evidence VARCHAR[], highlighted_evidence VARCHAR[])";
const ANSWERS = `STRUCT(answer ${ANSWER}[], annotation_id VARCHAR[], worker_id VARCHAR[])[]`;

function createQasperAnswer(given: Record<string, unknown>) {
  return {
    unanswerable: false,
    extractive_spans: [],
    yes_no: null,
    free_form_answer: "",
    evidence: ["Some paragraph."],
    highlighted_evidence: ["Some sentence."],
    ...given,
  };
}

function createAnnotations(...answers: Record<string, unknown>[]) {
  const ids = answers.map((_, index) => `annotation-${index}`);
  return { answer: answers.map(createQasperAnswer), annotation_id: ids, worker_id: ids };
}

function createQasperQuestions(questions: Record<string, unknown>) {
  const names = Object.keys(questions);
  const each = (value: string) => names.map(() => value);
  return {
    question: names,
    question_id: names.map((_, index) => `made-up-${names.length}-${index}`),
    nlp_background: each("two"),
    topic_background: each("familiar"),
    paper_read: each("no"),
    search_query: each(""),
    question_writer: each("writer"),
    answers: Object.values(questions),
  };
}

const SHORT = "Answer in as few words as possible.";
const INSTRUCTION = `${SHORT} If the paper does not say, answer "unanswerable".`;
const PAPER =
  "Parsing Tide Tables\n\nWe parse tide tables.\n\nData\nWe use 12 tables.\nThey are old.\n\nNo section of its own.";

export const qasperFixture: Fixture = {
  files: {
    "qasper/validation/0000.parquet": {
      isConverted: true,
      columns: {
        id: "VARCHAR",
        title: "VARCHAR",
        abstract: "VARCHAR",
        full_text: "STRUCT(section_name VARCHAR[], paragraphs VARCHAR[][])",
        qas: `STRUCT(question VARCHAR[], question_id VARCHAR[], nlp_background VARCHAR[], topic_background VARCHAR[], paper_read VARCHAR[], search_query VARCHAR[], question_writer VARCHAR[], answers ${ANSWERS})`,
        figures_and_tables: 'STRUCT(caption VARCHAR[], "file" VARCHAR[])',
      },
      rows: [
        {
          id: "0000.00001",
          title: "Parsing Tide Tables",
          abstract: "We parse tide tables.",
          full_text: {
            section_name: ["Data", null],
            paragraphs: [["We use 12 tables.", "They are old.", ""], ["No section of its own."]],
          },
          qas: createQasperQuestions({
            "Which tables are used?": createAnnotations(
              { extractive_spans: ["12 tables", "old"] },
              { free_form_answer: "Twelve old tables" },
            ),
            "Do they parse tide tables?": createAnnotations(
              { yes_no: true },
              { yes_no: false },
              { unanswerable: true },
            ),
            "Who paid for it?": createAnnotations({ unanswerable: true, evidence: [] }),
          }),
          figures_and_tables: { caption: ["A tide."], file: ["1-Figure1-1.png"] },
        },
        {
          id: "0000.00002",
          title: "A Note",
          abstract: "",
          full_text: { section_name: [], paragraphs: [] },
          qas: createQasperQuestions({ "Is it a note?": createAnnotations({ yes_no: true }) }),
          figures_and_tables: { caption: [], file: [] },
        },
      ],
    },
  },
  expected: [
    {
      id: "made-up-3-0",
      context: PAPER,
      question: `Which tables are used?\n\n${INSTRUCTION}`,
      answers: ["12 tables, old", "Twelve old tables"],
    },
    {
      id: "made-up-3-1",
      context: PAPER,
      question: `Do they parse tide tables?\n\n${INSTRUCTION}`,
      answers: ["Yes", "No"],
      unanswerable: true,
    },
    { id: "made-up-3-2", context: PAPER, question: `Who paid for it?\n\n${INSTRUCTION}`, unanswerable: true },
    { id: "made-up-1-0", context: "A Note", question: `Is it a note?\n\n${INSTRUCTION}`, answers: ["Yes"] },
  ],
};
