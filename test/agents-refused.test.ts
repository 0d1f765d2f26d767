import { expect, it } from "vitest";
import { warmAssay } from "../src/testing/warm-assay.js";
import { Workspace } from "../src/testing/workspace.js";

it.each(["codex", "gemini"])(
  "%s with a login of its own is refused a budget in dollars, which could not stop it",
  async (agent) => {
    const { dir } = new Workspace();
    const budget = ["--trial-max-cost", "0.01", "--dry-run"];
    const { code, stderr } = await warmAssay(
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
    expect(stderr).toContain("only at its end");
  },
);
