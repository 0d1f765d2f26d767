import type { Fixture } from "../fixture.js";

const SUMMARY = 'STRUCT("text" VARCHAR, tokens VARCHAR[], url VARCHAR, "title" VARCHAR)';

function createStoryDocument(kind: string, summary: string) {
  return {
    id: `made-up-${kind}`,
    kind,
    url: "https://example.org/story.txt",
    file_size: 1200,
    word_count: 210,
    start: "It was",
    end: "THE END",
    summary: { text: summary, tokens: summary.split(" "), url: "https://example.org/summary", title: "The Bell" },
    text: "It was a long story, of which the summary says enough. THE END",
  };
}

function splitStoryWords(text: string) {
  return { text, tokens: text.split(" ") };
}

export const narrativeqaFixture: Fixture = {
  files: {
    "data/test-00000-of-00001.parquet": {
      columns: {
        document: `STRUCT(id VARCHAR, kind VARCHAR, url VARCHAR, file_size INTEGER, word_count INTEGER, "start" VARCHAR, "end" VARCHAR, summary ${SUMMARY}, "text" VARCHAR)`,
        question: 'STRUCT("text" VARCHAR, tokens VARCHAR[])',
        answers: 'STRUCT("text" VARCHAR, tokens VARCHAR[])[]',
      },
      rows: [
        {
          document: createStoryDocument("gutenberg", " A ferryman hides a bell under the pier.\n"),
          question: splitStoryWords("What does the ferryman hide?"),
          answers: [splitStoryWords("A bell"), splitStoryWords("the bell of the chapel")],
        },
        {
          document: createStoryDocument("movie", "Mara wins the race by a length."),
          question: splitStoryWords("Who wins the race?"),
          answers: [splitStoryWords("Mara"), splitStoryWords("Mara")],
        },
      ],
    },
  },
  expected: [
    {
      context: "A ferryman hides a bell under the pier.",
      question: "What does the ferryman hide?\n\nAnswer in as few words as possible.",
      answers: ["A bell", "the bell of the chapel"],
      kind: "gutenberg",
    },
    {
      context: "Mara wins the race by a length.",
      question: "Who wins the race?\n\nAnswer in as few words as possible.",
      answers: ["Mara"],
      kind: "movie",
    },
  ],
};
