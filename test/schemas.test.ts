import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv, type ValidateFunction } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const ROOT = new URL("..", import.meta.url);
const KINDS = ["config", "eval", "experiment", "mock", "models"] as const;
type Kind = (typeof KINDS)[number];
type Node = Readonly<Record<string, unknown>>;

function read(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}

function readSchema(kind: Kind): Node {
  return JSON.parse(read(`schemas/${kind}.schema.json`)) as Node;
}

const validators = Object.fromEntries(
  KINDS.map((kind) => [kind, new Ajv({ strict: false, allErrors: true }).compile(readSchema(kind))]),
) as Record<Kind, ValidateFunction>;

function findErrors(kind: Kind, text: string) {
  validators[kind](parse(text, { merge: true }));
  return validators[kind].errors ?? [];
}

/** A YAML file of the examples, or a documentation block with a file name or schema. */
interface YamlFile {
  readonly place: string;
  readonly kind: Kind | undefined;
  readonly text: string;
}

function listExamples(): YamlFile[] {
  return readdirSync(new URL("examples", ROOT), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ya?ml$/.test(file))
    .map((file) => {
      const text = read(`examples/${file}`);
      return { place: `examples/${file}`, kind: findKind(basename(file), text, ""), text };
    });
}

function listBlocks(): YamlFile[] {
  const pages = [
    "README.md",
    "llms.txt",
    ...readdirSync(new URL("docs", ROOT), { recursive: true }).map((page) => `docs/${String(page)}`),
  ];
  return pages
    .filter((page) => /\.(md|txt)$/.test(page))
    .flatMap((page) => {
      const whole = read(page);
      return [...whole.matchAll(/^```yaml (\S+)\n(.*?)^```/gms)]
        .map(([, name = "", text = ""]) => ({ place: `${page} ${name}`, kind: findKind(name, text, whole), text }))
        .filter(({ place, kind }) => !place.endsWith("no-run") || kind !== undefined);
    });
}

const KIND_BY_FLAG: Readonly<Record<string, Kind>> = {
  config: "config",
  mock: "mock",
  script: "mock",
  models: "models",
  prices: "models",
};

/** The kind of a file: by its schema comment, its name, or the flag of a command that takes it. */
function findKind(name: string, text: string, page: string): Kind | undefined {
  const [, named] = /yaml-language-server: \$schema=\S*?(\w+)\.schema\.json/.exec(text) ?? [];
  if (named !== undefined) return named as Kind;
  if (/(?:^|\.)eval\.ya?ml$/.test(name)) return "eval";
  if (/^(?:models|mock|experiment)\.ya?ml$/.test(name)) return name.replace(/\..*/, "") as Kind;
  if (/\.config\.ya?ml$/.test(name)) return "config";
  const [, flag = ""] = new RegExp(`--(\\w+) ${name.replaceAll(".", "\\.")}`).exec(page) ?? [];
  return KIND_BY_FLAG[flag];
}

describe("editor schemas", () => {
  it("match the readers: run npm run schema", () => {
    const script = fileURLToPath(new URL("scripts/schemas.mjs", ROOT));
    const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it.each(KINDS)("describe every key: %s", (kind) => {
    expect(findUndescribed(readSchema(kind), "")).toEqual([]);
  });

  const files = [...listExamples(), ...listBlocks()];

  it("know examples of every kind", () => {
    expect(files.filter(({ kind }) => kind === undefined).map(({ place }) => place)).toEqual([]);
    expect([...new Set(files.map(({ kind }) => kind))].sort()).toEqual([...KINDS]);
  });

  it.each(files)("accept $place", ({ kind, text }) => {
    expect(kind === undefined ? [] : findErrors(kind, text)).toEqual([]);
  });

  it.each<[Kind, string]>([
    ["config", "system: [passthrough]"],
    ["config", "trials: many"],
    ["config", "trials: 0"],
    ["config", "systems: [{ name: x }]"],
    ["config", "judge: { scale: binary }"],
    ["config", "models: [{ modle: gpt-5 }]"],
    ["config", "namedDatasets: { faq: { files: faq.csv } }"],
    ["config", "evals: { path: [evals] }"],
    ["eval", "nmae: a"],
    ["eval", "defaults: { runs: many }"],
    ["experiment", "name: a\neval: eval.yaml\nmatrix: { /defaults/model: [a, b] }\nrun: 3"],
    ["experiment", "name: a\neval: eval.yaml\nmatrix: { /defaults/model: a }"],
    ["experiment", "name: a\neval: eval.yaml\nvariants: { a: {}, b: { /skill: null } }"],
    ["experiment", "name: a\neval: 3\nmatrix: { /defaults/model: [a, b] }"],
    ["mock", "replies: echo"],
    ["mock", "latencyMs: slow"],
    ["mock", "models: { cheap: { successRat: 1 } }"],
    ["mock", "tools: [{ match: a, step: [] }]"],
    ["models", "models: { gpt-5: { provder: openai } }"],
    ["models", "gpt-5: { provder: openai }"],
    ["models", "models: { gpt-5: { budgets: { max_cost_usd: much } } }"],
    ["models", "models: { gpt-5: { pricing: { input_per_1k: 1 } } }"],
    ["models", "model: { gpt-5: { provider: openai } }\ndefault: gpt-5"],
    ["models", "models: { gpt-5: { agent_cli: claud } }"],
    ["models", "models: { provider: openai }"],
    ["models", "default: gpt-5"],
  ])("reject, in %s, %j", (kind, text) => {
    expect(findErrors(kind, text)).not.toEqual([]);
  });
});

/** Keys without a description for editors. Settings of graders are in a table of docs/reference/graders.md. */
function findUndescribed(node: unknown, path: string): string[] {
  if (typeof node !== "object" || node === null) return [];
  if (Array.isArray(node)) return node.flatMap((each) => findUndescribed(each, path));
  const { properties = {}, definitions = {}, ...rest } = node as Node;
  const { grader: _settings, ...parts } = definitions as Node;
  const inner = Object.entries(properties as Record<string, Node>).flatMap(([key, value]) => [
    ...(value.description === undefined ? [`${path}/${key}`] : []),
    ...findUndescribed(value, `${path}/${key}`),
  ]);
  return [...inner, ...Object.values({ ...rest, ...parts }).flatMap((value) => findUndescribed(value, path))];
}
