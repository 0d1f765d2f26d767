import type { Fixture } from "../fixture.js";

const QUESTION =
  "Summarise this part of a city council's meeting in one to three sentences. Answer with the summary alone.";

const ROWS = [
  {
    summary: "A RESOLUTION about benches; asking that two more be set up at the pond.",
    uid: "HarbourCityCouncil_01022020_Res 12",
    id: 0,
    transcript: "Agenda item four. Two benches more at the pond. Those in favour say aye. Aye.",
  },
  {
    summary: "An ORDINANCE about dogs.",
    uid: "HarbourCityCouncil_01022020_CB 7",
    id: 1,
    transcript: "Item five is dogs. Please read the title.",
  },
  { summary: "", uid: "HarbourCityCouncil_01022020_CB 8", id: 2, transcript: "Item six is cats." },
  { summary: "A RESOLUTION about gulls.", uid: "HarbourCityCouncil_01022020_CB 9", id: 3, transcript: " \n" },
];

/** Made-up rows; those without a summary or a transcript give no example. */
export const meetingbankFixture: Fixture = {
  files: { "test.json": { text: ROWS.map((row) => `${JSON.stringify(row)}\n`).join("") } },
  expected: [
    {
      id: "HarbourCityCouncil_01022020_Res 12",
      context: "Agenda item four. Two benches more at the pond. Those in favour say aye. Aye.",
      question: QUESTION,
      answer: "A RESOLUTION about benches; asking that two more be set up at the pond.",
    },
    {
      id: "HarbourCityCouncil_01022020_CB 7",
      context: "Item five is dogs. Please read the title.",
      question: QUESTION,
      answer: "An ORDINANCE about dogs.",
    },
  ],
};
