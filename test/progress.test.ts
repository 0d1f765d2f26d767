import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { describeProgress, ProgressLine } from "../src/cli/progress.js";
import { LAUNCHER, watchCommand } from "../src/testing/run-assay.js";
import { isCommandMissing } from "../src/testing/system-command.js";
import { TempProject } from "../src/testing/temp-project.js";

const HALF = {
  done: 50,
  total: 100,
  resumed: 0,
  passed: 20,
  scored: 40,
  errors: 10,
  costUsd: null,
  elapsedMs: 0,
  waiting: null,
  warning: null,
};

class Recorder {
  written = "";
  readonly isTTY: boolean;
  readonly columns: number;

  constructor(isTTY: boolean, columns = 80) {
    this.isTTY = isTTY;
    this.columns = columns;
  }

  write(text: string): void {
    this.written += text;
  }
}

describe("progress", () => {
  it("shows progress, pass rate, cost, speed and remaining time", () => {
    expect(describeProgress({ ...HALF, elapsedMs: 1000 })).toBe("50/100 · 50 % pass · 10 errors · 50/s · 1.00 s left");
    expect(describeProgress({ ...HALF, errors: 1, costUsd: 0.5, elapsedMs: 100_000 })).toBe(
      "50/100 · 50 % pass · 1 error · $0.5000 · 0.5/s · 1 min 40 s left",
    );
    expect(describeProgress({ ...HALF, done: 0, scored: 0, errors: 0 })).toBe("0/100 · nothing scored yet · 0.0/s");
  });

  it("counts only the speed since this start", () => {
    expect(describeProgress({ ...HALF, errors: 0, resumed: 40, elapsedMs: 1000 })).toContain(" · 10/s · 5.00 s left");
  });

  it("redraws one line on a terminal, cut to its width and cleared at the end", () => {
    const terminal = new Recorder(true, 30);
    const line = new ProgressLine(terminal);
    for (const elapsedMs of [50, 150, 180, 260]) line.update({ ...HALF, elapsedMs });
    line.clear();
    line.clear();
    const [before, ...drawn] = terminal.written.split("\r\u001b[2K");
    expect(before).toBe("");
    expect(drawn).toHaveLength(3);
    expect(drawn[0]).toMatch(/^50\/100 · 50 % pass/);
    expect(drawn.every((text) => text.length < 30)).toBe(true);
    expect(drawn.at(-1)).toBe("");
  });

  it("writes a plain line from time to time elsewhere", () => {
    const pipe = new Recorder(false);
    const line = new ProgressLine(pipe);
    for (let elapsedMs = 100; elapsedMs <= 11_000; elapsedMs += 100) line.update({ ...HALF, elapsedMs });
    line.clear();
    expect(pipe.written).toMatch(/^50\/100 [ -~·]+\n50\/100 [ -~·]+\n$/);
  });

  it.skipIf(isCommandMissing("script"))(
    "is drawn by the real command on a real terminal, and cleared at the end",
    async () => {
      const slow = `export default { name: "slow", process: () => new Promise((resolve) => setTimeout(resolve, 60, { response: "x" })) };`;
      const rows = Array.from({ length: 5 }, (_, i) => ({ id: i, question: "q", answer: "x" }));
      const space = new TempProject({ "q.jsonl": rows, "slow.mjs": slow });
      const command = `'${process.execPath}' '${LAUNCHER}' --dataset q.jsonl --system ./slow.mjs --max-workers 1`;
      const child = spawn("script", ["-qec", command, "/dev/null"], {
        cwd: space.dir,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const { code, stdout } = await watchCommand(child).finished;
      expect(code).toBe(0);
      const drawn = stdout.split("\r\u001b[2K");
      expect(drawn[1]).toMatch(/^\d\/5 · 100 % pass · [\d.]+\/s/);
      expect(drawn.at(-1)?.startsWith("\u001b[1mq: slow")).toBe(true);
    },
  );
});
