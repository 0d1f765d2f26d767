import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { TempProject } from "../testing/temp-project.js";
import { exitOnSignal } from "./interrupt.js";

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s ends the process with 130, after temporary files are removed",
  async (signal) => {
    const space = new TempProject({ aside: "" });
    space.write(
      "work.mjs",
      `import { rmSync } from "node:fs";
    import { createJiti } from ${JSON.stringify(import.meta.resolve("jiti"))};
    const { exitOnSignal } = await createJiti(import.meta.url).import(${JSON.stringify(new URL("./interrupt.ts", import.meta.url).href)});
    process.once("exit", () => rmSync("aside"));
    await exitOnSignal(() => new Promise(() => setInterval(() => process.send?.("working"), 10)));`,
    );
    const child = spawn(process.execPath, ["work.mjs"], {
      cwd: space.dir,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    await once(child, "message");
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([130, null]);
    expect(existsSync(space.path("aside"))).toBe(false);
  },
);

test("passes on results and errors, and removes its listeners", async () => {
  const before = process.listenerCount("SIGINT");
  expect(await exitOnSignal(async () => process.listenerCount("SIGINT"))).toBe(before + 1);
  await expect(exitOnSignal(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(process.listenerCount("SIGINT")).toBe(before);
});
