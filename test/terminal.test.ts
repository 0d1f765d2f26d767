import { describe, expect, it } from "vitest";
import { type FinishedCommand, runAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const CLEAR = "\u001b[2J";
const TITLE = "\u001b]0;owned\u0007";
const TURN = "\u202e";

/** Checks that neither stream contains terminal control sequences. */
function expectPlain({ stdout, stderr }: FinishedCommand): void {
  const steering = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;
  expect(JSON.stringify(stdout.match(steering))).toBe("null");
  expect(JSON.stringify(stderr.match(steering))).toBe("null");
}

describe("terminal output", () => {
  const rows = [
    { id: `${CLEAR}1`, question: `q${TITLE}`, answer: `a${TURN}`, dataset: `tag${CLEAR}` },
    { id: "2", question: "q", answer: "a", dataset: "b" },
  ];
  const system = `export default { name: ${JSON.stringify(`sys${TITLE}`)}, process: (e) => ({ response: "a" }), close() { throw new Error(${JSON.stringify(`stuck${CLEAR}`)}); } };`;
  const space = () =>
    new TempProject({
      "d.jsonl": rows,
      "s.mjs": system,
      "recorded.jsonl": [{ id: `${CLEAR}7`, response: "x" }],
      "broken.mjs": `throw new Error(${JSON.stringify(`boom${CLEAR}`)})`,
    });

  it("is plain text in a report, its notes and a plan", async () => {
    const args = ["--dataset", "d.jsonl", "--system", "./s.mjs", "--replay", "recorded.jsonl", "--title", `t${TITLE}`];
    const report = await runAssay(space().dir, ...args);
    expect(report.stdout).toContain("# t\ufffd]0;owned\ufffd");
    expect(report.stdout).toContain("| sys\ufffd]0;owned\ufffd ");
    expect(report.stderr).toContain("not in any dataset (\ufffd[2J7): ignored");
    expect(report.stderr).toContain("could not be closed: stuck\ufffd[2J");
    expectPlain(report);
    const plan = await runAssay(space().dir, ...args, "--dry-run");
    expect(plan.stdout).toContain("systems: sys\ufffd]0;owned\ufffd, recorded");
    expectPlain(plan);
  });

  it("is plain text in a dataset's example and in errors", async () => {
    const shown = await runAssay(space().dir, "datasets", "show", "d.jsonl");
    expect(shown.stdout).toMatch(/One example [\s\S]*\nq/);
    expectPlain(shown);
    const failed = await runAssay(space().dir, "--dataset", "d.jsonl", "--system", "./broken.mjs", "--verbose");
    expect(failed.stderr).toContain("boom\ufffd[2J");
    expectPlain(failed);
    expectPlain(await runAssay(space().dir, "--dataset", `${CLEAR}.jsonl`, "--system", "passthrough"));
  });
});
