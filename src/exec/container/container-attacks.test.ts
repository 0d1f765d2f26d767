import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findTestEngine } from "../../testing/containers.js";
import { resolveBoxSettings } from "../box/box-settings.js";
import type { TrialBox } from "../box/trial-box.js";
import { type CommandOptions, type CommandResult, runCommand, startProgram } from "../process/index.js";
import { Engine } from "./engine.js";
import { openTrialBox } from "./open-trial-box.js";

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
const LIMITS = { processes: 32, memoryGib: 0.25, cpus: 1, diskGib: 0.03 };

/** Ends what hangs; no attack is stopped by it. */
const TIMEOUT_MS = 120_000;

const engine = await findTestEngine();

let root: string;
let work: string;
let outside: string;
let box: TrialBox;

async function openContainer(): Promise<TrialBox> {
  const settings = resolveBoxSettings({ isolation: engine?.isolation, limits: LIMITS });
  const places = { scratch: join(root, "box"), writable: [work, join(root, "home"), join(root, "tmp")] };
  const opened = await openTrialBox({ settings, environment: { image: engine?.image ?? "" }, places });
  if (opened === null) throw new Error("there is no container");
  return opened;
}

function run(command: string, options: Partial<CommandOptions> = {}): Promise<CommandResult> {
  const env = { PATH: process.env.PATH, HOME: join(root, "home"), TMPDIR: join(root, "tmp"), ...options.env };
  return runCommand({ command, shell: true, cwd: work, box, timeoutMs: TIMEOUT_MS, ...options, env });
}

function runNode(script: string): Promise<CommandResult> {
  return run("node", { shell: false, args: ["-e", script] });
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

const listContainers = async (name: string) =>
  (await new Engine(engine?.name ?? "podman").read(["ps", "--all", "--quiet", "--filter", `name=${name}`])).trim();

describe.skipIf(engine === null)("attempts to leave the container", () => {
  beforeEach(async () => {
    vi.stubEnv("ASSAY_TEST_API_KEY", "sk-of-the-parent");
    vi.stubEnv("HTTPS_PROXY", "http://user:password-of-the-proxy@127.0.0.1:9");
    root = mkdtempSync(join(tmpdir(), "assay-contained-"));
    work = join(root, "work");
    for (const name of ["work", "home", "tmp"]) mkdirSync(join(root, name));
    outside = mkdtempSync(join(tmpdir(), "assay-outside-"));
    writeFileSync(join(outside, "precious.txt"), "still here");
    box = await openContainer();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await box.close();
    rmSync(root, { recursive: true, force: true });
    rmSync(outside, { recursive: true, force: true });
  });

  it("shows no secret of the machine, and no folder of another trial", async () => {
    const other = mkdtempSync(join(tmpdir(), "assay-workspace-"));
    mkdirSync(join(root, "baseline"));
    const places = [PROJECT, outside, other, join(root, "baseline"), "/srv"];
    const look = `for p in ${places.join(" ")}; do test -e "$p" && echo "$p"; done; env; ls /tmp; cat /etc/passwd; for p in /proc/[0-9]*; do cat $p/environ; done; cat /proc/[0-9]*/cmdline`;
    const { stdout } = await run(look);
    rmSync(other, { recursive: true });
    expect(stdout).not.toContain("sk-of-the-parent");
    expect(stdout).not.toContain("password-of-the-proxy");
    for (const place of places) expect(stdout.split("\n")).not.toContain(place);
    expect(stdout).not.toContain("vitest");
    expect(stdout).toMatch(/^assay-contained-\w+$/m);
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
    const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
    const script = `
const net = require("node:net"), dns = require("node:dns"), udp = require("node:dgram");
const tries = ${JSON.stringify([...own, "127.0.0.1", "10.0.0.1", "169.254.169.254", "1.1.1.1"])}.map((host) => ({ host, port: ${port} }));
const attempt = (where) => new Promise((done) => { const s = net.connect(where, () => done("reached " + JSON.stringify(where))); s.on("error", () => done("")); s.setTimeout(500, () => { s.destroy(); done(""); }); });
const lookup = new Promise((done) => dns.lookup("example.org", (error) => done(error ? "" : "resolved")));
const send = new Promise((done) => udp.createSocket("udp4").send("x", 53, "1.1.1.1", (error) => done(error ? "" : "sent")));
Promise.all(tries.map(attempt).concat(lookup, send)).then((all) => { console.log(all.join("")); process.exit(); });
`;
    const { stdout, stderr } = await runNode(script);
    for (const server of servers) server.close();
    expect([stdout, stderr, visits]).toEqual(["\n", "", 0]);
  });

  it("survives a fork bomb", async () => {
    const mark = createMark();
    const shell = await run(`f() { f | f & }; f; sleep 1; : ${mark}`);
    expect(shell.timedOut).toBe(false);
    expect(findProcesses(mark)).toEqual([]);
    await canBreathe();
  });

  it("survives a memory bomb, of one process and of many", async () => {
    const one = await runNode("const all = []; for (;;) all.push(Buffer.alloc(1 << 24, 1));");
    expect(one.code).not.toBe(0);
    const many = await run(
      "for i in 1 2 3 4 5; do (head -c 90M /dev/zero; sleep 2) | tail >/dev/null & done; wait; echo over",
    );
    expect(many.timedOut).toBe(false);
    expect(box.record.exceeded).toContain("memory");
    await canBreathe();
  });

  it.each(["$PWD", "/var"])("survives a program that fills the disk in %s", async (folder) => {
    const { code, timedOut } = await run(
      `while true; do i=$((i + 1)); head -c 4M /dev/urandom > ${folder}/file$i || exit 7; done`,
    );
    expect([code === 0, timedOut]).toEqual([false, false]);
    expect(box.record.exceeded).toContain("disk");
    rmSync(work, { recursive: true });
    mkdirSync(work);
  });

  it("follows no link that leads out, and gives the folders back", async () => {
    const target = join(outside, "precious.txt");
    const before = statSync(target);
    await run(
      `ln -s ${target} link; ln -s ${outside} folder; ln -s / top; echo evil > link; echo evil > folder/new; echo evil > top${target}; chown 4321:4321 . link folder; touch own; chown 4321 own`,
    );
    await box.giveBack();
    expect([readFileSync(target, "utf8"), readdirSync(outside)]).toEqual(["still here", ["precious.txt"]]);
    expect(statSync(target).uid).toBe(before.uid);
    expect(lstatSync(join(work, "link")).isSymbolicLink()).toBe(true);
    for (const name of [".", "link", "own"]) expect(lstatSync(join(work, name)).uid).toBe(statSync(root).uid);
  });

  it("gives no way to the devices and the kernel of the machine", async () => {
    const { stdout } = await run(
      `mknod disk b 254 0 2>/dev/null && echo device; for p in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/kernel/uevent_helper; do ( echo x > "$p" ) 2>/dev/null && echo "$p"; done; grep NoNewPrivs /proc/self/status; echo over`,
    );
    expect(stdout).toBe("NoNewPrivs:\t1\nover\n");
  });

  it("takes every background process down, also if its first program is ended", async () => {
    const mark = createMark();
    const hide = `(setsid /bin/sh -c 'trap "" TERM INT HUP; cd /; while true; do sleep 1; : ${mark}; done' >/dev/null 2>&1 &) ; echo $$`;
    expect((await run(hide)).stdout).toMatch(/^\d+\n$/);
    expect(findProcesses(mark)).toEqual([]);
    await run(`${hide}; for p in /proc/[0-9]*; do test $p = /proc/$$ || kill -9 \${p#/proc/}; done`);
    expect(findProcesses(mark)).toEqual([]);
    await canBreathe();
  });

  it("gives a program time to end, and its own exit code", async () => {
    const script = "trap 'echo asked; exit 5' TERM; echo ready; while true; do sleep 0.05; done";
    const program = await startProgram({
      command: "/bin/sh",
      args: ["-c", script],
      cwd: work,
      env: { PATH: process.env.PATH },
      box,
    });
    let said = "";
    program.stdout.on("data", (chunk) => {
      said += chunk;
    });
    await expect.poll(() => said).toBe("ready\n");
    await program.stop(60_000);
    await program.closed;
    expect([await program.ended, said]).toEqual([{ code: 5, signal: null }, "ready\nasked\n"]);
  });

  it("leaves no container behind", async () => {
    await run("echo x > /made.txt");
    expect(await listContainers(`assay-${process.pid}-`)).not.toBe("");
    await box.close();
    expect(await listContainers(`assay-${process.pid}-`)).toBe("");
    expect(existsSync(join(root, "box", "starts", "0"))).toBe(false);
  });
});
