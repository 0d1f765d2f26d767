import { describe, expect, it } from "vitest";
import { TempProject } from "../temp-project.js";
import { readAnswers } from "./answer-file.js";
import { startMock } from "./index.js";

describe("readAnswers", () => {
  it("reads examples and skips those without a question or an answer", async () => {
    const rows = [
      { question: "a", answer: 4 },
      { question: "b", answers: ["x", "y"], context: "c" },
      { question: "c" },
      { answer: "d" },
    ];
    const project = new TempProject({ "a.jsonl": rows });
    expect(await readAnswers(project.path("a.jsonl"))).toEqual([
      { question: "a", answer: "4" },
      { question: "b", answer: "x", context: "c" },
    ]);
  });

  it("reads CSV, whatever the case of the columns", async () => {
    const project = new TempProject({ "a.csv": "Question,Answer\nCapital of France?,Paris\n" });
    expect(await readAnswers(project.path("a.csv"))).toEqual([{ question: "Capital of France?", answer: "Paris" }]);
  });

  it("explains what is wrong with a file", async () => {
    const project = new TempProject({
      "broken.jsonl": '{"question":"a","answer":"b"}\n{ broken',
      "other.jsonl": [{ prompt: "a" }],
    });
    const reading = (name: string) => readAnswers(project.path(name));
    await expect(reading("broken.jsonl")).rejects.toThrow(/broken\.jsonl:2: the row is not valid JSON/);
    await expect(reading("other.jsonl")).rejects.toThrow(/has no row with both a question and an answer/);
    await expect(reading("none.jsonl")).rejects.toThrow(/File not found: .*none\.jsonl/);
    await expect(reading("none.txt")).rejects.toThrow(/none\.txt/);
  });
});

it("a mock answers from a file, also one that a single model names", async () => {
  const project = new TempProject({
    "a.csv": "question,answer\nCapital of France?,Paris\n",
    "b.jsonl": [{ question: "Capital of France?", answer: "Lyon" }],
  });
  const models = { wrong: { answers: project.path("b.jsonl") } };
  const mock = await startMock({ answers: project.path("a.csv"), models });
  const ask = async (model: string) => {
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "Capital of France?" }] });
    const response = await fetch(`${mock.url}/v1/chat/completions`, { method: "POST", body });
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
    return choices[0]?.message.content;
  };
  expect([await ask("right"), await ask("wrong")]).toEqual(["Paris", "Lyon"]);
  await mock.close();
});
