import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ModelSystem } from "../model.js";
import { Prompt } from "./prompt.js";
import { PromptError } from "./prompt-error.js";
import { readPrompt } from "./read-prompt.js";

const dir = mkdtempSync(join(tmpdir(), "assay-prompt-"));
afterAll(() => rmSync(dir, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}

const ask = (template: string, columns: Record<string, unknown> = {}) =>
  new Prompt({ name: "p", template }).render({ id: 1, ...columns })[0]?.parts[0];

describe("Prompt", () => {
  it("inserts columns, with spaces, with dots, and as JSON", () => {
    expect(ask("{{question}}|{{ tone }}|{{Customer Name}}", { question: "q", tone: "", "Customer Name": "Ann" })).toBe(
      "q||Ann",
    );
    expect(ask("{{a.b}} {{items.1}} {{x.y}}", { a: { b: 2 }, items: ["m", "n"], "x.y": "own" })).toBe("2 n own");
    expect(ask("{{list}} {{map}} {{no}}", { list: [1, "a"], map: { k: null }, no: false })).toBe(
      '[1,"a"] {"k":null} false',
    );
  });

  it("does not read inserted text again, and keeps escaped braces", () => {
    expect(ask("{{question}}", { question: "{{answer}} $& \\{{" })).toBe("{{answer}} $& \\{{");
    expect(ask('\\{{name}} and {"a": {"b": 1}} and \\{% if %}')).toBe('{{name}} and {"a": {"b": 1}} and {% if %}');
  });

  it.each([
    ["line 1\n{{topc}}", /line 2: {{topc}} is not a column of the example 1\. Did you mean "topic"\? Known: id, topic/],
    ["{{ topic | upper }}", /Filters and expressions are not supported/],
    ["{{topic.name}}", /{{topic\.name}} is not a column/],
    ["{{empty}}", /{{empty}} is not a column/],
    ["{{toString}}", /{{toString}} is not a column/],
  ])("names the column that %j lacks", (template, message) => {
    const prompt = new Prompt({ name: "p", template });
    expect(() => prompt.render({ id: 1, topic: "t", empty: null })).toThrow(message);
    expect(() => prompt.render({ id: 1, topic: "t", empty: null })).toThrow(PromptError);
  });

  it.each([
    ["a\nb {{open", /line 2: "{{" is never closed/],
    ["{{ }}", /names no column/],
    ["{% for x in y %}", /{% for %} is not supported/],
    ["  \n", /the prompt is empty/],
  ])("rejects the template %j when it is made", (template, message) => {
    expect(() => new Prompt({ name: "p", template })).toThrow(message);
  });

  it("takes several messages, and says which one is wrong", () => {
    const chat = [
      { role: "system", content: "Be {{tone}}." },
      { role: "user", content: "{{question}}" },
    ];
    expect(new Prompt({ name: "p", template: chat }).render({ id: 1, tone: "dry", question: "q" })).toEqual([
      { role: "system", parts: ["Be dry."] },
      { role: "user", parts: ["q"] },
    ]);
    expect(() => new Prompt({ name: "p", template: [...chat, { role: "tool", content: "x" }] })).toThrow(
      /message 3, line 1: the role must be system, user or assistant, but is the string "tool"/,
    );
    expect(() => new Prompt({ name: "p", template: [{ role: "user", content: [] as never }] })).toThrow(/must be text/);
    expect(() => new Prompt({ name: "p", template: [] })).toThrow(/a list of { role, content }/);
  });

  it("refuses to leave out the turns of a conversation", () => {
    const example = { id: "c", question: "q", turns: [{ role: "user", content: "hi" }] };
    expect(() => new Prompt({ name: "p", template: "{{question}}" }).render(example)).toThrow(/would leave out/);
    expect(new Prompt({ name: "p", template: "{{turns}}" }).render(example)[0]?.parts[0]).toContain('"hi"');
  });
});

describe("readPrompt", () => {
  it("reads text and chats, names them after their file, and counts lines", async () => {
    const text = await readPrompt(write("short.md", "\uFEFFSay\r\n{{question}}\r\n\r\n"));
    expect([text.name, text.render({ id: 1, question: "q" })]).toEqual([
      "short",
      [{ role: "user", parts: ["Say\nq"] }],
    ]);
    const json = await readPrompt(
      write("chat.json", '[\n\t{"role": "developer", "content": "s"},\n\t{"role": "user", "content": "{{x}}"}\n]'),
    );
    expect(json.render({ id: 1, x: 2 }).map(({ role }) => role)).toEqual(["system", "user"]);
    expect(() => json.render({ id: 1 })).toThrow(/chat\.json:3: {{x}}/);
    const yaml = await readPrompt(write("chat.yaml", "- role: user\n  content: |\n    {{x}}\n"), { name: "mine" });
    expect(yaml.name).toBe("mine");
    await expect(async () => (await readPrompt(write("bad.txt", "1\n2\n{{x}}"))).render({ id: 1 })).rejects.toThrow(
      /bad\.txt:3: {{x}}/,
    );
  });

  it("explains files that are no prompts", async () => {
    mkdirSync(join(dir, "folder"));
    await expect(readPrompt(join(dir, "none.md"))).rejects.toThrow(/There is no prompt file .*none\.md/);
    await expect(readPrompt(join(dir, "folder"))).rejects.toThrow(/is a folder/);
    await expect(readPrompt(write("image.md", "a\0b"))).rejects.toThrow(/not a text file/);
    await expect(readPrompt(write("broken.json", '[{"role":'))).rejects.toThrow(/broken\.json:1: /);
    await expect(readPrompt(write("map.yaml", "role: user"))).rejects.toThrow(/must be a list of { role, content }/);
  });
});

describe("ModelSystem with a prompt", () => {
  const options = { baseUrl: "http://127.0.0.1:1", model: "m" };

  it("is named and identified by its prompt", () => {
    const make = (template: string) => new ModelSystem({ ...options, prompt: new Prompt({ name: "short", template }) });
    const one = make("{{question}}");
    expect([one.name, one.prompt]).toEqual(["127.0.0.1:1/m+short", "short"]);
    expect(one.fingerprint()).not.toEqual(make("{{question}}!").fingerprint());
    expect(one.fingerprint()).toEqual(make("{{question}}").fingerprint());
    expect(one.listInputTexts?.({ id: 1, question: "q" })).toEqual(["q"]);
    expect(() => one.checkExample({ id: 1, topic: "t" })).toThrow(PromptError);
  });

  it("accepts only one of prompt and buildMessages", () => {
    const prompt = new Prompt({ name: "p", template: "x" });
    expect(() => new ModelSystem({ ...options, prompt, buildMessages: () => [] })).toThrow(/Remove one of them/);
  });
});
