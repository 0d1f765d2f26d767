import { expect, it } from "vitest";
import { TempProject } from "../testing/temp-project.js";
import type { ServeRequest } from "./worker-process.js";
import { RunProcess } from "./worker-process.js";

const ORDER: ServeRequest = {
  ...{ kind: "serve", run: "key", queue: "redis://:secret@host", concurrency: 8, leaseSeconds: 15 },
  ...{ headers: { Authorization: "Bearer x" }, project: null, sharedDir: null },
  allowed: { kinds: [], env: [] },
  share: "usual",
};

/** Starts a program instead of the command line and collects its output. */
function startProgram(program: string) {
  const lines: string[] = [];
  const launcher = new TempProject({ "program.mjs": program }).path("program.mjs");
  const running = new RunProcess({ launcher, order: ORDER, onLine: (line) => lines.push(line) });
  return { running, lines };
}

it("receives its request as a message, and forwards lines and states", async () => {
  const { running, lines } = startProgram(`
    process.once("message", (order) => {
      console.log(JSON.stringify(order));
      console.error(process.argv.slice(2).join(" ") + "\\nno end of line");
      process.send({ kind: "state", state: { done: 3 } }, () => process.exit(0));
    });`);
  expect(await running.ended).toEqual({ kind: "over", why: "", exitCode: 0 });
  expect(running.state).toEqual({ done: 3 });
  expect(JSON.parse(lines[0] ?? "")).toEqual(ORDER);
  expect(lines.slice(1)).toEqual(["worker --serve", "no end of line"]);
});

it.each([
  [
    "refuses",
    `process.send({ kind: "refused", why: "other code" }, () => process.exit(2));`,
    { kind: "refused", why: "other code", exitCode: 2 },
  ],
  ["fails", "process.exit(7);", { kind: "crashed", why: "exit code 7", exitCode: 7 }],
  ["is killed", `process.kill(process.pid, "SIGKILL");`, { kind: "crashed", why: "SIGKILL", exitCode: 3 }],
])("reports the ending of a process that %s", async (_, program, ending) => {
  expect(await startProgram(program).running.ended).toEqual(ending);
});

it("finishes or exits at once; an unresponsive process is killed", async () => {
  const listens = `process.on("message", ({ kind }) => kind === "drain" && process.exit(0)); console.log("there");
    process.on("disconnect", () => process.exit(130));`;
  const drained = startProgram(listens);
  drained.running.drain();
  expect(await drained.running.ended).toMatchObject({ kind: "over" });
  const quit = startProgram(listens);
  await expect.poll(() => quit.lines).toEqual(["there"]);
  quit.running.quit();
  expect(await quit.running.ended).toMatchObject({ kind: "crashed", exitCode: 130 });
  const deaf = startProgram("for (;;);");
  deaf.running.quit();
  deaf.running.kill();
  expect(await deaf.running.ended).toMatchObject({ kind: "crashed", why: "SIGKILL" });
  // Messages to a process that has exited are ignored.
  for (const { running } of [drained, quit, deaf]) running.drain();
});
