import type { Fixture } from "../fixture.js";

function createTriviaAnswer(value: string, aliases: readonly string[]) {
  return {
    aliases,
    normalized_aliases: aliases.map((alias) => alias.toLowerCase()),
    matched_wiki_entity_name: "",
    normalized_matched_wiki_entity_name: "",
    normalized_value: value.toLowerCase(),
    type: "WikipediaEntity",
    value,
  };
}

const NO_PAGES = { doc_source: [], filename: [], title: [], wiki_context: [] };
const NO_RESULTS = { description: [], filename: [], rank: [], title: [], url: [], search_context: [] };

export const triviaqaFixture: Fixture = {
  files: {
    "rc/validation-00000-of-00001.parquet": {
      columns: {
        question: "VARCHAR",
        question_id: "VARCHAR",
        question_source: "VARCHAR",
        entity_pages: 'STRUCT(doc_source VARCHAR[], filename VARCHAR[], "title" VARCHAR[], wiki_context VARCHAR[])',
        search_results:
          'STRUCT(description VARCHAR[], filename VARCHAR[], rank INTEGER[], "title" VARCHAR[], url VARCHAR[], search_context VARCHAR[])',
        answer:
          'STRUCT(aliases VARCHAR[], normalized_aliases VARCHAR[], matched_wiki_entity_name VARCHAR, normalized_matched_wiki_entity_name VARCHAR, normalized_value VARCHAR, "type" VARCHAR, "value" VARCHAR)',
      },
      rows: [
        {
          question: "Which bird is on the flag of Norrow?",
          question_id: "mu_1",
          question_source: "https://example.org/quiz",
          entity_pages: NO_PAGES,
          search_results: {
            description: ["Flags", "Birds"],
            filename: ["1/1_1.txt", "1/1_2.txt"],
            rank: [0, 1],
            title: ["Flags", "Birds"],
            url: ["https://example.org/flags", "https://example.org/birds"],
            search_context: ["The flag of Norrow shows a wren.", "A wren is a small bird.\n"],
          },
          answer: createTriviaAnswer("Wren", ["Wren", "Jenny wren", ""]),
        },
        {
          question: "Which town is the seat of Ostshire?",
          question_id: "mu_2",
          question_source: "https://example.org/quiz",
          entity_pages: {
            doc_source: ["TagMe"],
            filename: ["Ostshire.txt"],
            title: ["Ostshire"],
            wiki_context: ["Ostshire is a county. Its seat is Pell."],
          },
          search_results: NO_RESULTS,
          answer: createTriviaAnswer("Pell", []),
        },
      ],
    },
  },
  expected: [
    {
      context: "The flag of Norrow shows a wren.\n\nA wren is a small bird.",
      question: "Which bird is on the flag of Norrow?\n\nAnswer in as few words as possible.",
      answers: ["Wren", "Jenny wren"],
    },
    {
      context: "Ostshire is a county. Its seat is Pell.",
      question: "Which town is the seat of Ostshire?\n\nAnswer in as few words as possible.",
      answers: ["Pell"],
    },
  ],
};
