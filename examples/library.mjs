import { fileURLToPath } from "node:url";
import { AnswerQuality, evaluate, extract, loadDataset, passthrough, truncate } from "assay";

const file = fileURLToPath(new URL("questions.jsonl", import.meta.url));
const result = await evaluate({
  title: "Which compressor keeps the handbook's answers?",
  systems: [passthrough(), truncate({ share: 0.5 }), extract({ share: 0.5 })],
  dataset: await loadDataset(file),
  evaluators: [new AnswerQuality()],
});

console.log(result.toTable({ columns: ["quality", "tokens"] }));
for (const [system, { pass_rate, pareto_rank }] of Object.entries(result.summary))
  console.log(`${system}: ${pass_rate} of the answers kept, Pareto rank ${pareto_rank}`);

// Which answers were lost? Rows are plain objects; filter() also takes a predicate.
const lost = result.filter({ outcome: "fail" });
console.log(lost.rows.map((row) => `${row.system} lost ${row.exampleId}`).join("\n"));
