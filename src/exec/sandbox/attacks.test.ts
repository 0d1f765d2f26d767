import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksIsolation } from "../../testing/isolation.js";
import { openSandbox, type ProgramResult, type RunOptions, type Sandbox } from "./sandbox.js";

const MIB = 2 ** 20;
const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
const LIMITS = { wallMs: 60_000, memoryBytes: 192 * MIB, diskBytes: 8 * MIB, processes: 24, outputBytes: 64 * 1024 };
/** For programs that only end by being stopped. */
const SHORT = { limits: { wallMs: 1200 } };

let sandbox: Sandbox;
let outside: string;

/** A file name that no other program on this machine uses. */
const marker = () => `attack-${randomBytes(6).toString("hex")}`;

/** Processes of this machine that run a file of this name. */
function survivors(name: string): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(name));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

async function attack(name: string, text: string, options?: RunOptions): Promise<ProgramResult> {
  const language = name.endsWith(".py") ? "python" : "javascript";
  const result = await sandbox.run({ language, files: { [name]: text }, main: name }, options);
  expect(survivors(name)).toEqual([]);
  return result;
}

const python = (text: string, options?: RunOptions) => attack(`${marker()}.py`, text, options);
const javascript = (text: string, options?: RunOptions) => attack(`${marker()}.js`, text, options);

describe.skipIf(await lacksIsolation())("attempts to escape the sandbox", () => {
  beforeAll(async () => {
    process.env.ASSAY_TEST_API_KEY = "sk-of-the-parent";
    outside = mkdtempSync(join(tmpdir(), "assay-outside-"));
    writeFileSync(join(outside, "precious.txt"), "still here");
    sandbox = await openSandbox({ limits: LIMITS });
  });

  afterAll(async () => {
    delete process.env.ASSAY_TEST_API_KEY;
    await sandbox?.close();
    rmSync(outside, { recursive: true, force: true });
  });

  const precious = () => readFileSync(join(outside, "precious.txt"), "utf8");

  it("contains a fork bomb", async () => {
    const bomb = `
import os, sys
made = 0
while True:
    try:
        if os.fork() == 0:
            while True: pass
        made += 1
    except OSError:
        break
print(made, flush=True)
while True: os.fork() if False else None
`;
    const { stdout, timedOut } = await python(bomb, SHORT);
    expect(timedOut).toBe(true);
    expect(Number(stdout)).toBeGreaterThan(2);
    expect(Number(stdout)).toBeLessThan(LIMITS.processes);
  });

  it("contains a fork bomb that grows in every process", async () => {
    const { timedOut } = await python("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", SHORT);
    expect(timedOut).toBe(true);
  });

  it("contains a fork bomb of Node processes", async () => {
    const bomb = `
const { spawn } = require("child_process");
process.on("uncaughtException", () => {});
setInterval(() => { for (let i = 0; i < 20; i += 1) spawn(process.execPath, [__filename]).on("error", () => {}); }, 1);
`;
    const { timedOut, memoryExceeded, exitCode } = await javascript(bomb, SHORT);
    expect(timedOut || memoryExceeded || exitCode !== 0).toBe(true);
  });

  it("contains a memory bomb", async () => {
    const { exitCode, stderr } = await python("x = []\nwhile True: x.append(bytearray(1 << 20))");
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("MemoryError");
  });

  it("contains a memory bomb of many processes", async () => {
    const bomb = `
import os, time
for _ in range(8):
    if os.fork() == 0:
        x = bytearray(100 << 20)
        for i in range(0, len(x), 4096): x[i] = 1
        time.sleep(60)
time.sleep(60)
`;
    const { memoryExceeded, timedOut } = await python(bomb);
    expect({ memoryExceeded, timedOut }).toEqual({ memoryExceeded: true, timedOut: false });
  });

  it("contains a memory bomb of shared memory", async () => {
    const { exitCode } = await python("import mmap\nm = mmap.mmap(-1, 1 << 32)\nm.write(b'x' * (1 << 32))");
    expect(exitCode).not.toBe(0);
  });

  it("contains a memory bomb in Node", async () => {
    const heap = await javascript("const all = []; for (;;) all.push(new Array(1000).fill({}))");
    expect(heap.exitCode).not.toBe(0);
    const buffers = await javascript(
      "const all = []; for (let i = 0; i < 400; i += 1) all.push(Buffer.alloc(1 << 20, 1))",
    );
    expect(buffers.exitCode).not.toBe(0);
  });

  it("contains a program that fills the disk", async () => {
    const fill = `
import os
written = 0
for number in range(10000):
    try:
        with open("file%d" % number, "wb") as file:
            for _ in range(100): written += file.write(b"x" * 65536); file.flush()
    except OSError as error:
        print(written, error.errno)
        break
`;
    const { stdout } = await python(fill);
    const [written, errno] = stdout.split(" ").map(Number);
    expect(written).toBeGreaterThan(LIMITS.diskBytes / 2);
    expect(written).toBeLessThanOrEqual(LIMITS.diskBytes);
    expect(errno).toBe(28);
  });

  it("leaves no other place to fill", async () => {
    const look = `
import os
print([place for place, _, _ in os.walk("/") if os.access(place, os.W_OK)])
`;
    // Walking the whole file system takes a while on a busy machine.
    const { stdout } = await python(look, { limits: { wallMs: 60_000 } });
    expect(stdout.trim()).toBe("['/tmp']");
  });

  it("stops an infinite loop", async () => {
    expect(await python("while True: pass", SHORT)).toMatchObject({ timedOut: true, exitCode: null });
    expect(await javascript("for (;;);", SHORT)).toMatchObject({ timedOut: true, exitCode: null });
  });

  it("stops a program that sleeps, ignores signals and catches everything", async () => {
    const stubborn = `
import signal, time
for number in range(1, 64):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True:
    try: time.sleep(60)
    except BaseException: pass
`;
    expect((await python(stubborn, SHORT)).timedOut).toBe(true);
  });

  it("stops infinite output", async () => {
    const loud = await python("while True: print('x' * 1000)");
    expect(loud).toMatchObject({ outputTruncated: true, timedOut: false });
    expect(loud.stdout.length).toBe(LIMITS.outputBytes);
    const errors = await python("import sys\nwhile True: sys.stderr.write('x' * 1000)");
    expect(errors.outputTruncated).toBe(true);
    expect((await javascript("for (;;) require('fs').writeSync(1, 'x'.repeat(1000))")).outputTruncated).toBe(true);
  });

  it("hides the environment", async () => {
    const { stdout } = await python("import os\nprint(sorted(os.environ), dict(os.environ))");
    expect(stdout).not.toContain("sk-of-the-parent");
    expect(stdout).toContain("['LC_CTYPE', 'PWD']");
    const { stdout: fromNode } = await javascript("console.log(JSON.stringify(process.env))");
    expect(JSON.parse(fromNode)).toEqual({ PWD: "/tmp" });
  });

  it("shows only its own processes", async () => {
    const look = "import os\nprint(os.path.exists('/proc'), os.path.exists('/sys'), os.getpid() < 10)";
    expect((await python(look)).stdout.trim()).toBe("False False True");
  });

  it("hides the home, the project and other users' files", async () => {
    const places = [
      homedir(),
      PROJECT,
      join(PROJECT, "package.json"),
      outside,
      "/etc/passwd",
      "/var",
      "/work",
      "/root",
    ];
    const { stdout } = await python(`import os\nprint([p for p in ${JSON.stringify(places)} if os.path.exists(p)])`);
    expect(stdout.trim()).toBe("[]");
    const inNode = `console.log(${JSON.stringify(places)}.filter((p) => require("fs").existsSync(p)).length)`;
    expect((await javascript(inNode)).stdout.trim()).toBe("0");
  });

  it("prevents deleting files outside", async () => {
    const path = JSON.stringify(join(outside, "precious.txt"));
    const { stdout } = await python(`
import os, shutil
try: os.remove(${path})
except OSError as error: print(type(error).__name__)
shutil.rmtree("/", ignore_errors=True)
print(os.path.exists("/usr/bin"))
`);
    expect(stdout.split("\n").slice(0, 2)).toEqual(["FileNotFoundError", "True"]);
    expect(precious()).toBe("still here");
    expect(existsSync("/usr/bin/env")).toBe(true);
  });

  it("prevents writing to the system", async () => {
    const { stdout } = await python(`
import os
for path in ("/usr/evil", "/usr/bin/evil", "/etc/evil", "/evil", "/dev/evil", "/lib/evil"):
    try: open(path, "w"); print("written", path)
    except OSError as error: print(error.errno in (13, 30))
`);
    expect(stdout).toBe("True\n".repeat(6));
    expect(existsSync("/usr/evil")).toBe(false);
  });

  it("prevents connections to servers on this machine", async () => {
    let visits = 0;
    const server = createServer((socket) => {
      visits += 1;
      socket.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const { stdout } = await python(`
import socket
for host in ("127.0.0.1", "localhost", "0.0.0.0"):
    try: socket.create_connection((host, ${port}), 1); print("reached")
    except OSError as error: print("refused")
`);
    const call = `fetch("http://127.0.0.1:${port}").then(() => console.log("reached"), () => console.log("refused"))`;
    const { stdout: fromNode } = await javascript(call);
    server.close();
    expect(stdout).toBe("refused\n".repeat(3));
    expect(fromNode).toBe("refused\n");
    expect(visits).toBe(0);
  });

  it("prevents connections to the network", async () => {
    const { stdout } = await python(`
import socket
for host in ("1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "example.com"):
    try: socket.create_connection((host, 53), 1); print("reached")
    except OSError as error: print("refused")
`);
    expect(stdout).toBe("refused\n".repeat(4));
  });

  it("leaves no detached children", async () => {
    const detach = `
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(0); os.close(1); os.close(2)
            time.sleep(600)
        os._exit(0)
print("left")
`;
    expect((await python(detach)).stdout).toBe("left\n");
    const inNode = `require("child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 600000)", __filename],
      { detached: true, stdio: "ignore" }).unref();`;
    expect((await javascript(inNode)).exitCode).toBe(0);
  });

  it("follows no link out of its folder", async () => {
    const path = JSON.stringify(join(outside, "precious.txt"));
    const { stdout } = await python(`
import os
os.symlink(${path}, "link")
os.symlink("/etc/shadow", "shadow")
os.symlink("../../../../..", "up")
for name in ("link", "shadow", "up" + ${path}):
    try: print(open(name).read())
    except OSError as error: print(type(error).__name__)
try: open("link", "w").write("gone")
except OSError as error: print(type(error).__name__)
`);
    expect(stdout).toBe("FileNotFoundError\n".repeat(4));
    expect(precious()).toBe("still here");
  });

  it("survives a program that kills everything it can", async () => {
    const kill = `
import os, signal
for pid in (os.getppid(), 1, -1):
    try: os.kill(pid, signal.SIGKILL)
    except OSError: pass
`;
    await python(kill);
    await javascript("for (const pid of [process.ppid, 1, -1]) try { process.kill(pid, 'SIGKILL') } catch {}");
    expect((await python("print('fine')")).stdout).toBe("fine\n");
  });

  it("grants only the rights of an unused user", async () => {
    const look =
      "import os\nprint(os.getuid() == 0, os.getgroups(), os.system('/usr/bin/unshare -Ur /usr/bin/true') == 0)";
    const { stdout } = await python(look);
    expect(stdout).toMatch(/^False /);
    expect(stdout).not.toContain("[0]");
  });

  it("hides programs from each other", async () => {
    await python("open('/tmp/remains.txt', 'w').write('secret')");
    expect((await python("import os\nprint(os.listdir('/tmp'))")).stdout).not.toContain("remains");
  });

  it.each([0, 1, 2, 4, 8, 12, 16, 24, 50, 300])("leaves nothing when aborted after %d ms", async (ms) => {
    const name = `${marker()}.py`;
    const controller = new AbortController();
    const sleeper = { language: "python" as const, files: { [name]: "import time\ntime.sleep(60)" }, main: name };
    const running = sandbox.run(sleeper, { signal: controller.signal });
    setTimeout(() => controller.abort(), ms);
    await expect(running).rejects.toThrow("aborted");
    expect(survivors(name)).toEqual([]);
  });

  it("stops everything when Assay itself is killed", async () => {
    const name = `${marker()}.py`;
    const sleeper = { language: "python", files: { [name]: "import time\ntime.sleep(60)" }, main: name };
    const script = `
import { createJiti } from "jiti";
const { openSandbox } = await createJiti(${JSON.stringify(import.meta.url)}).import("./sandbox.ts");
const sandbox = await openSandbox();
process.stdout.write("open\\n");
await sandbox.run(${JSON.stringify(sleeper)});
`;
    const assay = spawn(process.execPath, ["--input-type=module", "-e", script], {
      cwd: PROJECT,
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(assay.stdout, "data");
    await until(() =>
      survivors(name).some((pid) => commandOf(pid).includes("python") && !commandOf(pid).includes("bwrap")),
    );
    assay.kill("SIGKILL");
    await until(() => survivors(name).length === 0);
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  const end = performance.now() + 120_000;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error("it did not happen within 120 s");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
