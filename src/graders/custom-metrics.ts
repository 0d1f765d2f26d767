import * as z from "zod";
import type { Graded, GraderFactory, Verdict } from "../core/grader.js";
import { readConfig } from "./config.js";
import { checkSource, jsonOfFile, jsonOfOutput, jsonSourceConfig } from "./json-source.js";
import { assertionConfig, type MetricCheck, metricCheck } from "./metric-assertion.js";
import { ownGrader, verdict } from "./own-grader.js";

const USUAL_FILE = "custom_metrics.json";
const schema = z
  .strictObject({
    ...jsonSourceConfig,
    assertions: z.array(assertionConfig, "must be a list of assertions").min(1, "must not be empty"),
  })
  .superRefine(checkSource);

/**
 * A grader of figures that the work itself has left: in a JSON file of the workspace, or in the answer. Its score is the
 * share of assertions that hold; without the figures none does.
 */
export const customMetricsGraders = {
  "custom-metrics": (config) => {
    const { path = USUAL_FILE, output, assertions } = readConfig(schema, config);
    const checks = assertions.map(metricCheck);
    const find = (graded: Graded) => (output === true ? jsonOfOutput(graded.output) : jsonOfFile(graded, path));
    return ownGrader({
      name: "custom-metrics",
      folderUse: output === true ? "none" : "looks",
      grade: async (graded) => {
        const found = await find(graded);
        return "problem" in found ? verdict(false, found.problem) : judged(checks, JSON.parse(found.text));
      },
    });
  },
} satisfies Record<string, GraderFactory>;

function judged(checks: readonly MetricCheck[], document: unknown): Verdict {
  const problems = checks.map((check) => check(document)).filter((problem) => problem !== null);
  const held = checks.length - problems.length;
  return {
    passed: problems.length === 0,
    score: held / checks.length,
    evidence: [...problems, `${held} of ${checks.length} assertions hold`].join("; "),
  };
}
