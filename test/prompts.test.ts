import { describe, expect, it, onTestFinished } from "vitest";
import { runInPool } from "../src/testing/cli-pool.js";
import { type Mock, startMock } from "../src/testing/mock/index.js";
import { parseReport } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const FILES = {
  "topics.csv": "topic,tone,answer\ncats,dry,42\ndogs,warm,42\n",
  "prompts/plain.md": "Write about {{ topic }}.\n",
  "prompts/chat.json":
    '[{"role":"system","content":"Be {{tone}}."},{"role":"user","content":"Write about {{topic}}."}]',
};

async function startPromptMock(): Promise<Mock> {
  const mock = await startMock({ answers: [{ question: "Write about", answer: "42" }], keepBodies: true });
  onTestFinished(() => mock.close());
  return mock;
}

const sent = (mock: Mock) => mock.requests.map(({ body }) => (body as { messages: unknown }).messages);

const JSON_RUN = ["run", "--dataset", "topics.csv", "--output", "json", "--quiet"];

describe("--prompt", () => {
  it("measures each model with each prompt, on data without a question", async () => {
    const mock = await startPromptMock();
    const space = new TempProject(FILES);
    const models = ["--proxy", mock.url, "--model", "a", "--model", "b"];
    const args = [...JSON_RUN, ...models, "--prompt", "prompts/plain.md", "prompts/chat.json"];
    const { summary, rows } = parseReport(await runInPool(space.dir, args));
    const host = new URL(mock.url).host;
    expect(Object.keys(summary)).toEqual(["a+plain", "a+chat", "b+plain", "b+chat"].map((name) => `${host}/${name}`));
    expect(rows).toHaveLength(8);
    expect(rows.every(({ scores }) => scores.f1 === 1)).toBe(true);
    expect(sent(mock)).toContainEqual([{ role: "user", content: "Write about cats." }]);
    expect(sent(mock)).toContainEqual([
      { role: "system", content: "Be warm." },
      { role: "user", content: "Write about dogs." },
    ]);
  });

  it("takes prompts from the config, for all models or for one, and keeps given names", async () => {
    const mock = await startPromptMock();
    const config = {
      datasets: ["../topics.csv"],
      prompts: ["../prompts/*.*", { name: "loud", template: "WRITE ABOUT {{topic}}" }],
      models: [
        { model: "a", proxy: mock.url, name: "first" },
        { model: "a", proxy: mock.url, name: "second", prompts: [{ name: "x", file: "../prompts/plain.md" }] },
      ],
    };
    const space = new TempProject({ ...FILES, "sub/assay.config.yaml": JSON.stringify(config) });
    const said = await runInPool(space.dir, [
      "run",
      "--config",
      "sub/assay.config.yaml",
      "--output",
      "json",
      "--quiet",
    ]);
    const report = parseReport(said);
    expect(Object.keys(report.summary)).toEqual(["first+chat", "first+plain", "first+loud", "second"]);
    expect(sent(mock)).toContainEqual([{ role: "user", content: "WRITE ABOUT cats" }]);
  });

  it("caches by the content of the prompt, and grades a run again", async () => {
    const mock = await startPromptMock();
    const space = new TempProject(FILES);
    const args = [...JSON_RUN, "--proxy", mock.url, "--model", "a", "--cache-dir", "--prompt", "prompts/plain.md"];
    await runInPool(space.dir, args);
    await runInPool(space.dir, args);
    expect(mock.requests).toHaveLength(2);
    const graded = parseReport(await runInPool(space.dir, ["grade", "latest", "--output", "json", "--quiet"]));
    expect(graded.rows).toHaveLength(2);
    space.write("prompts/plain.md", "Write about {{topic}} again.");
    await runInPool(space.dir, args);
    expect(mock.requests).toHaveLength(4);
  });

  it("refuses before anything is sent", async () => {
    const mock = await startPromptMock();
    const space = new TempProject({
      ...FILES,
      "bad.md": "Hello\n{{topc}}",
      "some.jsonl": '{"topic":"a","extra":"x"}\n{"topic":"b"}\n',
      "extra.md": "{{extra}}",
      "other/plain.md": "{{topic}}",
    });
    const model = ["--proxy", mock.url, "--model", "a"];
    const refuse = async (args: readonly string[]) => {
      const { code, stderr } = await runInPool(space.dir, ["run", "--quiet", ...args]);
      expect(code).toBe(2);
      return stderr;
    };
    const topics = ["--dataset", "topics.csv"];
    expect(await refuse([...model, ...topics, "--prompt", "bad.md"])).toMatch(
      /bad\.md:2: {{topc}}.*Did you mean "topic"/,
    );
    expect(await refuse([...model, "--dataset", "some.jsonl", "--prompt", "extra.md"])).toContain("{{extra}} is not a");
    expect(await refuse([...model, ...topics, "--prompt", "none/*.md"])).toContain("No prompt file matches none/*.md");
    expect(await refuse([...model, ...topics, "--prompt", "{{topic}}"])).toContain("A prompt is a file");
    expect(await refuse([...topics, "--system", "passthrough", "--prompt", "bad.md"])).toContain("only for models");
    expect(await refuse([...model, ...topics, "--prompt", "prompts/plain.md", "prompts/plain.md"])).toContain(
      "The prompt prompts/plain.md is given twice",
    );
    expect(await refuse([...model, ...topics, "--prompt", "prompts/*.md", "./prompts/plain.md"])).toContain(
      "The prompt prompts/plain.md is given twice",
    );
    const clash = [...model, ...topics, "--dry-run", "--prompt", "prompts/plain.md", "other/plain.md"];
    expect((await runInPool(space.dir, ["run", ...clash])).stdout).toContain("+other/plain");
    expect(mock.requests).toHaveLength(0);
  });
});
