// What stopping when decided saves in stored runs: their tasks in many random orders, with the verdict of each.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom, mcnemarExact, pairedDifference, SequentialTest, shuffle } from "../../dist/lib/stats.js";
import { fixed, mean, median, percent } from "./simulate.mjs";

const ORDERS = 200;
const ALPHA = 0.05;

/** System → task → its passed trials and dollars, of the scored trials. */
function readTasks(folder) {
  const { config } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  if (config.until !== undefined)
    throw new Error(`${folder} was stopped when decided, so it has no random sample of tasks`);
  const systems = new Map(config.systems.map((name) => [name, new Map()]));
  for (const line of readFileSync(join(folder, "rows.jsonl"), "utf8").split("\n")) {
    if (line === "") continue;
    const { system, dataset, exampleId, passed, costUsd } = JSON.parse(line);
    if (typeof passed !== "boolean") continue;
    const tasks = systems.get(system);
    const key = JSON.stringify([dataset, exampleId]);
    const task = tasks.get(key) ?? { trials: 0, passed: 0, dollars: 0 };
    tasks.set(key, task);
    task.trials += 1;
    task.passed += Number(passed);
    task.dollars += costUsd ?? 0;
  }
  return systems;
}

function pairTasks(a, b) {
  return [...a].flatMap(([key, first]) => {
    const second = b.get(key);
    if (second === undefined) return [];
    return [
      {
        value: second.passed / second.trials - first.passed / first.trials,
        dollars: first.dollars + second.dollars,
      },
    ];
  });
}

function decide(tasks) {
  const test = new SequentialTest({ question: { kind: "difference" }, horizon: tasks.length });
  let taken = 0;
  for (const { value } of tasks) {
    test.add([value]);
    taken += 1;
    if (test.isDecided) break;
  }
  if (!test.isDecided) test.finish();
  const dollars = tasks.slice(0, taken).reduce((sum, task) => sum + task.dollars, 0);
  return { verdict: test.decisions[0].verdict, taken, dollars };
}

function isFixedDecided(values) {
  if (values.every((value) => Number.isInteger(value)))
    return mcnemarExact(values.filter((d) => d < 0).length, values.filter((d) => d > 0).length) <= ALPHA;
  const zeros = values.map(() => 0);
  return pairedDifference(values, zeros).permutationP <= ALPHA;
}

/** The first system of each run with each of the others. */
export function measureStored(folders) {
  const rows = folders.flatMap((folder) => {
    const [[name, first], ...others] = readTasks(folder);
    return others.map(([other, tasks]) => {
      const pairs = pairTasks(first, tasks);
      const random = createRandom(`${name} ${other}`);
      const found = Array.from({ length: ORDERS }, () => decide(shuffle(pairs, random)));
      const all = pairs.reduce((sum, { dollars }) => sum + dollars, 0);
      return [
        `${name}, ${other}`,
        pairs.length,
        fixed(mean(pairs.map(({ value }) => value))),
        isFixedDecided(pairs.map(({ value }) => value)) ? "yes" : "no",
        percent(mean(found.map(({ verdict }) => Number(verdict !== null)))),
        percent(median(found.map(({ taken }) => taken / pairs.length))),
        all === 0 ? "–" : `$${all.toPrecision(3)}`,
        all === 0 ? "–" : `$${mean(found.map(({ dollars }) => dollars)).toPrecision(3)}`,
      ];
    });
  });
  return {
    summary: `Each run's first system with each of the others, ${ORDERS} random orders of its tasks.`,
    columns: [
      "systems",
      "tasks",
      "difference",
      "fixed test decides",
      "sequential test decides",
      "median share of tasks",
      "all tasks cost",
      "until decided, mean",
    ],
    rows,
  };
}
