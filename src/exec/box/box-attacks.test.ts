import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir, networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lacksBoxes } from "../../testing/boxes.js";
import { type CommandOptions, type CommandResult, runCommand, startProgram } from "../process/index.js";
import { Box, type BoxPorts } from "./box.js";
import { resolveBoxSettings } from "./box-settings.js";

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
const LIMITS = { processes: 32, memoryGib: 0.25, cpus: 1, diskGib: 0.03 };
const PATH = "/usr/local/bin:/usr/bin:/bin";

/** Ends what hangs; no attack is stopped by it. */
const TIMEOUT_MS = 120_000;

let root: string;
let work: string;
let outside: string;
let box: Box;

async function openBox(ports: Partial<BoxPorts> = {}, readable: readonly string[] = []): Promise<Box> {
  const settings = resolveBoxSettings({ isolation: "box", limits: LIMITS });
  if (settings === null) throw new Error("there is no box");
  const writable = [work, join(root, "home"), join(root, "tmp")];
  return Box.open(settings, { scratch: join(root, "box"), writable, readable }, ports);
}

function run(command: string, options: Partial<CommandOptions> = {}): Promise<CommandResult> {
  const env = { PATH, HOME: join(root, "home"), TMPDIR: join(root, "tmp"), ...options.env };
  return runCommand({ command, shell: true, cwd: work, box, timeoutMs: TIMEOUT_MS, ...options, env });
}

function runNode(script: string, options: Partial<CommandOptions> = {}): Promise<CommandResult> {
  return run("node", { shell: false, args: ["-e", script], ...options });
}

/** Processes of this machine whose command line contains a text. */
function findProcesses(text: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const isZombie = readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
      return !isZombie && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(text);
    } catch {
      return false;
    }
  });
}

const createMark = () => `attack-${randomBytes(6).toString("hex")}`;

const canBreathe = async () => expect((await run("echo still here")).stdout).toBe("still here\n");

describe.skipIf(await lacksBoxes())("attempts to leave the box", () => {
  beforeAll(() => {
    process.env.ASSAY_TEST_API_KEY = "sk-of-the-parent";
  });
  afterAll(() => {
    delete process.env.ASSAY_TEST_API_KEY;
  });

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "assay-boxed-"));
    work = join(root, "work");
    for (const name of ["work", "home", "tmp"]) mkdirSync(join(root, name));
    // Readable by all users, so that only the box keeps programs out.
    outside = mkdtempSync(join(tmpdir(), "assay-outside-"));
    chmodSync(outside, 0o777);
    writeFileSync(join(outside, "precious.txt"), "still here");
    chmodSync(join(outside, "precious.txt"), 0o666);
    box = await openBox();
  });
  afterEach(async () => {
    await box.close();
    rmSync(root, { recursive: true, force: true });
    rmSync(outside, { recursive: true, force: true });
  });

  const precious = () => readFileSync(join(outside, "precious.txt"), "utf8");

  it("shows no secret of the machine: files, variables, processes", async () => {
    const other = mkdtempSync(join(tmpdir(), "assay-workspace-"));
    mkdirSync(join(root, "baseline"));
    const places = [
      homedir(),
      PROJECT,
      outside,
      other,
      join(root, "baseline"),
      "/var/log",
      "/etc/shadow",
      "/sys",
      "/srv",
    ];
    const look = `for p in ${places.join(" ")}; do test -e "$p" && echo "$p"; done; env; ls /tmp; cat /etc/passwd; cat /proc/*/environ; cat /proc/*/cmdline`;
    const { stdout } = await run(look);
    rmSync(other, { recursive: true });
    expect(stdout).not.toContain("sk-of-the-parent");
    for (const place of places) expect(stdout.split("\n")).not.toContain(place);
    expect(stdout).not.toContain("vitest");
    expect(stdout).toMatch(/^assay-boxed-\w+$/m);
  });

  it("lets nothing be written but its own folders", async () => {
    const places = ["/", "/usr", "/etc", "/dev", "/run", "/var", "/proc/sys/kernel", root, homedir(), outside];
    const { stdout } = await run(
      `for p in ${places.join(" ")}; do ( echo x > "$p/evil" ) 2>/dev/null && echo "$p"; done; for p in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /run/assay/env /etc/passwd; do ( echo x > "$p" ) 2>/dev/null && echo "$p"; done; touch "$HOME/a" "$TMPDIR/b" /tmp/c /dev/shm/d "$PWD/e" && echo fine`,
    );
    expect(stdout).toBe("fine\n");
    expect(existsSync(join(work, "e"))).toBe(true);
  });

  it("reaches no server of this machine or of any other", async () => {
    let visits = 0;
    const servers: Server[] = [];
    const listen = async (place: object) => {
      const server = createServer((socket) => {
        visits += 1;
        socket.end();
      });
      servers.push(server);
      server.listen(place);
      await once(server, "listening");
      return server.address() as { port: number };
    };
    const { port } = await listen({ port: 0, host: "0.0.0.0" });
    const socket = join(outside, "open.sock");
    await listen({ path: socket });
    const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
    const script = `
const net = require("node:net"), dns = require("node:dns"), udp = require("node:dgram");
const tries = ${JSON.stringify([...own, "127.0.0.1", "10.0.0.1", "169.254.169.254", "1.1.1.1"])}.map((host) => ({ host, port: ${port} }));
const attempt = (where) => new Promise((done) => { const s = net.connect(where, () => done("reached " + JSON.stringify(where))); s.on("error", () => done("")); s.setTimeout(500, () => { s.destroy(); done(""); }); });
const lookup = new Promise((done) => dns.lookup("example.org", (error) => done(error ? "" : "resolved")));
const send = new Promise((done) => udp.createSocket("udp4").send("x", 53, "1.1.1.1", (error) => done(error ? "" : "sent")));
Promise.all([...tries, { path: ${JSON.stringify(socket)} }].map(attempt).concat(lookup, send)).then((all) => { console.log(all.join("")); process.exit(); });
`;
    const { stdout, stderr } = await runNode(script);
    for (const server of servers) server.close();
    expect([stdout, stderr, visits]).toEqual(["\n", "", 0]);
  });

  it("survives a fork bomb", async () => {
    const mark = createMark();
    const bomb = `for (let i = 0; i < 200; i += 1) require("node:child_process").spawn("sleep", ["60", "${mark}"]).on("error", () => {});
setTimeout(() => {}, 500);`;
    await runNode(bomb);
    expect(findProcesses(mark)).toEqual([]);
    const shell = await run(`f() { f | f & }; f; sleep 1; : ${mark}`);
    expect(shell.timedOut).toBe(false);
    expect(findProcesses(mark)).toEqual([]);
    if (box.record.limitedBy === "cgroup") expect(box.record.exceeded).toEqual(["processes"]);
    await canBreathe();
  });

  /** Each holds it in memory until its input ends. */
  const HOLD_MEMORY =
    "for i in 1 2 3 4 5; do (head -c 90M /dev/zero; sleep 2) | tail >/dev/null & done; wait; echo over";

  it("survives a memory bomb, of one process and of many", async () => {
    const one = await runNode("const all = []; for (;;) all.push(Buffer.alloc(1 << 24, 1));");
    expect(one.code).not.toBe(0);
    const many = await run(HOLD_MEMORY);
    expect(many.timedOut).toBe(false);
    const shared = await run("head -c 400M /dev/zero > /dev/shm/x || echo full");
    expect(shared.stdout).toBe("full\n");
    expect(box.record.exceeded).toContain("memory");
    await canBreathe();
  });

  it("survives a program that fills the disk", async () => {
    const { code, timedOut } = await run(
      `while true; do i=$((i + 1)); head -c 4M /dev/urandom > file$i || exit 7; done`,
    );
    expect([code === 0, timedOut]).toEqual([false, false]);
    const bytes = readdirSync(work).reduce((sum, name) => sum + statSync(join(work, name)).blocks * 512, 0);
    // It is stopped a moment after it went over.
    expect(bytes).toBeGreaterThan(LIMITS.diskGib * 2 ** 29);
    expect(box.record.exceeded).toContain("disk");
    rmSync(work, { recursive: true });
    mkdirSync(work);
    await canBreathe();
  });

  it("follows no link that leads out", async () => {
    const target = join(outside, "precious.txt");
    const before = statSync(target);
    await run(
      `ln -s ${target} link; ln -s ${outside} folder; ln -s / top; echo evil > link; echo evil > folder/new; echo evil > top${target}; rm -rf "$TMPDIR" && ln -s ${outside} "$TMPDIR"`,
    );
    // Its folders are given to the user inside, and back, without following links.
    await run("true");
    await box.giveBack();
    expect([precious(), readdirSync(outside)]).toEqual(["still here", ["precious.txt"]]);
    expect(statSync(target).uid).toBe(before.uid);
    expect(lstatSync(join(work, "link")).isSymbolicLink()).toBe(true);
  });

  it("changes the owner of each file once, because a change would be taken for work", async () => {
    writeFileSync(join(work, "file.txt"), "");
    await box.claim();
    const { ctimeNs, uid } = statSync(join(work, "file.txt"), { bigint: true });
    await run("true");
    expect(statSync(join(work, "file.txt"), { bigint: true }).ctimeNs).toBe(ctimeNs);
    if (process.getuid?.() === 0) expect(uid).not.toBe(0n);
  });

  it("mounts nothing where a link leads to", async () => {
    symlinkSync(outside, join(work, "folder"));
    const { code, stderr } = await run("echo evil > new", { cwd: join(work, "folder") });
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(/chdir|No such file/)]);
    expect(readdirSync(outside)).toEqual(["precious.txt"]);
  });

  it("takes every background process down", async () => {
    const mark = createMark();
    const hide = `(setsid env -i /bin/sh -c 'trap "" TERM INT HUP; cd /; while true; do sleep 1; : ${mark}; done' >/dev/null 2>&1 &) ; echo $$`;
    const { stdout } = await run(hide);
    expect(stdout).toMatch(/^\d+\n$/);
    expect(findProcesses(mark)).toEqual([]);
    const program = await startProgram({
      command: "/bin/sh",
      args: ["-c", `${hide}; sleep 600`],
      cwd: work,
      env: { PATH },
      box,
    });
    await once(program.stdout, "data");
    expect(findProcesses(mark)).not.toEqual([]);
    expect((await program.stop(200)).left).toEqual([]);
    expect(findProcesses(mark)).toEqual([]);
  });

  it("gives a program time to end, and its own exit code", async () => {
    const script = "trap 'echo asked; exit 5' TERM; echo ready; while true; do sleep 0.05; done";
    const program = await startProgram({ command: "/bin/sh", args: ["-c", script], cwd: work, env: { PATH }, box });
    let said = "";
    program.stdout.on("data", (chunk) => {
      said += chunk;
    });
    await expect.poll(() => said).toBe("ready\n");
    await program.stop(60_000);
    await program.closed;
    expect([await program.ended, said]).toEqual([{ code: 5, signal: null }, "ready\nasked\n"]);
  });

  it("gives no rights: no root, no namespaces, no programs of root", async () => {
    const { stdout } = await run(
      `id -u; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status; unshare -U true 2>/dev/null && echo namespace; unshare -n true 2>/dev/null && echo network; mount -t tmpfs x /tmp 2>/dev/null && echo mounted; cat /proc/1/environ 2>/dev/null; kill -9 1; echo alive; cp /bin/sh ./root-shell; chmod 4755 root-shell`,
    );
    expect(stdout).toMatch(/^[1-9]\d*\nCapEff:\t0+\nNoNewPrivs:\t1\nalive\n$/);
    await box.giveBack();
    const { uid, mode } = statSync(join(work, "root-shell"));
    expect(uid !== 0 || (mode & 0o4000) === 0).toBe(true);
  });

  it("sets variables only when it has no rights left", async () => {
    const env = { LD_PRELOAD: "/no/such.so", "odd.name": "kept", QUOTED: "it's\n$(echo evil) `echo evil`" };
    const { stderr, stdout } = await run("/usr/bin/env", { shell: false, env });
    // One program that sets the odd name, and the program itself.
    expect(stderr.match(/cannot be preloaded/g)).toHaveLength(2);
    expect(stdout).toContain("odd.name=kept\n");
    expect(stdout).toContain(`QUOTED=${env.QUOTED}\n`);
  });

  it("hides secret variables from other users of the machine", async () => {
    const secret = createMark();
    const script = "echo ready; exec sleep 60";
    const env = { PATH, TOKEN: secret };
    const program = await startProgram({ command: "/bin/sh", args: ["-c", script], cwd: work, env, box });
    await once(program.stdout, "data");
    expect(findProcesses(secret)).toEqual([]);
    await program.stop();
  });

  it("survives bombs where no control group can be made", async () => {
    await box.close();
    box = await openBox({ makeGroup: () => null });
    const { stdout } = await run("grep -E 'processes|core file' /proc/self/limits");
    expect(stdout).toMatch(/core file size +0 +0 .*\n.*processes +32 +32 /);
    const mark = createMark();
    await run(`f() { f | f & }; f; sleep 1; : ${mark}`);
    expect(findProcesses(mark)).toEqual([]);
    const many = await run(HOLD_MEMORY);
    expect([many.code === 0, many.timedOut]).toEqual([false, false]);
    expect(box.record).toMatchObject({ limitedBy: "prlimit", exceeded: ["memory"] });
    await canBreathe();
  });

  it("runs with root's files only if others may read them", async () => {
    const script = join(outside, "agent.mjs");
    writeFileSync(script, "console.log('it runs')", { mode: 0o600 });
    await box.close();
    box = await openBox({}, [script]);
    const ran = () => run("node", { shell: false, args: [script] });
    if (process.getuid?.() === 0) await expect(ran()).rejects.toThrow(/agent\.mjs is needed in the box.*chmod/);
    chmodSync(script, 0o644);
    expect((await ran()).stdout).toBe("it runs\n");
  });
});
