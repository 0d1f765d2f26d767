import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Example } from "../core/index.js";
import { ModelSystem } from "../systems/index.js";
import { startMock } from "../testing/mock/index.js";
import { Paraphraser } from "./paraphrase.js";
import { type FreezeOptions, freezePerturbations, parsePerturbations } from "./perturbation-file.js";

const EXAMPLES: Example[] = [
  { id: "a", dataset: "d", question: "Where does the longest river of Europe begin?" },
  { id: 2, dataset: "d", question: "Which mountain stands between these countries?" },
];

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-perturb-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const freeze = (more: Partial<FreezeOptions> = {}) =>
  freezePerturbations({
    file: join(dir, "sub", "p.jsonl"),
    kinds: ["typos"],
    examples: EXAMPLES,
    seed: 0,
    paraphraser: null,
    ...more,
  });
const read = () =>
  readFileSync(join(dir, "sub", "p.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const write = (...lines: readonly unknown[]) =>
  writeFileSync(
    join(dir, "sub", "p.jsonl"),
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
  );

describe("freezePerturbations", () => {
  it("writes what it makes, and reads it again whatever the seed is then", async () => {
    const first = await freeze();
    const lines = read();
    expect(lines).toMatchObject([
      {
        schema: "assay.perturbation/1",
        version: 1,
        seed: 0,
        dataset: "d",
        id: "a",
        kind: "typos",
        original: expect.any(String),
      },
      { id: 2 },
    ]);
    const again = await freeze({ seed: 5 });
    expect(again).toEqual(first);
    expect(read()).toEqual(lines);
  });

  it("adds kinds and examples that the file lacks", async () => {
    await freeze({ examples: EXAMPLES.slice(0, 1) });
    const { byKind } = await freeze({ kinds: ["typos", "politeness"] });
    expect(read().map(({ kind, id }) => [kind, id].join(" "))).toEqual([
      "typos a",
      "typos 2",
      "politeness a",
      "politeness 2",
    ]);
    expect([...byKind].map(([kind, texts]) => [kind, texts.size])).toEqual([
      ["typos", 2],
      ["politeness", 2],
    ]);
  });

  it("rejects a task that has changed since", async () => {
    await freeze();
    const changed = [{ ...EXAMPLES[0], question: "Where does it end?" } as Example];
    await expect(freeze({ examples: changed })).rejects.toThrow(
      /The task of example "a" of d has changed since its perturbation typos was written to .*p\.jsonl\. Restore the example, or remove the file/,
    );
  });

  it("rejects a perturbation that changes no example, and says which examples one leaves alone", async () => {
    await expect(freeze({ kinds: ["reorder"] })).rejects.toThrow(
      /reorder changes none of the 2 examples: none has choices/,
    );
    const { notes } = await freeze({ examples: [...EXAMPLES, { id: 3, question: "2 + 2?" }] });
    expect(notes).toEqual(["typos changes 2 of 3 examples; its figures are about those"]);
  });

  it("writes nothing for a plan", async () => {
    await freeze({ isPlan: true });
    expect(() => read()).toThrow(/ENOENT/);
  });

  it.each([
    ["{", /line 1: malformed JSON/],
    ["[]", /must be an object/],
    [{ schema: "x" }, /"schema" must be "assay\.perturbation\/1"/],
    [{ schema: "assay.perturbation/1", kind: "typo" }, /"kind" must be one of paraphrase, typos/],
    [
      { schema: "assay.perturbation/1", kind: "typos", version: 9 },
      /"version" must be 1 for typos, but is the number 9/,
    ],
    [{ schema: "assay.perturbation/1", kind: "typos", version: 1, text: "" }, /"text" must be a text/],
    [{ schema: "assay.perturbation/1", kind: "typos", version: 1, text: "x" }, /"id" must be/],
  ])("rejects the line %j with its place", async (line, message) => {
    await freeze();
    write(line);
    await expect(freeze()).rejects.toThrow(message);
  });

  it("rejects a line that occurs twice, and an order that is not one of the choices", async () => {
    await freeze();
    const [line] = read();
    write(line, line);
    await expect(freeze()).rejects.toThrow(/line 2: the perturbation typos of example "a" occurs twice/);
    write({ ...line, choice_order: [0, 0] });
    await expect(freeze()).rejects.toThrow(/"choice_order" of example "a" of d .* is not an order of its choices/);
  });
});

describe("paraphrases", () => {
  const open = async (reply: string, faults = {}) => {
    const mock = await startMock({ reply, ...faults });
    const system = new ModelSystem({ name: "writer", model: "w", baseUrl: mock.url });
    const close = async () => {
      await system.close();
      await mock.close();
    };
    return { mock, paraphraser: new Paraphraser(system), close };
  };

  it("are written by a model once, with its name", async () => {
    const { mock, paraphraser, close } = await open("<task>\nIn which place is the source?\n</task>");
    const { byKind } = await freeze({ kinds: ["paraphrase"], paraphraser });
    expect([...(byKind.get("paraphrase")?.values() ?? [])]).toEqual(
      EXAMPLES.map(() => ({ text: "In which place is the source?" })),
    );
    expect(read()).toMatchObject([{ kind: "paraphrase", model: "writer", version: 1 }, { model: "writer" }]);
    await freeze({ kinds: ["paraphrase"], paraphraser: null });
    expect(mock.requests).toHaveLength(2);
    await close();
  });

  it("keeps those that were written before the model failed", async () => {
    const { paraphraser, close } = await open("Other words", { faults: [{ kind: 401, every: 2 }] });
    await expect(freeze({ kinds: ["paraphrase"], paraphraser })).rejects.toThrow(/401/);
    expect(read()).toHaveLength(1);
    await close();
  });

  it("tries again after a rate limit", async () => {
    const { mock, paraphraser, close } = await open("Other words", {
      faults: [{ kind: 429, first: 1, retryAfter: 0 }],
    });
    await freeze({ kinds: ["paraphrase"], paraphraser });
    expect(mock.requests.map(({ status }) => status)).toEqual([429, 200, 200]);
    await close();
  });

  it("need a model, whose answer must not be empty", async () => {
    await expect(freeze({ kinds: ["paraphrase"] })).rejects.toThrow(
      /Paraphrases are written by a model, and .*p\.jsonl has none for 2 of 2 examples\. Add --perturb-model/,
    );
    const { paraphraser, close } = await open("<task></task>");
    await expect(freeze({ kinds: ["paraphrase"], paraphraser })).rejects.toThrow(
      /writer wrote no paraphrase of example "a"/,
    );
    await close();
  });
});

it("parses names of perturbations", () => {
  expect(parsePerturbations(["typos", "reorder"])).toEqual(["typos", "reorder"]);
  expect(() => parsePerturbations(["typo"])).toThrow(/Unknown perturbation "typo"\. Did you mean "typos"\?/);
  expect(() => parsePerturbations(["case", "case"])).toThrow(/given twice/);
  expect(() => parsePerturbations([""])).toThrow(/Unknown perturbation ""/);
});
