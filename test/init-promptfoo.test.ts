import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { runInPool } from "../src/testing/cli-pool.js";
import { startMock } from "../src/testing/mock/index.js";
import { parseReport, startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const CONFIG = `description: Greetings
prompts:
  - "Say {{word}}"
  - file://prompts/two.txt
  - "{% if x %}logic{% endif %}"
providers:
  - id: openai:chat:gpt-4o-mini
    label: small
    config: { apiBaseUrl: URL, temperature: 0, max_tokens: 50, apiKey: sk-very-secret-value, tools: [] }
  - exec:python provider.py
defaultTest:
  assert:
    - type: not-contains
      value: sorry
tests:
  - vars: { word: [hello, hi] }
    assert:
      - { type: contains, value: "{{word}}" }
      - { type: python, value: "len(output) < 100" }
  - description: numbers
    vars: { word: forty-two }
    threshold: 0.5
    assert:
      - { type: equals, value: 42, weight: 3 }
      - { type: javascript, value: "const n = Number(output); n === 42" }
      - { type: javascript, value: "file://checks/length.cjs" }
      - { type: is-xml }
  - file://more.csv
  - file://../outside.yaml
scenarios: []
`;

const FILES = {
  "prompts/two.txt": "Please say {{word}}\n---\nNow say {{ word }}",
  "checks/length.cjs":
    "module.exports = (output, { vars }) => ({ pass: output.length < 20, score: 0.5, reason: vars.word });",
  "more.csv": 'word,__expected,__expected2\njson,"is-json","contains-json"\nwrong,nothing like it,\n',
};

async function convert(config: string, files: Record<string, string> = FILES, args: readonly string[] = []) {
  const space = new TempProject({ ...files, "promptfooconfig.yaml": config });
  const said = await runInPool(space.dir, ["init", "out", "--from", "promptfooconfig.yaml", ...args]);
  return { space, said };
}

describe("assay init --from promptfooconfig.yaml", () => {
  it("writes a project that runs with the same verdicts, and lists what it leaves out", async () => {
    const answers = [
      { question: "hello", answer: "hello there" },
      { question: "Say hi", answer: "no greeting" },
      { question: "forty-two", answer: "42" },
      { question: "json", answer: '{"a": 1}' },
      { question: "wrong", answer: "something" },
    ];
    const mock = await startMock({ answers, keepBodies: true });
    onTestFinished(() => mock.close());
    const { space, said } = await convert(CONFIG.replace("URL", `${mock.url}/v1`));
    expect(said.code).toBe(0);
    for (const line of [
      'promptfooconfig.yaml:5: the prompt "if-x-logic-endif" is not taken over: line 1: {% if %} is not supported',
      "promptfooconfig.yaml:9: apiKey is not copied, because it is a secret",
      "promptfooconfig.yaml:9: tools is not taken over",
      "promptfooconfig.yaml:10: the provider exec:python provider.py is not taken over",
      "promptfooconfig.yaml:27: the assert is-xml is not taken over",
      "promptfooconfig.yaml:29: these tests are not taken over: ../outside.yaml is outside the folder of the config",
      "promptfooconfig.yaml:30: scenarios is not taken over",
    ])
      expect(said.stderr).toContain(line);
    expect(said.stderr).toContain("Taken over: 3 prompts, 1 model, 5 tests");
    const config = space.read("out/assay.config.yaml");
    expect(config).toContain("#   promptfooconfig.yaml:30: scenarios is not taken over");
    expect(config + space.read("out/tests.jsonl")).not.toContain("sk-very-secret");

    const out = join(space.dir, "out");
    expect((await runInPool(out, ["run", "--dry-run"])).stdout).toContain("3 systems × 5 examples");
    const report = parseReport(await runInPool(out, ["run", "--output", "json", "--quiet"]));
    expect(Object.keys(report.summary)).toEqual(["small+say", "small+two", "small+two-2"]);
    const verdicts = report.rows
      .filter(({ system }) => system === "small+say")
      .map(({ exampleId, scores }) => [exampleId, scores.verdict]);
    expect(Object.fromEntries(verdicts)).toEqual({ "test-1": 1, "test-2": 0, "test-3": 1, "test-4": 1, "test-5": 0 });
    const numbers = report.rows.find(({ exampleId }) => exampleId === "test-3");
    expect(numbers?.scores).toMatchObject({ equals: 1, javascript: 1, "javascript-2": 0.5 });
    expect(mock.requests[0]?.body).toMatchObject({ model: "gpt-4o-mini", temperature: 0 });
  });

  it("keeps the options of a test, and inserts values that name other values", async () => {
    const { space, said } = await convert(`prompts: ["{{text}} {{list}}"]
providers: [openai:gpt-5-mini, "exec:python a.py", "webhook:http://localhost/x"]
defaultTest: { assert: [{ type: contains, value: default }] }
tests:
  - vars: { text: "Hello {{name}}, {{ list }}", name: "{{title}} Ann", title: Dr., list: [1, 2] }
    options: { disableVarExpansion: true, disableDefaultAsserts: true }
    assert:
      - { type: equals, value: "{{text}}" }
      - { type: assert-set, assert: [{ type: contains, value: x }, { type: contains, value: y, weight: 0 }] }
  - vars: { text: "{{text}}", list: "{{ name | upper }}" }
`);
    const rows = space.read("out/tests.jsonl").trimEnd().split("\n");
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([
      {
        text: "Hello Dr. Ann, [1,2]",
        list: [1, 2],
        graders: [
          { type: "output-matches", config: { pattern: "^Hello Dr\\. Ann, \\[1,2\\]$" } },
          { type: "all-of", config: { graders: [{ config: { substring: "x" } }] } },
        ],
      },
      { graders: [{ type: "output-contains", config: { substring: "default" } }] },
    ]);
    expect(said.stderr).toContain("promptfooconfig.yaml:10: the template in the value of text is not taken over");
    expect(said.stderr).toContain("systems: [{ name: NAME, command: COMMAND }]");
    expect(said.stderr).toContain("systems: [{ name: NAME, url: URL }]");
  });

  it("writes a project that passes a dry run even if nothing can be taken over", async () => {
    const config = "prompts: [file://p.py]\nproviders: [file://x.js]\ntests: file://t.py:make\nstrange: 1\n";
    const { space, said } = await convert(config, {});
    expect(said.stderr).toContain("promptfooconfig.yaml:4: strange is not taken over: it is unknown here");
    expect(said.stderr).toContain("Taken over: 0 prompts, 0 models, 0 tests");
    expect((await runInPool(join(space.dir, "out"), ["run", "--dry-run"])).code).toBe(0);
  });

  it.each([
    ["prompts: [\n", /promptfooconfig\.yaml:\d: /],
    ["- 1\n", /is not a promptfoo config: it is not a map/],
    ["models: [a]\n", /neither prompts, providers nor tests/],
  ])("refuses %j", async (config, message) => {
    const { said } = await convert(config, {});
    expect(said.code).toBe(2);
    expect(said.stderr).toMatch(message);
    expect(said.stderr).not.toContain("    at ");
  });

  it("overwrites nothing, writes through no link, and reads outside only if trusted", async () => {
    const config = "prompts: [file://../secret.txt]\nproviders: [openai:gpt-5]\ntests: [{ vars: { q: 1 } }]\n";
    const space = new TempProject({ "secret.txt": "{{q}}", "sub/promptfooconfig.yaml": config });
    const dir = join(space.dir, "sub");
    const from = ["--from", "promptfooconfig.yaml"];
    const said = await runInPool(dir, ["init", "out", ...from]);
    expect(said.stderr).toContain("../secret.txt is outside the folder of the config");
    expect((await runInPool(dir, ["init", "out", ...from])).stderr).toContain("Choose another folder");
    const trusted = await runInPool(dir, ["init", "other", "--trust", ...from]);
    expect(trusted.stderr).toContain("Taken over: 1 prompt");
    const outside = new TempProject({});
    space.write("sub/linked/x", "");
    symlinkSync(outside.dir, join(dir, "linked/prompts"));
    expect((await runInPool(dir, ["init", "linked", "--trust", ...from])).stderr).toContain("leads out of");
    expect((await runInPool(dir, ["init", "x", "--from", "none.yaml"])).stderr).toContain("There is no file none.yaml");
  });
});

describe("asserts that call a model", () => {
  /** Embeds a text as the number of its letters a and b, so that equal texts are equal. */
  async function startEmbeddings(): Promise<string> {
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const { input } = JSON.parse(await text(request)) as { input: string[] };
      const count = (word: string, letter: string) => word.split(letter).length;
      const data = input.map((word) => ({ embedding: [count(word, "a"), count(word, "b")] }));
      response.setHeader("content-type", "application/json").end(JSON.stringify({ data, usage: { prompt_tokens: 2 } }));
    };
    const server = createServer((request, response) => void answer(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("decide as in promptfoo: llm-rubric by a judge, similar by an embedding model", async () => {
    const { space, said } = await convert(
      `prompts: ["Say {{word}}"]
providers: [openai:chat:gpt-4o-mini]
tests:
  - vars: { word: aaaa }
    assert:
      - { type: similar, value: aaaa, threshold: 0.9, provider: "openai:embedding:small" }
      - { type: llm-rubric, value: It is polite., provider: "openai:chat:judge" }
  - vars: { word: bbbb }
    assert: [{ type: similar, value: aaaa, threshold: 0.9, provider: "openai:embedding:small" }]
  - vars: { word: rude }
    assert: [{ type: llm-rubric, value: It is polite., provider: "openai:chat:judge" }]
`,
      {},
    );
    expect(said).toMatchObject({ code: 0, stderr: expect.stringContaining("3 tests with 4 graders") });
    const verdict = (value: string) => `{"reasoning": "So.", "cannot_judge": false, "verdict": "${value}"}`;
    const judge = {
      reply: [
        { match: "rude", reply: verdict("fail") },
        { match: "/./", reply: verdict("pass") },
      ],
    };
    const answers = ["aaaa", "bbbb", "rude"].map((word) => ({ match: `Say ${word}`, reply: word }));
    space.write("out/mock.json", JSON.stringify({ reply: answers, models: { judge } }));
    const env = { OPENAI_BASE_URL: await startEmbeddings() };
    const running = startAssay(space.path("out"), ["run", "--mock", "mock.json", "--output", "json", "--quiet"], env);
    const { rows } = parseReport(await running.finished);
    expect(rows.map(({ outcome }) => outcome)).toEqual(["pass", "fail", "fail"]);
  });
});
