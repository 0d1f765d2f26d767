import type { Fixture } from "../fixture.js";

const INSTRUCTION = "Work it out step by step. On the last line give the final number after ####.";
const LANGUAGES = ["en", "bn", "de", "es", "fr", "ja", "ru", "sw", "te", "th", "zh"];

/** The files of the repository, which have no header, and those converted by the hub. */
export const mgsmFixture: readonly Fixture[] = [
  {
    files: Object.fromEntries(
      LANGUAGES.map((language, index) => [
        `mgsm_${language}.tsv`,
        { text: `(${language}) 2000 + ${index} = ?\t2,00${index % 10}\n` },
      ]),
    ),
    expected: LANGUAGES.map((subject, index) => ({
      question: `(${subject}) 2000 + ${index} = ?\n\n${INSTRUCTION}`,
      answer: `200${index % 10}`,
      subject,
    })),
  },
  {
    config: "es",
    files: {
      "mgsm_es.tsv": { text: "Ana tiene 3 peras y compra 4. ¿Cuántas tiene?\t7\n¿Cuánto es 2 por 750?\t1,500\n" },
    },
    expected: [
      { question: `Ana tiene 3 peras y compra 4. ¿Cuántas tiene?\n\n${INSTRUCTION}`, answer: "7", subject: "es" },
      { question: `¿Cuánto es 2 por 750?\n\n${INSTRUCTION}`, answer: "1500", subject: "es" },
    ],
  },
  {
    config: "de",
    files: {
      "de/test/0000.parquet": {
        isConverted: true,
        columns: { question: "VARCHAR", answer: "VARCHAR", answer_number: "INTEGER", equation_solution: "VARCHAR" },
        rows: [
          {
            question: "Nia hat 9 Birnen und isst 4. Wie viele bleiben?",
            answer: null,
            answer_number: 5,
            equation_solution: null,
          },
          { question: "Was ist 50 mal 50?", answer: null, answer_number: 2500, equation_solution: null },
        ],
      },
    },
    expected: [
      { question: `Nia hat 9 Birnen und isst 4. Wie viele bleiben?\n\n${INSTRUCTION}`, answer: "5", subject: "de" },
      { question: `Was ist 50 mal 50?\n\n${INSTRUCTION}`, answer: "2500", subject: "de" },
    ],
  },
];
