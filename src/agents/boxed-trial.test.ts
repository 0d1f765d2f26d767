import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import type { EvalRow, Example } from "../core/index.js";
import { UsageError } from "../core/index.js";
import type { BoxRecord } from "../exec/index.js";
import { lacksBoxes } from "../testing/boxes.js";
import { type AgentTestFolders, createAgentFolders, runScriptedTrial } from "../testing/scripted-trial.js";
import { openAgent } from "./open-agent.js";

const AGENT = `node ${fileURLToPath(new URL("../../examples/tiny-agent.mjs", import.meta.url))} {prompt}`;

/** A model that asks for this command, then says that it is done. */
const doing = (command: string) => ({ tools: [{ command }, { text: "Done." }] });

const boxOf = (row: EvalRow) => row.metadata?.isolation as BoxRecord;

describe.skipIf(await lacksBoxes())("a trial in a box", () => {
  let place: AgentTestFolders;
  let outside: string;

  beforeEach(() => {
    place = createAgentFolders();
    outside = mkdtempSync(join(place.root, "outside-"));
    // Readable by all users, so that only the box keeps programs out.
    chmodSync(outside, 0o755);
    writeFileSync(join(outside, "secret.txt"), "the secret");
  });

  const trial = (command: string, options: Partial<Parameters<typeof runScriptedTrial>[0]> = {}) =>
    runScriptedTrial({
      does: [],
      place,
      model: doing(command),
      ...options,
      agent: { command: AGENT, model: "openai/gpt-5-mini", name: "tiny", isolation: "box", ...options.agent },
    });

  const checks = (command: string, more: object = {}) => ({
    type: "run-command",
    name: "checked",
    required: true,
    config: { command, ...more },
  });

  it("sets up, works and is graded with its own folders and its model alone", async () => {
    const look = `for p in ${outside}/secret.txt /root /home /var/log /etc/shadow; do test -e $p && echo $p; done; cat test.txt; id -u`;
    const example: Partial<Example> = {
      environment: { commands: [`(${look}) > set-up.txt 2>/dev/null`] },
      graders: [
        // None of the three sees anything, all are the same kind of user, and the test is not there before it is graded.
        checks("cat set-up.txt work.txt; test $(id -u) != 0; cat test.txt", {
          files: [{ dest: "test.txt", content: "a test" }],
          stdout_matches: "^[1-9]\\d*\\n[1-9]\\d*\\na test$",
        }),
      ],
    };
    const { row, mock } = await trial(`(${look}) > work.txt 2>/dev/null`, { example });
    expect(row).toMatchObject({ outcome: "pass", usage: { input: expect.any(Number) } });
    expect(mock.requests.length).toBe(2);
    expect(boxOf(row)).toEqual({
      kind: "box",
      limits: { processes: 1024, memoryGib: 4, cpus: 2, diskGib: 8 },
      allowHosts: [],
      allowPaths: [],
      limitedBy: expect.stringMatching(/^(?:cgroup|prlimit)$/),
      exceeded: [],
      network: { reached: {}, refused: {} },
    });
    expect(readdirSync(place.tmp)).toEqual([]);
  });

  it("goes on with the next trial after an attack, and says which limit was reached", async () => {
    const attack = "head -c 300M /dev/zero | tail > /dev/null; f() { f | f & }; f; sleep 1; touch done.txt";
    const examples = ["first", "second"].map((id) => ({
      id,
      question: "Do it",
      graders: [checks("true")],
    }));
    const { result } = await trial(attack, {
      dataset: examples,
      agent: { boxLimits: { processes: 48, memoryGib: 0.25, cpus: 1 }, maxParallel: 1 },
    });
    expect(result.rows).toHaveLength(2);
    for (const row of result.rows) {
      expect(["pass", "error"]).toContain(row.outcome);
      expect((row.notes ?? []).join("\n")).toMatch(/limits of the box that were reached: .*memory/);
    }
    expect(readdirSync(place.tmp)).toEqual([]);
  });

  it("sees nothing of a trial at the same time", async () => {
    const look = `ls -d ${place.tmp}/* > seen.txt; echo "$PWD" > own.txt`;
    const { result } = await trial(look, {
      dataset: ["a", "b", "c"].map((id) => ({
        id,
        question: "Do it",
        graders: [
          checks('test "$(wc -l < seen.txt)" = 1 && case "$(cat own.txt)" in "$(cat seen.txt)"/*) ;; *) exit 1; esac'),
        ],
      })),
    });
    expect(result.rows.map(({ outcome }) => outcome)).toEqual(["pass", "pass", "pass"]);
  });

  it("reads what is allowed, and records refused hosts", async () => {
    const { row } = await trial(
      `cat ${outside}/secret.txt > copy.txt; curl -s -o /dev/null http://example.org/; curl -s -o /dev/null https://example.org/; true`,
      {
        agent: { allowPaths: [outside], allowHosts: ["registry.example.org"] },
        example: { graders: [checks(`grep "the secret" copy.txt`)] },
      },
    );
    expect(row.outcome).toBe("pass");
    expect(boxOf(row)).toMatchObject({ allowPaths: [outside], network: { refused: { "example.org:80": 1 } } });
    expect(row.notes?.join()).toMatch(/connections that the box refused: example\.org:80 \(1\)/);
  });

  it("keeps the workspace as a folder of the user who runs Assay", async () => {
    const keepWorkspaces = join(place.root, "kept");
    await trial("echo hello > hello.txt", {
      agent: { keepWorkspaces },
      example: { graders: [checks("cat hello.txt")] },
    });
    const kept = join(keepWorkspaces, "tiny-task-0");
    expect(readFileSync(join(kept, "hello.txt"), "utf8")).toBe("hello\n");
    expect(existsSync(join(kept, "work"))).toBe(false);
  });

  it("is refused with a HOME that has a login", async () => {
    const opening = openAgent({ command: AGENT, isolation: "box", home: place.root, isPlan: true });
    await expect(opening).rejects.toThrow(UsageError);
    await expect(opening).rejects.toThrow(/--agent-home cannot be used in a box/);
  });
});
