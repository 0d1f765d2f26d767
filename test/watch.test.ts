import { spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { LAUNCHER, watchCommand } from "../src/testing/run-assay.js";
import { TempProject, type TestFileContent } from "../src/testing/temp-project.js";

const WAITING = "Waiting for changes. Press Ctrl-C to quit.";

const makeAnswer = (name: string) => `
import { appendFileSync } from "node:fs";
export function ${name}(example: { question: string }): string {
  appendFileSync("calls.log", "${name} ");
  return example.question;
}`;

const FILES = {
  "lib/echo.ts": makeAnswer("echo"),
  "lib/repeat.ts": makeAnswer("repeat"),
  "lib/rules.ts": "export const rules = { same: () => true };",
  "one.eval.ts": `
    import { echo } from "./lib/echo.js";
    import { rules } from "./lib/rules.js";
    export default { data: [{ question: "a" }, { question: "b" }], system: echo, evaluators: [rules] };`,
  "two.eval.ts": `
    import { repeat } from "./lib/repeat.js";
    export default { data: "questions.jsonl", system: repeat, evaluators: [{ same: () => true }] };`,
  "questions.jsonl": [{ question: "c" }],
};

/** Starts watching, with a way to wait for what it prints next. */
function startWatch(project: TempProject, ...args: string[]) {
  // One pipe for both streams keeps their order.
  const child = spawn("sh", ["-c", 'exec "$0" "$@" 2>&1', process.execPath, LAUNCHER, ...args], {
    cwd: project.dir,
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const command = watchCommand(child);
  let unread = "";
  let check = () => {};
  child.stdout.on("data", (text: string) => {
    unread += text;
    check();
  });
  /** What is printed up to this text, which must come. */
  const readUntil = (text: string) =>
    new Promise<string>((resolve, reject) => {
      check = () => {
        const at = unread.indexOf(text);
        if (at < 0) return;
        const part = unread.slice(0, at + text.length);
        unread = unread.slice(at + text.length);
        check = () => {};
        resolve(part);
      };
      check();
      command.finished.then(() => reject(new Error(`ended without "${text}":\n${unread}`)), reject);
    });
  return { ...command, readUntil };
}

/** How often each system was called. */
function countCalls(project: TempProject): Record<string, number> {
  const calls = project.read("calls.log").trim().split(" ");
  return {
    echo: calls.filter((name) => name === "echo").length,
    repeat: calls.filter((name) => name === "repeat").length,
  };
}

/** Replaces a file in one step, so that the watch never sees half of it. */
function replaceFile(project: TempProject, file: string, content: TestFileContent): void {
  project.write("next.tmp", content);
  mkdirSync(dirname(project.path(file)), { recursive: true });
  renameSync(project.path("next.tmp"), project.path(file));
}

describe("--watch", () => {
  it("runs again what depends on a changed file, with cached outputs", async () => {
    const project = new TempProject(FILES);
    const watch = startWatch(project, "--watch");
    expect(await watch.readUntil(WAITING)).toContain("Evals  2 passed (2)");
    expect(countCalls(project)).toEqual({ echo: 2, repeat: 1 });

    replaceFile(project, "lib/rules.ts", "export const rules = { same: ({ response }) => response === 'a' };");
    const scored = await watch.readUntil(WAITING);
    expect(scored).toContain("Changed: lib/rules.ts. Running one.eval.ts\n");
    expect(scored).toContain("1 of 2 passed");
    expect(scored).toContain("Evals  1 passed (1)");
    expect(countCalls(project)).toEqual({ echo: 2, repeat: 1 });

    replaceFile(project, "lib/echo.ts", `${makeAnswer("echo")}\n// changed`);
    expect(await watch.readUntil(WAITING)).toContain("Changed: lib/echo.ts. Running one.eval.ts\n");
    expect(countCalls(project)).toEqual({ echo: 4, repeat: 1 });

    replaceFile(project, "questions.jsonl", [{ question: "c" }, { question: "d" }]);
    expect(await watch.readUntil(WAITING)).toContain("Changed: questions.jsonl. Running two.eval.ts\n");
    expect(countCalls(project)).toEqual({ echo: 4, repeat: 2 });

    replaceFile(project, "lib/repeat.ts", "export const = 5;");
    expect(await watch.readUntil(WAITING)).toMatch(/Running two\.eval\.ts\n[\s\S]*lib\/repeat\.ts:1:\d+: /);
    replaceFile(project, "lib/repeat.ts", makeAnswer("repeat"));
    expect(await watch.readUntil(WAITING)).toContain("2 of 2 passed");
    // As before the syntax error, so nothing is called.
    expect(countCalls(project)).toEqual({ echo: 4, repeat: 2 });

    watch.child.kill("SIGINT");
    expect((await watch.finished).code).toBe(130);
  }, 120_000);

  it("finds new evals, notices deleted ones, and survives code that exits", async () => {
    const project = new TempProject(FILES);
    const watch = startWatch(project, "run", "one.eval.ts", "lib", "--watch", "--trials", "2", "--cache-dir", "kept");
    // An empty folder is refused, as without --watch.
    expect((await watch.finished).stdout).toContain("There is no eval file in lib.");

    replaceFile(
      project,
      "lib/third.eval.mjs",
      `export default { data: [{ question: "e" }], system: () => "e", evaluators: [{ same: () => 1 }] };`,
    );
    const again = startWatch(project, "run", "one.eval.ts", "lib", "--watch", "--trials", "2", "--cache-dir", "kept");
    expect(await again.readUntil(WAITING)).toMatch(/Evals {2}2 passed \(2\)\n\s+Trials .*\(6\)/);
    replaceFile(project, "lib/deep/new.eval.mjs", "process.exit(7);");
    expect(await again.readUntil(WAITING)).toContain("Changed: lib/deep/new.eval.mjs. Running lib/deep/new.eval.mjs\n");
    rmSync(project.path("one.eval.ts"));
    await again.readUntil("Changed: one.eval.ts.\n");
    replaceFile(project, "one.eval.ts", FILES["one.eval.ts"]);
    expect(await again.readUntil(WAITING)).toContain("Running one.eval.ts\n");
    again.child.kill("SIGTERM");
    expect((await again.finished).code).toBe(143);
    expect(existsSync(project.path("kept"))).toBe(true);
    expect(existsSync(project.path(".assay/cache"))).toBe(false);
  }, 120_000);

  it("stops a run in order on Ctrl-C, and leaves no process", async () => {
    const slow = `
      export default {
        data: [{ question: "a" }],
        system: (_, trial) => {
          console.error("pid " + process.pid + " is waiting");
          const alive = setInterval(() => {}, 1000);
          return new Promise((_, reject) => trial.signal.addEventListener("abort", () => {
            clearInterval(alive);
            reject(new Error("stopped"));
          }));
        },
      };`;
    const watch = startWatch(new TempProject({ "slow.eval.mjs": slow }), "run", "--watch");
    const pid = Number(/pid (\d+)/.exec(await watch.readUntil("is waiting"))?.[1]);
    expect(pid).not.toBe(watch.child.pid);
    watch.child.kill("SIGINT");
    const { code, stdout } = await watch.finished;
    expect(code).toBe(130);
    expect(stdout).toContain("Resume with: assay run --resume");
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  }, 60_000);

  it("does not run forever if an eval changes its own data", async () => {
    const restless = `
      import { appendFileSync } from "node:fs";
      appendFileSync("notes.txt", "x");
      export default { data: [{ question: "a" }], system: () => "a" };`;
    const watch = startWatch(new TempProject({ "a.eval.mjs": restless }), "run", "--watch");
    await watch.readUntil("notes.txt changes with every run, so this change does not start another one.");
    await watch.readUntil(WAITING);
    watch.child.kill("SIGINT");
    expect((await watch.finished).code).toBe(130);
  }, 120_000);

  it.each([
    [["--resume"], "--watch cannot be combined with --resume."],
    [["--dry-run"], "--watch cannot be combined with --dry-run."],
    [["--queue", "redis://127.0.0.1:1"], "--watch cannot be combined with --queue."],
    [["--output", "json"], "--watch cannot be combined with --output json."],
    [["--config", "x.yaml"], "--watch cannot be combined with --config."],
    [["--system", "passthrough"], "--watch is for eval files."],
    [["none.eval.ts"], "There is no eval file or folder none.eval.ts."],
    [["lib/echo.ts"], "lib/echo.ts is not an eval file"],
  ])("refuses %j", async (args, message) => {
    const { stderr, code } = await runPooledAssay(new TempProject(FILES).dir, "run", "--watch", ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it("refuses a folder without eval files", async () => {
    const { stderr, code } = await runPooledAssay(new TempProject().dir, "--watch");
    expect(stderr).toContain("--watch is for eval files, but there is none in this folder. Name it NAME.eval.ts.");
    expect(code).toBe(2);
  });
});
