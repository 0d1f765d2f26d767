// Scores recorded outputs with a simulated judge, then measures how far the judge agrees with people.
import { fileURLToPath } from "node:url";
import { evaluate, LLMJudge, loadDataset, loadFile, ReplaySystem } from "assay";
import { calibrateJudge, listFindings } from "assay/graders";
import { bundledPrice } from "assay/models";
import { startMock } from "assay/testing";

const beside = (name) => fileURLToPath(new URL(name, import.meta.url));
const verdict = (value) => `{"reasoning": "As I see it.", "cannot_judge": false, "verdict": "${value}"}`;
const mock = await startMock({
  reply: [
    // Biased: every long answer passes.
    { match: "/<answer-[0-9a-f]+>\\n.{60}/", reply: verdict("pass") },
    {
      match: "/<reference-([0-9a-f]+)>\\n(.+)\\n<\\/reference-\\1>[\\s\\S]*<answer-\\1>\\n.*\\2/i",
      reply: verdict("pass"),
    },
    { match: "/./", reply: verdict("fail") },
  ],
});
const price = await bundledPrice({ model: "gpt-6-luna" });
const model = { model: "gpt-6-luna", baseUrl: mock.url, limits: { price, maxCostUsd: null, hardTimeoutMs: null } };
const judge = new LLMJudge({ model });

try {
  const result = await evaluate({
    systems: [await ReplaySystem.fromFile(beside("outputs.jsonl"))],
    dataset: await loadDataset(beside("questions.jsonl")),
    evaluators: [judge],
  });
  console.log(result.toTable({ columns: ["quality"] }));
  console.log(`judging cost $${result.summary.outputs.judge_cost_usd.toFixed(6)}\n`);

  const { examples: labels } = await loadFile(beside("labels.jsonl"));
  for (const { figure, words } of listFindings(await calibrateJudge({ judge, labels })))
    console.log(`${figure}: ${words}`);
} finally {
  await judge.close();
  await mock.close();
}
