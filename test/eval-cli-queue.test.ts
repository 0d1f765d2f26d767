import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeEvalFile, TempEvalProject } from "../src/testing/eval-cli-fixtures.js";
import { type RedisServer, startRedis } from "../src/testing/redis-server.js";
import { parseReport, startAssay } from "../src/testing/run-assay.js";
import { isCommandMissing } from "../src/testing/system-command.js";

const TIDY = {
  "eval.yaml": makeEvalFile({ good: "prompt: write made.txt", bad: "prompt: do nothing" }, { runs: 2 }),
  "shared/readme.txt": "a folder that all machines see",
};

describe.skipIf(isCommandMissing("redis-server"))("an eval over a queue", () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(() => redis.stop());

  it("runs and grades agents on a worker, with the same result as here", async () => {
    const space = new TempEvalProject(TIDY);
    const worker = startAssay(space.dir, ["worker", "--queue", redis.url, "--once", "--allow-env", "LOG"], space.env());
    const flags = ["-e", "eval.yaml", "--output", "json", "--quiet"];
    const far = await space.eval(...flags, "--queue", redis.url, "--shared-dir", "shared");
    // One of the two test cases fails, and with it the gate.
    expect(far.code, far.stderr).toBe(1);
    expect((await worker.finished).code).toBe(0);
    expect(space.readStarts().sort()).toEqual(["do nothing", "do nothing", "write made.txt", "write made.txt"]);
    const outcomes = (finished: typeof far) =>
      parseReport(finished).rows.map(({ exampleId, trial, outcome }) => ({ exampleId, trial, outcome }));
    space.write("assay.config.yaml", `queue: redis://127.0.0.1:1\n`);
    const here = await space.eval(...flags, "--no-queue", "--runs-dir", "here");
    expect(here.code, here.stderr).toBe(1);
    expect(outcomes(far)).toEqual(outcomes(here));
    expect(outcomes(far).filter(({ outcome }) => outcome === "pass")).toHaveLength(2);
  });
});
