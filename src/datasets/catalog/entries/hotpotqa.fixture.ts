import type { Fixture } from "../fixture.js";

export const hotpotqaFixture: Fixture = {
  files: {
    "distractor/validation-00000-of-00001.parquet": {
      columns: {
        id: "VARCHAR",
        question: "VARCHAR",
        answer: "VARCHAR",
        type: "VARCHAR",
        level: "VARCHAR",
        supporting_facts: 'STRUCT("title" VARCHAR[], sent_id INTEGER[])',
        context: 'STRUCT("title" VARCHAR[], sentences VARCHAR[][])',
      },
      rows: [
        {
          id: "made-up-0001",
          question: "In which valley is the mill that Orla Finch painted?",
          answer: "Tarn Valley",
          type: "bridge",
          level: "hard",
          supporting_facts: { title: ["Orla Finch", "Grey Mill"], sent_id: [1, 0] },
          context: {
            title: ["Orla Finch", "Grey Mill"],
            sentences: [
              ["Orla Finch was a painter.", " She is known for her picture of Grey Mill."],
              ["Grey Mill stands in Tarn Valley. "],
            ],
          },
        },
        {
          id: "made-up-0002",
          question: "Are Lake Pell and Lake Roon in the same county? ",
          answer: "no",
          type: "comparison",
          level: "hard",
          supporting_facts: { title: ["Lake Pell", "Lake Roon"], sent_id: [0, 0] },
          context: {
            title: ["Lake Pell", "Lake Roon"],
            sentences: [["Lake Pell is in Ostshire."], ["Lake Roon is in Westshire."]],
          },
        },
      ],
    },
  },
  expected: [
    {
      id: "made-up-0001",
      context:
        "Orla Finch: Orla Finch was a painter. She is known for her picture of Grey Mill.\n\nGrey Mill: Grey Mill stands in Tarn Valley.",
      question: "In which valley is the mill that Orla Finch painted?\n\nAnswer in as few words as possible.",
      answer: "Tarn Valley",
      type: "bridge",
    },
    {
      id: "made-up-0002",
      context: "Lake Pell: Lake Pell is in Ostshire.\n\nLake Roon: Lake Roon is in Westshire.",
      question: "Are Lake Pell and Lake Roon in the same county?\n\nAnswer in as few words as possible.",
      answer: "no",
      type: "comparison",
    },
  ],
};
