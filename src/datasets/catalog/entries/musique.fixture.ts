import type { Fixture } from "../fixture.js";

const ROWS = [
  {
    id: "2hop__made_up_1",
    paragraphs: [
      { idx: 0, title: "Brass Fair", paragraph_text: "The Brass Fair is held in Ember Quay.", is_supporting: true },
      { idx: 1, title: "Ember Quay", paragraph_text: "Ember Quay was founded by Joan Reed. ", is_supporting: true },
      { idx: 2, title: "Tin Fair", paragraph_text: "The Tin Fair is held in Low Quay.", is_supporting: false },
    ],
    question: "Who founded the town in which the Brass Fair is held?",
    question_decomposition: [
      { id: 1, question: "Brass Fair >> place", answer: "Ember Quay", paragraph_support_idx: 0 },
      { id: 2, question: "Who founded #1?", answer: "Joan Reed", paragraph_support_idx: 1 },
    ],
    answer: "Joan Reed",
    answer_aliases: ["Joan M. Reed", "Joan Reed"],
    answerable: true,
  },
  {
    id: "3hop1__made_up_2",
    paragraphs: [{ idx: 0, title: "Moth Hill", paragraph_text: "Moth Hill is 40 m high.", is_supporting: true }],
    question: "How high is the hill above the port that Lena Sund left?",
    question_decomposition: [
      { id: 1, question: "Lena Sund >> left", answer: "Port Ash", paragraph_support_idx: 0 },
      { id: 2, question: "#1 >> hill", answer: "Moth Hill", paragraph_support_idx: 0 },
      { id: 3, question: "#2 >> height", answer: "40 m", paragraph_support_idx: 0 },
    ],
    answer: "40 m",
    answer_aliases: [],
    answerable: true,
  },
];

export const musiqueFixture: Fixture = {
  files: { "musique_ans_v1.0_dev.jsonl": { text: ROWS.map((row) => `${JSON.stringify(row)}\n`).join("") } },
  expected: [
    {
      id: "2hop__made_up_1",
      context:
        "Brass Fair: The Brass Fair is held in Ember Quay.\n\nEmber Quay: Ember Quay was founded by Joan Reed.\n\nTin Fair: The Tin Fair is held in Low Quay.",
      question: "Who founded the town in which the Brass Fair is held?\n\nAnswer in as few words as possible.",
      answers: ["Joan Reed", "Joan M. Reed"],
      hops: 2,
    },
    {
      id: "3hop1__made_up_2",
      context: "Moth Hill: Moth Hill is 40 m high.",
      question: "How high is the hill above the port that Lena Sund left?\n\nAnswer in as few words as possible.",
      answers: ["40 m"],
      hops: 3,
    },
  ],
};
