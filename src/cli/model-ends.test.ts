import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXAMPLE_MODELS, getExampleModelName } from "../core/index.js";
import { findCapabilities } from "../models/index.js";
import { TempProject } from "../testing/temp-project.js";
import { findPackageFile } from "../utils/index.js";
import { findEndingModels } from "./model-ends.js";

const NOW = new Date("2026-11-18");
const find = (files: Record<string, string>, now = NOW) => findEndingModels({ dir: new TempProject(files).dir, now });

describe("findEndingModels", () => {
  it("finds them in the models file by what its entries call, with the line of each", async () => {
    const models = `models:
  old: { provider: anthropic, api_name: claude-sonnet-4-5 }
  gpt-5: { provider: openai }
  elsewhere: { provider: bedrock, api_name: claude-sonnet-4-5, base_url: "https://bedrock.example/v1" }
  own: { api_name: gpt-5, base_url: "http://127.0.0.1:8080/v1" }
  new: { provider: openai, api_name: gpt-6-luna }
`;
    expect(await find({ "models.yml": models })).toEqual([
      {
        place: "models.yml:2",
        model: "claude-sonnet-4-5",
        text: "ends on 2026-11-30, in 12 days; its maker recommends claude-sonnet-5-5",
      },
      { place: "models.yml:3", model: "gpt-5", text: expect.stringMatching(/^ends on 2026-12-11, in 23 days/) },
    ]);
  });

  it.each([
    ["assay.config.yaml", "models: [openai/gpt-5, small]\nagents: [codex:gpt-5]\n", [1, 2]],
    ["assay.config.yml", "agents:\n  - qwen:openai/gpt-5\n  - copilot:gpt-5\n  - aider:gpt-5\n", [2, 3, 4]],
    ["evals/support.eval.ts", 'throw new Error("was run");\nexport const model = "openai/gpt-5";\n', [2]],
    ["evals/a/experiment.yaml", "eval: eval.yaml\nmatrix:\n  /defaults/model: [gpt-6-luna, gpt-5]\n", [3]],
    [
      "assay.config.ts",
      '// openai/gpt-5\nthrow new Error("was run");\nexport default { models: ["openai/gpt-5"] };\n',
      [3],
    ],
    ["evals/a/eval.yaml", "# gpt-5\ndefaults: { model: [gpt-5], judge_model: openai/gpt-5 }\n", [2]],
  ])("finds them in %s without running it", async (file, text, lines) => {
    const found = await find({ [file]: text });
    expect(found.map(({ place }) => place)).toEqual(lines.map((line) => `${file}:${line}`));
  });

  it("names the line of the entry, not one that contains its name", async () => {
    const models =
      "models:\n  older: { provider: ollama }\n  # old: x\n  'old': { provider: openai, api_name: gpt-5 }\n";
    expect(await find({ "models.yml": models })).toMatchObject([{ place: "models.yml:4" }]);
    const inline = "{ models: { other: { provider: ollama }, old: { provider: openai, api_name: gpt-5 } } }\n";
    expect(await find({ "models.yml": inline })).toMatchObject([{ place: "models.yml:1" }]);
  });

  it("says that a model has ended, and is silent long before", async () => {
    const files = { "assay.config.yaml": "models: [openai/o4-mini]" };
    expect(await find(files)).toMatchObject([{ text: "ended on 2026-10-23; its maker recommends gpt-5.6-terra" }]);
    expect(await find(files, new Date("2026-01-01"))).toEqual([]);
  });

  it("finds nothing in a folder without files, or with wrong ones", async () => {
    expect(await find({})).toEqual([]);
    expect(await find({ "models.yml": "a: 5", "x/eval.yaml": ": :" })).toEqual([]);
  });

  it("warns of Assay's own example models when they age", async () => {
    const model = getExampleModelName("openai");
    expect(findCapabilities({ model })?.ends).toBeNull();
    expect(Object.values(EXAMPLE_MODELS).map((name) => findCapabilities({ model: name }))).not.toContain(null);
  });
});

/** Names of models in a text: those of our examples, and what looks like them. */
const MODEL_NAME =
  /(?<![\w.])(?:gpt-\d[\w.]*|o[134]|claude-(?:opus|sonnet|haiku|fable|\d)|gemini-\d[\w.]*)(?:-[\w.]*\w)*(?![\w])/g;

/** Names that explain how names are read, or that are names of one's own. */
const EXPLAINED = new Set([
  "gpt-5",
  "o1",
  "gpt-6-sol-fast",
  "gpt-4",
  "gpt-4o",
  "gpt-5.4",
  "gpt-5.4-2026-03-05",
  "gpt-6-2026-11-01",
  "gpt-6-2026-11-09",
]);

/** Not shown to users, or not as examples of models to use. */
const OTHER_CODE =
  /\.(?:test|fixture)\.ts$|(?:^|\/)(?:testing|fixtures)\/|-testing\.ts$|(?:spec-samples|eval-cases)\.ts$|models\/(?:capability-table|files\/image-tokens)\.ts|cli\/demo-agents\.ts$/;

const root = findPackageFile(".");

function listFiles(dir: string, ending: RegExp): string[] {
  return readdirSync(new URL(`${dir}/`, root), { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return listFiles(path, ending);
    return ending.test(entry.name) ? [path] : [];
  });
}

const readText = (path: string) => readFileSync(new URL(path, root), "utf8");

/** Lines that users see: help, messages and templates. */
const listCode = (text: string) => text.split("\n").filter((line) => !/^\s*(?:\*|\/\*|\/\/)/.test(line));

/** Names in a text of models that are not known, or that end within 90 days of the date of the table. */
function findAgingNames(text: string): string[] {
  return [...new Set(text.match(MODEL_NAME))].filter((model) => {
    const known = findCapabilities({ model });
    if (EXPLAINED.has(model)) return false;
    return known === null || (known.ends !== null && Date.parse(known.ends.date) - Date.parse(known.asOf) < 90 * 864e5);
  });
}

/** The names of the constant; docs also have their snapshots. */
const EXAMPLE_NAMES = Object.values(EXAMPLE_MODELS).map((name) => name.replace(/^.*\//, ""));

/** Names in a text that would stay when the constant is changed. */
function findOtherNames(text: string): string[] {
  const isExample = (name: string) => EXAMPLE_NAMES.some((known) => name === known || name.startsWith(`${known}-0`));
  return [...new Set(text.match(MODEL_NAME))].filter((name) => !EXPLAINED.has(name) && !isExample(name));
}

it.each(["README.md", "llms.txt", ...listFiles("docs", /\.md$/), ...listFiles("examples", /\.(?:md|mjs|ts|ya?ml)$/)])(
  "%s names only the example models, which are known and do not end soon",
  (path) => {
    expect(findOtherNames(readText(path))).toEqual([]);
    expect(findAgingNames(readText(path))).toEqual([]);
  },
);

const SOURCES = listFiles("src", /\.ts$/).filter((path) => !OTHER_CODE.test(path));

it("the help, messages and templates take their models from one constant", () => {
  expect(SOURCES.length).toBeGreaterThan(300);
  const named = SOURCES.filter((path) => listCode(readText(path)).join("\n").match(MODEL_NAME) !== null);
  expect(named).toEqual(["src/core/example-models.ts"]);
});

it("doc comments name only models that are known and do not end soon", () => {
  expect(SOURCES.flatMap((path) => findAgingNames(readText(path)).map((name) => `${path}: ${name}`))).toEqual([]);
});
