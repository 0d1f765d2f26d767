import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Grade, Graded } from "../core/grader.js";
import { Registry } from "../core/registry.js";
import { EVERY_GRADER, type GraderCase, type GraderCases } from "./every-grader-testing.js";
import { classifyVerdict, findConfigProblem, makeGraded, makeGradedFolder } from "./graded-testing.js";
import { runGrader } from "./grader-lifecycle.js";
import { createBuiltInFactories, makeGrader } from "./make-grader.js";

const types = Object.keys(createBuiltInFactories(new Registry()));
const entries = Object.entries(EVERY_GRADER);

/** Runs the grader as in a run: made from its spec, with its verdict checked. */
async function gradeCase(type: string, { config, output, files }: GraderCase): Promise<Grade> {
  const workspace = files === undefined ? null : makeGradedFolder(files);
  const parts: Partial<Graded> = { workspace, ...(output === undefined ? {} : { output }) };
  try {
    const spec = { type, config };
    return await runGrader(makeGrader(spec, new Registry()), spec, makeGraded(parts));
  } finally {
    if (workspace !== null) rmSync(workspace, { recursive: true });
  }
}

function erring([type, { errs }]: [string, GraderCases]): [string, GraderCase][] {
  return "never" in errs ? [] : [[type, errs]];
}

describe("every grader", () => {
  it("has a case of each kind", () => {
    expect(Object.keys(EVERY_GRADER).sort()).toEqual(types.sort());
  });

  it.each(entries)("%s passes", async (type, { passes }) => {
    const grade = await gradeCase(type, passes);
    expect(classifyVerdict(grade), grade.evidence).toBe("pass");
    expect(grade.score).toBe(1);
  });

  it.each(entries)("%s fails and says why", async (type, { fails }) => {
    const grade = await gradeCase(type, fails);
    expect(classifyVerdict(grade), grade.evidence).toBe("fail");
    expect(grade.score).toBeLessThan(1);
    expect(grade.evidence).not.toBe("");
  });

  it.each(entries.flatMap(erring))("%s ends in error and says why", async (type, errs) => {
    const grade = await gradeCase(type, errs);
    expect(classifyVerdict(grade), grade.evidence).toBe("error");
    expect(grade.evidence).not.toBe("");
    expect(grade).toMatchObject({ passed: false, score: 0 });
  });

  it.each(entries)("%s rejects an invalid config", (type, { refuses }) => {
    expect(findConfigProblem(type, refuses.config)).toContain(refuses.words);
  });
});

describe("graders that never end in error", () => {
  const always = entries.filter(([, { errs }]) => "never" in errs);

  it("are few, and each has a reason", () => {
    expect(always.map(([type]) => type)).toEqual([
      "completed",
      "exit-success",
      "output-contains",
      "output-not-contains",
    ]);
    for (const [, { errs }] of always) expect("never" in errs && errs.never.length).toBeGreaterThan(20);
  });

  it.each(always)("%s grades an empty output", async (type, { passes }) => {
    expect((await gradeCase(type, { config: passes.config })).status).toBe("ok");
  });
});
