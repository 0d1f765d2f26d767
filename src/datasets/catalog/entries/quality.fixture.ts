import type { Fixture } from "../fixture.js";

const INSTRUCTION = "Answer with the letter of the right option.";
const ARTICLE = {
  article_id: 900001,
  set_unique_id: "900001_MADEUP",
  batch_num: 1,
  writer_id: 7,
  source: "Gutenberg",
  title: "The Kiln",
  year: "1950",
  author: "Nobody",
  topic: "Short stories",
  article: "Edda lit the kiln at dawn.\nBy noon she had broken every cup, for none of them rang true.",
  url: "https://example.org/kiln",
  license: "none",
};
const VALIDATION = [
  {
    untimed_annotator_id: "a1",
    untimed_answer: 2,
    untimed_best_distractor: 1,
    untimed_eval1_answerability: 1,
    untimed_eval2_context: 3,
  },
];
const SPEED = [{ speed_annotator_id: "b1", speed_answer: 4 }];
const TEXT_COLUMNS = ["source", "title", "year", "author", "topic", "article", "url", "license", "question"];

export const qualityFixture: Fixture = {
  files: {
    "data/validation-00000-of-00001.parquet": {
      columns: {
        article_id: "BIGINT",
        set_unique_id: "VARCHAR",
        batch_num: "BIGINT",
        writer_id: "BIGINT",
        ...Object.fromEntries(TEXT_COLUMNS.map((column) => [column, "VARCHAR"])),
        question_unique_id: "VARCHAR",
        options: "VARCHAR[]",
        writer_label: "BIGINT",
        gold_label: "BIGINT",
        validation:
          "STRUCT(untimed_annotator_id VARCHAR, untimed_answer BIGINT, untimed_best_distractor BIGINT, untimed_eval1_answerability BIGINT, untimed_eval2_context BIGINT)[]",
        speed_validation: "STRUCT(speed_annotator_id VARCHAR, speed_answer BIGINT)[]",
        difficult: "BIGINT",
      },
      rows: [
        {
          ...ARTICLE,
          question: "Why did Edda break the cups?",
          question_unique_id: "900001_MADEUP_1",
          options: ["She was tired", "They did not ring true", "The kiln was cold", "It was noon"],
          writer_label: 2,
          gold_label: 2,
          validation: VALIDATION,
          speed_validation: SPEED,
          difficult: 1,
        },
        {
          ...ARTICLE,
          question: "When was the kiln lit?",
          question_unique_id: "900001_MADEUP_2",
          options: ["At noon", "At night", "Never", "At dawn"],
          writer_label: 4,
          gold_label: 4,
          validation: VALIDATION,
          speed_validation: SPEED,
          difficult: 0,
        },
      ],
    },
  },
  expected: [
    {
      id: "900001_MADEUP_1",
      context: ARTICLE.article,
      question: `Why did Edda break the cups?\n\nA. It was noon\nB. The kiln was cold\nC. She was tired\nD. They did not ring true\n\n${INSTRUCTION}`,
      choices: ["It was noon", "The kiln was cold", "She was tired", "They did not ring true"],
      answer: "They did not ring true",
      answer_index: 3,
      difficult: true,
    },
    {
      id: "900001_MADEUP_2",
      context: ARTICLE.article,
      question: `When was the kiln lit?\n\nA. At dawn\nB. At noon\nC. Never\nD. At night\n\n${INSTRUCTION}`,
      choices: ["At dawn", "At noon", "Never", "At night"],
      answer: "At dawn",
      answer_index: 0,
      difficult: false,
    },
  ],
};
