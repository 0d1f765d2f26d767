import { describe, expect, it, onTestFinished } from "vitest";
import { createPrice } from "../budget/index.js";
import type { Example } from "../core/example.js";
import { type EvaluateOptions, evaluate } from "../evaluate.js";
import { GraderEvaluator } from "../graders/index.js";
import { readOutputs } from "../store/outputs.js";
import { type MockOptions, startMock } from "../testing/mock/index.js";
import { TempProject } from "../testing/temp-project.js";
import { ModelSystem } from "./model.js";
import { createUserSimulator } from "./simulated-user.js";

/** Dollars per million tokens. */
const PRICE = { input: 1, output: 10 };
const LIMITS = {
  price: createPrice({ input_per_1k: 0.001, output_per_1k: 0.01 }, "test"),
  maxCostUsd: null,
  hardTimeoutMs: null,
};

/** The assistant answers each message, and the user has two of its own before it ends. */
const TALK: MockOptions = {
  keepBodies: true,
  usage: { input: 1000 },
  reply: [
    { model: "user", match: "Done, it is on its way", reply: "Thank you! [END]" },
    { model: "user", match: "Which order", reply: "Number 7." },
    { model: "user", match: "/./", reply: "I want my money back." },
    { model: "assistant", match: "Number 7", reply: "Done, it is on its way." },
    { model: "assistant", match: "money back", reply: "Which order is it?" },
    { model: "assistant", match: "/./", reply: "How can I help?" },
  ],
};

const CUSTOMER: Example = {
  id: "refund",
  question: "Hello",
  graders: [{ type: "output-contains", config: { substring: "?" } }],
  user: { persona: "A customer of few words.", goal: "to get a refund for order 7" },
};

function priceUsage({ input, output }: { input: number; output: number }): number {
  return (input * PRICE.input + output * PRICE.output) / 1e6;
}

async function converse(
  example: Example,
  { script = TALK, run = {} }: { script?: MockOptions; run?: Partial<EvaluateOptions> } = {},
) {
  const mock = await startMock(script);
  onTestFinished(() => mock.close());
  const open = (model: string) => ({ model, baseUrl: mock.url, name: model, limits: LIMITS });
  const user = createUserSimulator(new ModelSystem(open("user")));
  const system = new ModelSystem({ ...open("assistant"), user });
  onTestFinished(() => system.close());
  const { dir } = new TempProject({});
  const result = await evaluate({
    systems: [system],
    dataset: [example],
    evaluators: [new GraderEvaluator()],
    runsDir: dir,
    retry: { maxRetries: 0 },
    ...run,
  });
  const [stored] = readOutputs(result.runDir ?? "");
  const of = (model: string) =>
    mock.requests
      .map(({ body, usage }) => ({
        ...(body as { model: string; messages: { role: string; content: string }[] }),
        usage,
      }))
      .filter((request) => request.model === model);
  const sum = (model: string, key: "input" | "output") =>
    of(model).reduce((total, { usage }) => total + (usage?.[key] ?? 0), 0);
  const used = (model: string) => ({ input: sum(model, "input"), output: sum(model, "output") });
  const [row] = result.rows;
  if (row === undefined) throw new Error("there is no row");
  return { result, row, output: stored?.output, of, used };
}

describe("a simulated user and a model", () => {
  it("talk until the user ends the conversation", async () => {
    const graders = [
      { type: "output-contains", config: { substring: "on its way" } },
      { type: "output-contains", name: "asks", config: { substring: "Which order" }, after_turn: 2 },
    ];
    const { row, output, of } = await converse({ ...CUSTOMER, graders });
    expect(output?.replies).toEqual(["How can I help?", "Which order is it?", "Done, it is on its way."]);
    expect(output?.userMessages).toEqual(["I want my money back.", "Number 7."]);
    expect(row, JSON.stringify(row)).toMatchObject({ outcome: "pass", turns: 3 });
    expect(
      of("assistant")
        .at(-1)
        ?.messages.map(({ content }) => content),
    ).toEqual(["Hello", "How can I help?", "I want my money back.", "Which order is it?", "Number 7."]);
    const [system, ...messages] = of("user").at(-1)?.messages ?? [];
    expect(system?.content).toContain("A customer of few words.");
    expect(system?.content).toContain("to get a refund for order 7");
    expect(system?.content).toContain("[END]");
    expect(messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(messages.slice(1, 3).map(({ content }) => content)).toEqual(["Hello", "How can I help?"]);
  });

  it("are metered apart", async () => {
    const { row, result, used } = await converse(CUSTOMER);
    expect(used("assistant").input).toBe(3000);
    expect(row.usage).toEqual(used("assistant"));
    expect(row.costUsd).toBeCloseTo(priceUsage(used("assistant")), 12);
    expect(row.metadata?.userUsage).toEqual(used("user"));
    expect(row.userCostUsd).toBeCloseTo(priceUsage(used("user")), 12);
    expect(result.summary.assistant?.user_cost_usd).toBeCloseTo(priceUsage(used("user")), 12);
    expect(result.summary.assistant?.mean_cost_usd).toBeCloseTo(priceUsage(used("assistant")), 12);
    expect(result.toTable()).toMatch(/simulated users cost \$0\.003\d*, not included in the systems' cost/);
  });

  it("stop at max_turns, without another question to the user", async () => {
    const { output, of } = await converse({ ...CUSTOMER, user: { goal: "a refund", max_turns: 2 } });
    expect(output?.replies).toEqual(["How can I help?", "Which order is it?"]);
    expect(of("user")).toHaveLength(1);
  });

  it("stop at a phrase of the example", async () => {
    const { output, row } = await converse({ ...CUSTOMER, user: { goal: "a refund", stop: "money back" } });
    expect(output?.response).toBe("How can I help?");
    expect(output?.userMessages).toBeUndefined();
    expect(row.userCostUsd).toBeGreaterThan(0);
  });

  it("begin after the turns of the example", async () => {
    const turns = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hi, who is it?" },
    ];
    const { of } = await converse({ ...CUSTOMER, turns });
    expect(
      of("user")[0]
        ?.messages.slice(2)
        .map(({ content }) => content),
    ).toEqual(["Hi", "Hi, who is it?", "Hello", "How can I help?"]);
  });

  it.each([
    ["fails", { faults: [{ kind: 401, rate: 1, model: "user" }] }, /simulated user \(user\) failed: .*answered 401/],
    ["writes nothing", { reply: [{ model: "user", match: "/./", reply: "" }] }, /simulated user .*empty message/],
  ] as const)("are an error with what was spent, if the user's model %s", async (_, script, message) => {
    const { row, used } = await converse(CUSTOMER, { script: { ...TALK, ...script } as MockOptions });
    expect(row).toMatchObject({ outcome: "error", errorCategory: "api_error", usage: used("assistant") });
    expect(row.costUsd).toBeCloseTo(priceUsage(used("assistant")), 12);
    expect(row.attempts.at(-1)?.message).toMatch(message);
  });

  it("count in the budget of the run", async () => {
    const dataset = Array.from({ length: 20 }, (_, at) => ({ ...CUSTOMER, id: at }));
    const run = { dataset, maxWorkers: 1, budget: { run: { maxCostUsd: 0.04 } } };
    const { result } = await converse(CUSTOMER, { run });
    const spent = result.rows.reduce((total, row) => total + (row.costUsd ?? 0) + (row.userCostUsd ?? 0), 0);
    expect(result.rows.filter(({ outcome }) => outcome === "skipped").length).toBeGreaterThan(0);
    expect(spent).toBeGreaterThan(0.012);
    expect(spent).toBeLessThanOrEqual(0.04);
    expect(result.budget?.spentUsd).toBeCloseTo(spent, 9);
    expect(result.budget?.trialsUsd).toBeCloseTo(spent, 9);
  });

  it.each([
    [{ gaol: "a refund" }, 'unknown key "gaol". Did you mean "goal"?'],
    [{ goal: "a refund", maxTurns: 3 }, 'unknown key "maxTurns". Did you mean "max_turns"?'],
    [{ persona: "A customer" }, "has user.goal that is undefined, not a text that says what the user wants"],
    [{ goal: "a refund", persona: 7 }, "has user.persona that is the number 7"],
    [{ goal: "a refund", max_turns: 0 }, "has user.max_turns that is the number 0, not a whole number of at least 1"],
    [{ goal: "a refund", stop: "" }, 'has user.stop that is the string ""'],
  ])("refuse a wrong user: %j", async (user, message) => {
    await expect(converse({ ...CUSTOMER, user })).rejects.toThrow(message);
  });

  it("leave a column of that name alone that holds no mapping", async () => {
    const { output, of } = await converse({ ...CUSTOMER, user: "u-17" });
    expect(output?.response).toBe("How can I help?");
    expect(of("user")).toEqual([]);
  });

  it("need a model for the user", async () => {
    const system = new ModelSystem({ model: "assistant", baseUrl: "http://127.0.0.1:9" });
    await expect(evaluate({ systems: [system], dataset: [CUSTOMER] })).rejects.toThrow(
      'The example "refund" has a simulated user, but no model plays it. Name one with --user-model',
    );
  });
});
