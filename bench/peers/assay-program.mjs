// The trivial work through Assay's library; started by the bench, as the programs of its peers are.
import { evaluate } from "../../dist/lib/index.js";
import { answer, exact, examples, overlap, printOutcome, workers } from "./task.mjs";

const { rows } = await evaluate({
  systems: [{ name: "echo", process: async ({ question }) => ({ response: await answer(question) }) }],
  dataset: examples(),
  evaluators: [
    { name: "exact", score: (example, output) => ({ exact: exact(output.response, example.answer) }) },
    { name: "overlap", score: (example, output) => ({ overlap: overlap(output.response, example.answer) }) },
  ],
  scoreField: "exact",
  maxWorkers: workers,
});
printOutcome(rows.map(({ scores }) => scores.exact));
