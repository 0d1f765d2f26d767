import { AnswerQuality, defineConfig, FunctionSystem } from "assay";
import brief from "./brief.js";

// A module can name things, as YAML does, or contain the objects themselves.
export default defineConfig({
  title: "Handbook questions, last sentence",
  systems: [
    "passthrough",
    new FunctionSystem({ name: "last-sentence", fn: ({ context = "" }) => context.split(/(?<=\.) /).at(-1) ?? "" }),
  ],
  datasets: ["questions.jsonl"],
  evaluators: [new AnswerQuality(), brief],
  scoreField: "contains",
});
