import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksIsolation } from "../../testing/isolation.js";
import { openSandbox, type Sandbox } from "./sandbox.js";
import { buildSyscallFilter, MACHINES } from "./syscall-filter.js";

/** Makes raw system calls without any library, and prints the results. */
const RAW = `
import ctypes, errno, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *args)
    return "ok" if result >= 0 else errno.errorcode.get(ctypes.get_errno(), "?")
`;
const IS_KNOWN = process.arch === "x64";

describe("the system call filter", () => {
  it("exists for supported processors only", () => {
    expect(buildSyscallFilter("x64")?.length).toBeGreaterThan(100);
    expect(buildSyscallFilter("arm64")?.length).toBeGreaterThan(100);
    expect(buildSyscallFilter("riscv64")).toBeNull();
  });

  it("lists each call once", () => {
    for (const { denied, socket, clone, clone3 } of Object.values(MACHINES)) {
      const all = [...denied, socket, clone, clone3];
      expect(new Set(all).size).toBe(all.length);
    }
  });
});

describe.skipIf((await lacksIsolation()) || !IS_KNOWN)("system calls in a sandbox", () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await openSandbox({ limits: { wallMs: 60_000 } });
  });
  afterAll(() => sandbox?.close());

  const run = async (text: string) => {
    const { stdout, stderr } = await sandbox.run({ language: "python", files: { "main.py": text }, main: "main.py" });
    return stdout.trim() || stderr;
  };

  it("cannot reach kernel keyrings", async () => {
    const text = `${RAW}
print(call(248, b"user", b"assay", b"x", 1, -5), call(249, b"user", b"assay", None, 0), call(250, 0, -3, 0))`;
    expect(await run(text)).toBe("EPERM EPERM EPERM");
  });

  it("cannot allocate memory that no limit counts", async () => {
    expect(await run(`${RAW}\nprint(call(319, b"x", 0), call(29, 0, 1 << 30, 0o1600), call(447, 0))`)).toBe(
      "EPERM EPERM EPERM",
    );
  });

  it("cannot create sockets other than network and Unix sockets", async () => {
    const text = `${RAW}
def family(number):
    try:
        socket.socket(number, socket.SOCK_STREAM).close()
        return "ok"
    except OSError as error:
        return errno.errorcode[error.errno]
print(*[family(number) for number in (1, 2, 10, 40, 38, 17, 16)])`;
    expect(await run(text)).toMatch(/^ok ok \S+( EAFNOSUPPORT){4}$/);
  });

  it("cannot create namespaces", async () => {
    const text = `${RAW}
NEWUSER = 0x10000000
print(call(272, NEWUSER), call(56, NEWUSER | 17, 0, 0, 0, 0), call(435, 0, 0), call(165, b"x", b"/tmp", b"tmpfs", 0, 0))`;
    expect(await run(text)).toBe("EPERM EPERM ENOSYS EPERM");
  });

  it("cannot inspect other processes or the kernel", async () => {
    expect(
      await run(`${RAW}\nprint(*{call(n, 0, 0, 0, 0, 0) for n in (101, 310, 311, 321, 298, 323, 425, 438)})`),
    ).toBe("EPERM");
  });

  it("can do what programs need: threads, children, pipes, event loops", async () => {
    const text = `
import asyncio, concurrent.futures, subprocess, sys, threading
seen = []
thread = threading.Thread(target=lambda: seen.append(1))
thread.start(); thread.join()
print(seen, subprocess.run([sys.executable, "-c", "print(2)"], capture_output=True, text=True).stdout.strip())
async def child():
    made = await asyncio.create_subprocess_exec("/bin/echo", "3", stdout=asyncio.subprocess.PIPE)
    return (await made.communicate())[0].decode().strip()
print(asyncio.run(child()))
with concurrent.futures.ThreadPoolExecutor(2) as pool: print(sum(pool.map(abs, [-4, -5])))`;
    expect(await run(text)).toBe("[1] 2\n3\n9");
  });

  it("can do what Node needs: workers and children", async () => {
    const text = `
const { Worker } = require("worker_threads"), { execFileSync } = require("child_process");
console.log(execFileSync(process.execPath, ["-p", "6 * 7"]).toString().trim());
new Worker("require('worker_threads').parentPort.postMessage(7)", { eval: true }).on("message", console.log);`;
    const program = { language: "javascript" as const, files: { "main.js": text }, main: "main.js" };
    expect(await sandbox.run(program)).toMatchObject({ stdout: "42\n7\n", exitCode: 0 });
  });
});
