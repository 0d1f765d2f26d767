import { isScored } from "../../core/row.js";
import type { Flips, TaskName, TaskPasses } from "./comparison.js";
import { isPaired, type Pair } from "./pair-rows.js";

/** What the majority of a task's trials says; a tie says nothing. */
type Majority = "pass" | "fail" | "tie";

/** The tasks whose verdict changed, and those whose trials disagree. */
export function flipsIn(pairs: readonly Pair[]): Flips {
  const toFail: TaskPasses[] = [];
  const toPass: TaskPasses[] = [];
  const flaky: TaskPasses[] = [];
  for (const pair of pairs) {
    if (!isPaired(pair)) continue;
    const passes = passesOf(pair);
    const [before, after] = [majority(passes.passesA, passes.trialsA), majority(passes.passesB, passes.trialsB)];
    if (before === "pass" && after === "fail") toFail.push(passes);
    else if (before === "fail" && after === "pass") toPass.push(passes);
    else if (passes.isFlaky) flaky.push(passes);
  }
  return { toFail, toPass, flaky };
}

/** A task as the rows of its first side name it. */
export function taskNameOf({ a, b, key }: Pair): TaskName {
  const { dataset, exampleId } = a[0] ?? b[0] ?? { dataset: "", exampleId: key };
  return { dataset, exampleId };
}

function passesOf(pair: Pair): TaskPasses {
  const [a, b] = [pair.a.filter(isScored), pair.b.filter(isScored)];
  const passesA = a.filter(({ outcome }) => outcome === "pass").length;
  const passesB = b.filter(({ outcome }) => outcome === "pass").length;
  const isFlaky = isMixed(passesA, a.length) || isMixed(passesB, b.length);
  return { ...taskNameOf(pair), passesA, trialsA: a.length, passesB, trialsB: b.length, isFlaky };
}

function isMixed(passes: number, trials: number): boolean {
  return passes > 0 && passes < trials;
}

function majority(passes: number, trials: number): Majority {
  if (passes * 2 === trials) return "tie";
  return passes * 2 > trials ? "pass" : "fail";
}
