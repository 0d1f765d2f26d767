import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { lacksIsolation } from "../../testing/isolation.js";
import { buildTextArgs } from "./interpreters.js";
import { describeIsolation, type Isolation } from "./isolation.js";
import { LineChannel } from "./line-channel.js";
import { openSandbox, type Sandbox } from "./sandbox.js";

const MIB = 2 ** 20;
const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
const python = (text: string) => ({ language: "python" as const, files: { "main.py": text }, main: "main.py" });

/** Every descriptor above 2 other than /dev/null. */
const LIST = `
import os, stat
for fd in range(3, 1024):
    try: found = os.fstat(fd)
    except OSError: continue
    if found.st_rdev != os.stat("/dev/null").st_rdev: print(fd, stat.filemode(found.st_mode))
`;

describe.skipIf(await lacksIsolation())("the process that runs sandboxes", () => {
  let sandbox: Sandbox;
  let isolation: Isolation;

  beforeAll(async () => {
    isolation = await describeIsolation();
    sandbox = await openSandbox({ isolation, limits: { wallMs: 60_000 } });
  });
  afterAll(() => sandbox?.close());

  it.each([null, "user_namespace"])("passes on no inherited descriptor (%s)", async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), "assay-stray-"));
    writeFileSync(join(folder, "secret.txt"), "secret");
    const script = `
import { createJiti } from "jiti";
import { readlinkSync } from "node:fs";
const jiti = createJiti(${JSON.stringify(import.meta.url)});
const { openSandbox } = await jiti.import("./sandbox.ts");
const { describeIsolation } = await jiti.import("./isolation.ts");
const found = await describeIsolation();
const sandbox = await openSandbox({ isolation: { ...found, kind: ${JSON.stringify(kind)} ?? found.kind } });
const { stdout, stderr } = await sandbox.run(${JSON.stringify(python(LIST))});
console.log(JSON.stringify({ stdout, stderr, held: [readlinkSync("/proc/self/fd/70"), readlinkSync("/proc/self/fd/171")] }));
`;
    const shell = 'exec 70<"$1/secret.txt" 171<"$1"; exec "$2" --input-type=module -e "$3"';
    const args = ["-c", shell, "bash", folder, process.execPath, script];
    try {
      const { stdout } = await promisify(execFile)("/bin/bash", args, { cwd: PROJECT });
      expect(JSON.parse(stdout)).toEqual({ stdout: "", stderr: "", held: [join(folder, "secret.txt"), folder] });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("is not filled by a program that floods its line channel", async () => {
    const text = "import os\nwhile True: os.write(3, b'x' * 60 + b'\\n' + b'y' * 60000 + b'\\n')";
    const launch = { language: "python" as const, args: buildTextArgs("python", text) };
    const before = process.memoryUsage.rss();
    const { stopped } = await sandbox.use({ ...launch, limits: { wallMs: 2000 } }, async (box) => {
      expect(await box.lines.next()).toBe("x".repeat(60));
      return box.ended;
    });
    expect(stopped).toBe("wall_time");
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MIB);
  });

  it("opens no line channel for a program that does not need one", async () => {
    expect((await sandbox.run(python("import os\nos.write(3, b'x')"))).stderr).toContain("Bad file descriptor");
  });

  it("gives two sandboxes different users", async () => {
    if (isolation.kind !== "root") return console.warn("skipped: only root gives boxes users of their own");
    const other = await openSandbox({ isolation });
    const text = "import os, time\nprint(os.getuid())\ntime.sleep(0.3)";
    const runs = await Promise.all([sandbox, other].map((each) => each.run(python(text))));
    expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(2);
  });

  it("does not take a program's output for its own failure", async () => {
    for (const name of ["bwrap", "setpriv", "prlimit"]) {
      const result = await sandbox.run(python(`import sys\nsys.stderr.write('${name}: gotcha')\nsys.exit(1)`));
      expect(result).toMatchObject({ exitCode: 1, stderr: `${name}: gotcha` });
    }
    const result = await sandbox.run(python("import sys\nsys.exit(152)"));
    expect(result).toMatchObject({ exitCode: 152, signal: null, timedOut: false });
  });

  it("reports its own failure", async () => {
    const broken = await openSandbox({ isolation, limits: { openFiles: 2 ** 60 } });
    await expect(broken.run(python("print(1)"))).rejects.toThrow(/The sandbox failed: prlimit/);
  });

  it("rejects files that do not fit in a sandbox", async () => {
    const run = (files: Record<string, string>) =>
      sandbox.run({ language: "python", files: { "main.py": "", ...files }, main: "main.py" });
    const many = Object.fromEntries(Array.from({ length: 2500 }, (_, number) => [`${number}.py`, ""]));
    for (const files of [{ "a\0b": "" }, { ["x".repeat(300)]: "" }, many, { big: "x".repeat(65 * MIB) }]) {
      await expect(run(files)).rejects.toThrow(UsageError);
    }
  });
});

describe("LineChannel", () => {
  it("leaves lines that were not requested with the sender", async () => {
    const stream = new PassThrough({ highWaterMark: 100 });
    const channel = new LineChannel(stream, 1000);
    let sent = 0;
    while (sent < 1000 && stream.write(`${sent}\n`)) {
      sent += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sent).toBeLessThan(100);
    stream.end();
    for (let number = 0; number <= sent; number++) expect(await channel.next()).toBe(String(number));
    expect(await channel.next()).toBeNull();
  });

  it("returns the remaining lines after the process has ended", async () => {
    const stream = new PassThrough();
    const channel = new LineChannel(stream, 1000);
    for (let number = 0; number < 50; number++) stream.write(`${number}\n`);
    stream.end();
    channel.release();
    await new Promise((resolve) => stream.once("close", resolve));
    expect(await channel.next()).toBe("0");
  });

  it("ends at once without a stream", async () => {
    expect(await new LineChannel(null, 10).next()).toBeNull();
  });
});
