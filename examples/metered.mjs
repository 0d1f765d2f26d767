// Meters a system that reports no usage: its calls go through a gateway, which stops it at the budget.
import { fileURLToPath } from "node:url";
import { evaluate, loadDataset } from "assay";
import { startGateway } from "assay/models";
import { startMock } from "assay/testing";

const questions = fileURLToPath(new URL("questions.jsonl", import.meta.url));
const mock = await startMock({ answers: questions, outputTokens: 200 });
const gateway = await startGateway({ budget: { maxCostUsd: 0.01 }, upstreams: { openai: `${mock.url}/v1` } });

const closedBook = {
  name: "closed-book",
  async process({ question }, { signal }) {
    const answer = await fetch(`${gateway.env.OPENAI_BASE_URL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-6-sol", messages: [{ role: "user", content: question }] }),
      signal,
    });
    const { choices, error } = await answer.json();
    if (!answer.ok) throw new Error(error.message);
    return { response: choices[0].message.content };
  },
};

try {
  const result = await evaluate({
    systems: [closedBook],
    dataset: await loadDataset(questions),
    scoreField: "contains",
    maxWorkers: 1,
  });
  const { requests, answered, refused, totalUsd, exceeded } = gateway.receipt();
  console.log(result.rows.map(({ exampleId, outcome }) => `${exampleId} ${outcome}`).join("\n"));
  console.log({ requests, answered, refused, totalUsd, exceeded });
} finally {
  await gateway.close();
  await mock.close();
}
