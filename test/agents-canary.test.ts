import { expect, it } from "vitest";
import { GREET_EXAMPLE, makeTinyAgentFlags, startGreetingModel } from "../src/testing/agent-cli-fixtures.js";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { TempProject } from "../src/testing/temp-project.js";

it("--canary stops an agent that cannot do a trivial task, and --resume with --no-canary goes on", async () => {
  const space = new TempProject({ "t.jsonl": [GREET_EXAMPLE] });
  const mock = await startGreetingModel();
  const run = ["run", ...makeTinyAgentFlags(mock), "--dataset", "t.jsonl", "--max-cost", "1"];
  const stopped = await runPooledAssay(space.dir, ...run, "--canary");
  expect(stopped, stopped.stderr).toMatchObject({ code: 3 });
  expect(stopped.stdout + stopped.stderr).toContain(
    "its canary failed: it did not create canary.txt, with 0 tool calls. It said: I did nothing.",
  );
  expect(stopped.stdout + stopped.stderr).toMatch(
    /canary, a trivial task before the trials: tiny-agent failed \(\$0\.0/,
  );
  expect(mock.counts.requests).toBe(1);
  const resumed = await runPooledAssay(space.dir, "run", "--resume", "--no-canary");
  expect(resumed, resumed.stderr).toMatchObject({ code: 0 });
  expect(mock.counts.requests).toBe(3);
});
