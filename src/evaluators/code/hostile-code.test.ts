import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeDataset } from "../../core/dataset.js";
import { TrialError } from "../../core/errors.js";
import type { Evaluator } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import type { Output, System, TrialContext } from "../../core/system.js";
import { type EvaluateOptions, evaluate } from "../../evaluate.js";

const EXAMPLES: Example[] = [1, 2, 3, 4].map((id) => ({ id, question: `question ${id}`, answer: `answer ${id}` }));
const EXACT: Evaluator = {
  name: "exact",
  score: (example, output) => ({ exact: Number(output.response === example.answer) }),
};
const HONEST: System = { name: "honest", process: (example) => ({ response: example.answer ?? "" }) };

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-hostile-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function options(more: Partial<EvaluateOptions> = {}): EvaluateOptions {
  return { systems: [HONEST], dataset: EXAMPLES, evaluators: [EXACT], ...more };
}

describe("misbehaving code fails only its own trial", () => {
  it("isolates examples that a system modifies", async () => {
    const vandal: System = {
      name: "vandal",
      process(example) {
        example.answer = "mine";
        return { response: "mine" };
      },
    };
    const result = await evaluate(options({ systems: [vandal, HONEST], maxWorkers: 1 }));
    expect(result.summary.honest?.pass_rate).toBe(1);
    expect(result.filter({ system: "vandal" }).rows.map((row) => row.errorCategory)).toEqual(
      Array(4).fill("system_error"),
    );
    expect(EXAMPLES[0]).toEqual({ id: 1, question: "question 1", answer: "answer 1" });
    expect(Object.isFrozen(EXAMPLES[0])).toBe(false);
  });

  it("an output that throws when it is read", async () => {
    const trap: System = {
      name: "trap",
      process: ({ id, answer }) =>
        id === 2 ? Object.defineProperty({}, "response", { enumerable: true, get: fail }) : { response: answer ?? "" },
    };
    const result = await evaluate(options({ systems: [trap] }));
    expect(result.summary.trap).toMatchObject({ num_pass: 3, num_error: 1 });
    expect(result.rows[1]?.attempts[0]?.message).toBe("a trap");
  });

  it("an evaluator that modifies the output does not change the stored one", async () => {
    const editor: Evaluator = {
      name: "editor",
      score(_, output) {
        output.response = "";
        return { edited: 1 };
      },
    };
    const result = await evaluate(options({ evaluators: [editor] }));
    expect(result.rows[0]?.outputTokens).toBeGreaterThan(0);
  });

  it("evidence that is not text is dropped with a note, and stored runs survive it", async () => {
    const odd = {
      name: "odd",
      score: () => ({ scores: { odd: 1 }, evidence: { odd: 7n as unknown as string } }),
    };
    const result = await evaluate(options({ evaluators: [odd], runsDir: dir }));
    expect(result.summary.honest?.num_pass).toBe(4);
    expect(result.rows[0]?.notes).toEqual(["odd returned the bigint 7 as evidence for odd, which was ignored"]);
  });

  it("evidence of two evaluators for one field is kept separate", async () => {
    const judge = (name: string): Evaluator => ({
      name,
      score: () => ({ scores: { [name]: 1 }, evidence: { why: name } }),
    });
    const result = await evaluate(options({ evaluators: [judge("a"), judge("b")], runsDir: dir }));
    const [line = ""] = readFileSync(join(result.runDir ?? "", "outputs.jsonl"), "utf8").split("\n");
    expect(JSON.parse(line)).toMatchObject({ evidence: { why: "a", "b.why": "b" } });
  });

  it("a progress callback that throws is not called again", async () => {
    let calls = 0;
    const onProgress = () => {
      calls += 1;
      throw new Error("ui bug");
    };
    const slow: System = { name: "slow", process: async (example) => HONEST.process(example, {} as TrialContext) };
    const result = await evaluate(options({ systems: [slow], maxWorkers: 1, onProgress }));
    expect(calls).toBe(1);
    expect(result.notes).toEqual(["onProgress failed and was not called again: ui bug"]);
    expect(result.summary.slow?.num_pass).toBe(4);
  });

  it("a failure that was billed keeps its cost", async () => {
    const cut: System = {
      name: "cut",
      process() {
        const spent = { usage: { input: 10, output: 3 }, costUsd: 0.02 };
        throw new TrialError("api_error", "the stream was cut", { spent });
      },
    };
    const { rows } = await evaluate(options({ systems: [cut] }));
    expect(rows[0]).toMatchObject({ outcome: "error", costUsd: 0.02, usage: { input: 10, output: 3 } });
  });
});

function fail(): never {
  throw new Error("a trap");
}

describe("user code", () => {
  it("can pass the trial on to another system by spreading it", async () => {
    const inner: System = {
      name: "inner",
      process(example, { seed, trial, log }): Output {
        log(`trial ${trial}`);
        return { response: Number.isInteger(seed) ? (example.answer ?? "") : "no seed" };
      },
    };
    const outer: System = { name: "outer", process: (example, trial) => inner.process(example, { ...trial }) };
    const { rows } = await evaluate(options({ systems: [outer] }));
    expect(rows[0]).toMatchObject({ outcome: "pass", notes: ["trial 0"] });
  });

  it("can run a filtered dataset, however it was made", async () => {
    const dataset = makeDataset({ name: "four", examples: EXAMPLES, fingerprint: { of: EXAMPLES, sha256: "four" } });
    const two = { ...dataset, examples: EXAMPLES.slice(0, 2) };
    const cut = await evaluate(options({ dataset: two }));
    const whole = await evaluate(options({ dataset }));
    expect([cut.rows.length, whole.rows.length]).toEqual([2, 4]);
    expect([...two]).toHaveLength(2);
    expect(whole.config.datasets[0]?.fingerprint).toBe("four");
    expect(cut.config.datasets[0]?.fingerprint).not.toBe("four");
  });

  it("gets an error for an unknown option, especially a limit", async () => {
    await expect(evaluate(options({ budgets: {} } as object))).rejects.toThrow('Did you mean "budget"?');
    const wrong = (budget: unknown) => evaluate(options({ budget } as object));
    await expect(wrong({ runs: { maxCostUsd: 5 } })).rejects.toThrow('`budget` has no key "runs". Did you mean "run"?');
    await expect(wrong({ run: { maxCost: 5 } })).rejects.toThrow('budget.run has no key "maxCost"');
    await expect(wrong({ run: { maxCostUsd: "5" } })).rejects.toThrow('but is the string "5"');
    await expect(wrong({ run: { maxCostUsd: 0 } })).rejects.toThrow("would start no trial");
    await expect(wrong({ trial: { maxCostUsd: -1 } })).rejects.toThrow("of 0 or more");
    await expect(evaluate(options({ retry: { max: 1 } } as object))).rejects.toThrow('`retry` has no key "max"');
    await expect(evaluate(options({ retry: { maxRetries: 0.5 } }))).rejects.toThrow("whole number");
    await expect(evaluate(options({ trails: 3 } as object))).rejects.toThrow('Did you mean "trials"?');
  });

  it("can filter by an example's tag", async () => {
    const tagged = EXAMPLES.map((example) => ({ ...example, dataset: Number(example.id) > 1 ? "late" : "early" }));
    const result = await evaluate(options({ dataset: tagged }));
    expect(result.config.datasets[0]?.tags).toEqual(["early", "late"]);
    expect(result.filter({ dataset: "late" }).toTable()).toContain("1 system × 3 examples");
  });

  it("can number thousands of equal examples without ids quickly", async () => {
    const equal = Array.from({ length: 20_000 }, () => ({ question: "again?" }) as unknown as Example);
    const { rows } = await evaluate(options({ dataset: equal, evaluators: [] }));
    expect(new Set(rows.map((row) => row.exampleId)).size).toBe(20_000);
    expect(String(rows.at(-1)?.exampleId)).toMatch(/-20000$/);
  });
});
