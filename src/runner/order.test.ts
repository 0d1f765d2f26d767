import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dataset } from "../core/dataset.js";
import { UsageError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import type { System } from "../core/system.js";
import { createRandom, hashSeed, permutation } from "../stats/index.js";
import { TrialQueue } from "./admit.js";
import { makePlan, type Plan } from "./plan.js";

const system = (name: string): System => ({ name, process: () => ({ response: "" }) });

function grouped(name: string, values: readonly unknown[], groupBy?: string): Dataset {
  const examples: Example[] = values.map((talk, id) => ({
    id,
    question: `${name} ${id}`,
    ...(talk == null ? {} : { talk }),
  }));
  return {
    name,
    examples,
    [Symbol.iterator]: () => examples[Symbol.iterator](),
    ...(groupBy === undefined ? {} : { groupBy }),
  };
}

interface Drawn {
  groups: readonly (string | number | null)[];
  others: number;
  systems: number;
  trials: number;
  seed: number;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  groups: fc.array(fc.constantFrom("a", "b", "c", 1, "1", null), { minLength: 1, maxLength: 14 }),
  others: fc.nat({ max: 4 }),
  systems: fc.integer({ min: 1, max: 3 }),
  trials: fc.integer({ min: 1, max: 3 }),
  seed: fc.nat(),
});

function planOf({ groups, others, systems, trials, seed }: Drawn): Promise<Plan> {
  const plain = others === 0 ? [] : [grouped("plain", Array(others).fill("a"))];
  return makePlan({
    systems: Array.from({ length: systems }, (_, i) => system(`s${i}`)),
    datasets: [grouped("talks", groups, "talk"), ...plain],
    evaluators: [],
    metrics: [],
    trials,
    seed,
  });
}

function orderOf(plan: Plan, systems = plan.systems.map((_, index) => index)) {
  const signal = new AbortController().signal;
  const admissions = new TrialQueue(plan, systems, { isDone: () => false, signal });
  return admissions.takeAll().map(({ index, trial, example, system }) => ({
    index,
    trial,
    group: example.dataset === "talks" ? (example.talk ?? null) : null,
    example: `${example.dataset} ${example.id}`,
    system: system.name,
  }));
}

describe("the order of a run with groups", () => {
  it("runs every trial once, round by round, with the examples of a group together", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async (given) => {
        const plan = await planOf(given);
        const order = orderOf(plan);
        expect(order.map(({ index }) => index).sort((a, b) => a - b)).toEqual([...Array(plan.total).keys()]);
        expect(order.map(({ trial }) => trial)).toEqual(order.map(({ trial }) => trial).sort((a, b) => a - b));
        for (let round = 0; round < plan.trials; round++) {
          const names = order.filter(({ trial }) => trial === round).map(({ group, example }) => group ?? example);
          const starts = names.filter((name, at) => at === 0 || name !== names[at - 1]);
          expect(new Set(starts).size).toBe(starts.length);
        }
        expect(orderOf(plan)).toEqual(order);
      }),
      { numRuns: 60 },
    );
  });

  const TALKS: Drawn = { groups: [..."aaaabbbbccccddddeeee"], others: 0, systems: 2, trials: 3, seed: 1 };
  const rounds = async (more: Partial<Drawn>) => {
    const order = orderOf(await planOf({ ...TALKS, ...more }));
    return [0, 1, 2].map((round) => order.filter(({ trial }) => trial === round));
  };
  const groupsIn = (order: readonly { group: unknown }[]) => [...new Set(order.map(({ group }) => group))].join("");

  it("shuffles the groups and their contents anew for each round and seed", async () => {
    const [first = [], second = []] = await rounds({});
    const [other = []] = await rounds({ seed: 2 });
    expect(groupsIn(first)).not.toBe("abcde");
    expect(new Set([first, second, other].map(groupsIn)).size).toBe(3);
    const inA = [first, second, other].map((order) => order.filter(({ group }) => group === "a"));
    expect(new Set(inA.map((own) => own.map(({ example, system }) => `${example} ${system}`).join())).size).toBe(3);
    for (const own of inA) expect(own.map(({ system }) => system).join("")).not.toMatch(/^(s0)+(s1)+$|^(s1)+(s0)+$/);
  });

  it("keeps the same groups for a single system", async () => {
    const plan = await planOf(TALKS);
    expect(groupsIn(orderOf(plan, [1]))).toBe(groupsIn(orderOf(plan)));
  });

  it("is unchanged when no dataset has groups", async () => {
    const plan = await makePlan({
      systems: [system("s")],
      datasets: [grouped("d", [..."ababab"])],
      evaluators: [],
      metrics: [],
    });
    expect(plan.groups).toBeNull();
    const shuffled = permutation(6, createRandom(hashSeed(0, "order", 0)));
    expect(orderOf(plan).map(({ index }) => index)).toEqual([...shuffled]);
  });
});

describe("dataset breakdown fields", () => {
  const planWith = (more: object) =>
    makePlan({
      systems: [system("s")],
      datasets: [{ ...grouped("d", ["a"]), ...more } as Dataset],
      evaluators: [],
      metrics: [],
    });

  it.each([
    { facets: "talk" },
    { facets: [1] },
    { facets: [""] },
    { facets: null },
    { groupBy: "" },
    { groupBy: ["talk"] },
  ])("rejects %o", async (more) => {
    await expect(planWith(more)).rejects.toThrow(UsageError);
    await expect(planWith(more)).rejects.toThrow(/dataset d must be/);
  });

  it("adds a note when no example has the field", async () => {
    expect((await planWith({ facets: ["talk", "tlak"], groupBy: "talks" })).notes).toEqual([
      "d has no evaluators, so its outputs are not scored",
      'no example of d has "tlak" to group results by',
      'no example of d has "talks" to group results by',
    ]);
  });
});
