import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findEngineSupport, findProgram, runCommand } from "../exec/index.js";

/** What the small image of tests has, besides the libraries that agents need. */
const PROGRAMS = [
  "sh",
  "bash",
  ..."cat chmod chown cp date dd echo env find grep head id ln ls mkdir mknod mv printf pwd rm sed sleep sort".split(
    " ",
  ),
  ..."stat tail test touch tr true uname wc".split(" "),
];

/** An engine that works on this machine, and an image with a shell and little else. */
export interface TestEngine {
  readonly name: "docker" | "podman";
  /** The value of `--isolation`. */
  readonly isolation: `container:${"docker" | "podman"}`;
  readonly image: string;
}

let found: Promise<TestEngine | null> | undefined;

/**
 * Finds a container engine for tests; null with a line that says why there is none.
 * @example
 * const engine = await findTestEngine();
 * describe.skipIf(engine === null)("…", () => { … });
 */
export function findTestEngine(): Promise<TestEngine | null> {
  found ??= openTestEngine();
  return found;
}

async function openTestEngine(): Promise<TestEngine | null> {
  useNestedSettings();
  const problems: string[] = [];
  for (const name of ["podman", "docker"] as const) {
    const { works, detail } = await findEngineSupport(name);
    if (works) return { name, isolation: `container:${name}`, image: await makeTestImage(name) };
    problems.push(detail);
  }
  console.warn(`skipped: no container engine works on this machine (${problems.join(" ")})`);
  return null;
}

/** In a container podman cannot make control groups by systemd, layer file systems, or raise limits: its own settings say so. */
function useNestedSettings(): void {
  if (process.getuid?.() !== 0 || findProgram("runc") === null || process.env.CONTAINERS_CONF !== undefined) return;
  const folder = join(tmpdir(), "assay-test-podman");
  mkdirSync(folder, { recursive: true });
  const [containers, storage] = [join(folder, "containers.conf"), join(folder, "storage.conf")];
  writeFileSync(
    containers,
    `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`,
  );
  writeFileSync(storage, `[storage]\ndriver = "vfs"\ngraphroot = "${folder}/storage"\nrunroot = "${folder}/run"\n`);
  process.env.CONTAINERS_CONF = containers;
  process.env.CONTAINERS_STORAGE_CONF = storage;
}

/** Made of programs of this machine, so that no registry is needed. */
async function makeTestImage(engine: string): Promise<string> {
  const files = await listImageFiles();
  const image = `localhost/assay-test:${createHash("sha256").update(files.join("\n")).digest("hex").slice(0, 16)}`;
  const run = (command: string, args: readonly string[]) =>
    runCommand({ command, args, cwd: "/", env: process.env, timeoutMs: 120_000 });
  if ((await run(engine, ["image", "inspect", image])).code === 0) return image;
  const folder = mkdtempSync(join(tmpdir(), "assay-test-image-"));
  try {
    const root = join(folder, "root");
    for (const name of ["etc", "root", "tmp", "usr/bin", "var"]) mkdirSync(join(root, name), { recursive: true });
    for (const name of ["bin", "lib", "lib64"]) {
      mkdirSync(join(root, "usr", name), { recursive: true });
      symlinkSync(`usr/${name}`, join(root, name));
    }
    writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
    for (const file of files) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      cpSync(realpathSync(file), join(root, file));
    }
    const archive = join(folder, "root.tar");
    for (const [command, args] of [
      ["tar", ["-C", root, "-cf", archive, ...readdirSync(root)]],
      [engine, ["import", archive, image]],
    ] as const) {
      const { code, stderr } = await run(command, args);
      if (code !== 0) throw new Error(`${command} failed: ${stderr}`);
    }
    return image;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Parts of the C library that programs load although `ldd` does not list them for others. */
const LIBRARIES = ["libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2", "librt.so.1", "libutil.so.1"];

/** The programs, as files in `/usr/bin`, and their libraries. */
async function listImageFiles(): Promise<string[]> {
  const programs = PROGRAMS.map((name) => join("/usr/bin", name)).filter((path) => existsSync(path));
  const args = [...programs, process.execPath];
  const { stdout } = await runCommand({ command: "ldd", args, cwd: "/", env: { LC_ALL: "C" } });
  const libraries = [...stdout.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)].flatMap(([, path]) => path ?? []);
  const folder = dirname(libraries.find((path) => path.endsWith("/libc.so.6")) ?? "/lib/libc.so.6");
  const more = LIBRARIES.map((name) => join(folder, name)).filter((path) => existsSync(path));
  return [...new Set([...programs, ...libraries, ...more])].sort();
}
