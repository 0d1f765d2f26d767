import { describe, expect, it } from "vitest";
import type { Example } from "../core/index.js";
import { resolveBoxSettings } from "../exec/index.js";
import { lacksBoxes } from "../testing/boxes.js";
import { findTestEngine } from "../testing/containers.js";
import { GraderEvaluator } from "./grader-evaluator.js";

describe.skipIf(await lacksBoxes())("graders of a trial that ran in a box", () => {
  it("run their programs in such a box, also when the trial is graded again", async () => {
    const example: Example = {
      id: 1,
      environment: { commands: ["test -e /var/log || echo boxed > set-up.txt"] },
      graders: [
        {
          type: "run-command",
          config: {
            command: "cat set-up.txt a.txt; test -e /var/log || echo boxed",
            stdout_contains: "boxed\nkept\nboxed\n",
          },
        },
        { type: "program", name: "program", config: { program: "test ! -e /var/log", shell: true } },
      ],
    };
    const workspace = { changes: [{ path: "a.txt", status: "added", content: "kept\n" }] as const };
    const isolation = resolveBoxSettings({ isolation: "box" });
    const score = (metadata: Record<string, unknown>) => new GraderEvaluator().score(example, { workspace, metadata });
    expect(await score({ isolation })).toMatchObject({ scores: { verdict: 1, "run-command": 1, program: 1 } });
    expect(await score({})).toMatchObject({ scores: { verdict: 0, "run-command": 0, program: 0 } });
  });
});

const engine = await findTestEngine();

describe.skipIf(engine === null)("graders of a trial that ran in a container", () => {
  it("run their programs in such a container, where the set-up was made again", async () => {
    const example: Example = {
      id: 1,
      environment: { image: engine?.image ?? "", commands: ["echo installed > /tool.txt"] },
      graders: [
        { type: "run-command", config: { command: "cat /tool.txt a.txt", stdout_contains: "installed\nkept\n" } },
      ],
    };
    const workspace = { changes: [{ path: "a.txt", status: "added", content: "kept\n" }] as const };
    const isolation = resolveBoxSettings({ isolation: engine?.isolation });
    const score = (metadata: Record<string, unknown>) => new GraderEvaluator().score(example, { workspace, metadata });
    expect(await score({ isolation })).toMatchObject({ scores: { verdict: 1, "run-command": 1 } });
    // Without the image, the result would mean something else.
    expect(JSON.stringify(await score({}).catch(String))).toContain("add --isolation container:docker");
  });
});
