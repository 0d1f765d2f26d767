import { expect, it } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { TempProject } from "../src/testing/temp-project.js";

it.each(["codex", "gemini"])(
  "rejects a budget in dollars for %s with its own login, which it could not stop",
  async (agent) => {
    const { dir } = new TempProject();
    const budget = ["--trial-max-cost", "0.01", "--dry-run"];
    const { code, stderr } = await runPooledAssay(
      dir,
      "--agent",
      agent,
      "--agent-home",
      dir,
      "--dataset",
      "agent-tasks",
      ...budget,
    );
    expect(code).toBe(2);
    expect(stderr).toContain("only at the end");
  },
);
