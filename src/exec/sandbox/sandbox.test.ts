import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SandboxError, UsageError } from "../../core/errors.js";
import { lacksIsolation } from "../../testing/isolation.js";
import { describeIsolation, type Isolation } from "./isolation.js";
import { openSandbox, type Sandbox } from "./sandbox.js";

const python = (text: string, stdin?: string) => ({
  language: "python" as const,
  files: { "main.py": text },
  main: "main.py",
  ...(stdin === undefined ? {} : { stdin }),
});

const NONE = { kind: null, detail: "missing: bubblewrap", advice: ["apt-get install bubblewrap"] };

describe.skipIf(await lacksIsolation())("a sandbox", () => {
  let sandbox: Sandbox;
  let isolation: Isolation;

  beforeAll(async () => {
    isolation = await describeIsolation();
    sandbox = await openSandbox({ isolation, limits: { wallMs: 60_000 } });
  });

  afterAll(() => sandbox?.close());

  it("runs a Python program with its files and its input", async () => {
    const program = {
      language: "python" as const,
      files: {
        "main.py": "import helper, sys\nprint(helper.twice(sys.stdin.read()))",
        "helper.py": "def twice(x): return x * 2",
      },
      main: "main.py",
      stdin: "ab",
    };
    expect(await sandbox.run(program)).toEqual({
      exitCode: 0,
      signal: null,
      stdout: "abab\n",
      stderr: "",
      timedOut: false,
      outputTruncated: false,
      memoryExceeded: false,
    });
  });

  it("runs a JavaScript program", async () => {
    const text = "console.log(require('fs').readFileSync(0, 'utf8').length, 2n ** 70n)";
    const program = {
      language: "javascript" as const,
      files: { "main.js": text },
      main: "main.js",
      stdin: "é".repeat(70_000),
    };
    expect((await sandbox.run(program)).stdout).toBe("70000 1180591620717411303424n\n");
  });

  it("reports how a program ended", async () => {
    expect(await sandbox.run(python("raise SystemExit(7)"))).toMatchObject({ exitCode: 7, signal: null });
    const killed = await sandbox.run(python("import os\nos.kill(os.getpid(), 11)"));
    expect(killed).toMatchObject({ exitCode: null, signal: "SIGSEGV" });
    expect((await sandbox.run(python("1 / 0"))).stderr).toContain("ZeroDivisionError");
  });

  it("keeps output that is not valid UTF-8", async () => {
    const { stdout } = await sandbox.run(python("import sys\nsys.stdout.buffer.write(b'a\\xffb')"));
    expect(stdout).toBe("a\ufffdb");
  });

  it("accepts limits for one run", async () => {
    const { timedOut } = await sandbox.run(python("while True: pass"), { limits: { wallMs: 300 } });
    expect(timedOut).toBe(true);
    const { stderr } = await sandbox.run(python("open('big', 'wb').write(b'x' * 100000)"), {
      limits: { fileBytes: 1000 },
    });
    expect(stderr).toMatch(/File too large|Errno 27/);
  });

  it("stops a program that uses up its CPU time", async () => {
    const { signal, timedOut } = await sandbox.run(python("while True: pass"), { limits: { cpuSecs: 1 } });
    expect({ signal, timedOut }).toEqual({ signal: "SIGXCPU", timedOut: true });
  });

  it("rejects file names that lead elsewhere", async () => {
    for (const name of ["../x.py", "/x.py", "a/b.py", "", ".hidden"]) {
      await expect(sandbox.run({ language: "python", files: { [name]: "" }, main: name })).rejects.toThrow(UsageError);
    }
    await expect(sandbox.run({ language: "python", files: {}, main: "main.py" })).rejects.toThrow('no file "main.py"');
  });

  it("runs all programs within the concurrency limit", async () => {
    const narrow = await openSandbox({ isolation, concurrency: 1 });
    const text = "import time\nprint(time.time())\ntime.sleep(0.05)\nprint(time.time())";
    const runs = await Promise.all(Array.from({ length: 4 }, () => narrow.run(python(text))));
    const times = runs.map(({ stdout }) => stdout.split("\n").map(Number));
    for (const [index, [start = 0]] of times.entries()) {
      if (index > 0) expect(start).toBeGreaterThan(times[index - 1]?.[1] ?? 0);
    }
  });

  it("starts nothing when aborted while waiting", async () => {
    const narrow = await openSandbox({ isolation, concurrency: 1 });
    const first = narrow.run(python("import time\ntime.sleep(0.2)"));
    const waiting = narrow.run(python("print(1)"), { signal: AbortSignal.timeout(20) });
    await expect(waiting).rejects.toThrow("timeout");
    expect((await first).exitCode).toBe(0);
    expect((await narrow.run(python("print(2)"))).stdout).toBe("2\n");
  });

  it("also works in a user namespace, without root", async () => {
    const other = await openSandbox({ isolation: { ...isolation, kind: "user_namespace" } });
    const { stdout, exitCode, stderr } = await other.run(
      python("import os\nprint(os.getuid() == 0, os.path.exists('/etc/passwd'))"),
    );
    if (exitCode !== 0 && isolation.kind === "root")
      return console.warn(`skipped: no user namespaces here (${stderr.trim()})`);
    expect(stdout).toBe("False False\n");
  });

  it("leaves nothing in the temporary folder", async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("assay-program-"));
    await sandbox.run(python("print(1)"));
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("assay-program-"))).toEqual(before);
  });
});

describe("a machine without isolation", () => {
  it("explains what to install and how to run without", async () => {
    const isolation = { ...(await describeIsolation()), ...NONE, kind: null };
    const opening = openSandbox({ isolation });
    await expect(opening).rejects.toThrow(SandboxError);
    await expect(opening).rejects.toThrow(/apt-get install bubblewrap.*--unsafe-local-exec/);
  });

  it("runs programs unprotected only when told to, with a clean environment and limits", async () => {
    const isolation = { ...(await describeIsolation()), ...NONE, kind: null };
    const sandbox = await openSandbox({ isolation, unsafeLocalExec: true, limits: { wallMs: 60_000 } });
    expect(sandbox.isUnsafe).toBe(true);
    const { stdout } = await sandbox.run(
      python("import os\nprint(sorted(os.environ), os.getcwd(), open('main.py').read()[:6])"),
    );
    const [, folder = ""] = /\] (\S+) import/.exec(stdout) ?? [];
    expect(stdout).toMatch(/^\['LC_CTYPE'\]/);
    expect(folder).toContain("assay-program-");
    const { stderr } = await sandbox.run(python("x = bytearray(10 ** 10)"));
    expect(stderr).toContain("MemoryError");
    const { timedOut } = await sandbox.run(python("import os\nos.fork()\nwhile True: pass"), {
      limits: { wallMs: 400 },
    });
    expect(timedOut).toBe(true);
    await sandbox.close();
    await expect.poll(() => readdirSync(tmpdir()).filter((name) => folder === join(tmpdir(), name))).toEqual([]);
  });
});
