// Installs pinned versions of peers, each into a folder of its own, and remembers what that took.
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./processes.mjs";
import { endedChildrenCpu } from "./tree.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const RECEIPT = "installed.json";

/** What it took to install a contender, and where it is; throws when that is not possible here. */
export async function installContender({ name, packages, integrity = null }, { cache, reinstall, say }) {
  const dir = join(cache, name);
  const wanted = { packages, integrity, node: process.version };
  const known = reinstall ? null : readReceipt(dir, wanted);
  if (known !== null) return { dir, ...known };
  say(`installing ${packages.join(" ")}`);
  await install(dir, packages, []);
  say(`installing ${name} again, from npm's cache`);
  const before = endedChildrenCpu();
  const started = performance.now();
  await install(dir, packages, ["--prefer-offline"]);
  const seconds = (performance.now() - started) / 1000;
  const receipt = {
    ...wanted,
    seconds,
    cpuSeconds: endedChildrenCpu() - before,
    ...contentsOf(join(dir, "node_modules")),
  };
  writeFileSync(join(dir, RECEIPT), JSON.stringify(receipt));
  return { dir, ...receipt };
}

/** The package that `npm pack` would publish, as it is built now; `packages` names it by its content. */
export async function packAssay(cache) {
  const tarballs = join(cache, "tarballs");
  mkdirSync(tarballs, { recursive: true });
  // Without its scripts: they would build it anew.
  const printed = await npm(["pack", "--ignore-scripts", "--json", "--pack-destination", tarballs], ROOT);
  const [{ filename, integrity }] = JSON.parse(printed);
  return { name: "assay", packages: [join(tarballs, filename)], integrity };
}

function readReceipt(dir, wanted) {
  if (!existsSync(join(dir, RECEIPT))) return null;
  const receipt = JSON.parse(readFileSync(join(dir, RECEIPT), "utf8"));
  const same = Object.entries(wanted).every(([key, value]) => JSON.stringify(receipt[key]) === JSON.stringify(value));
  return same ? receipt : null;
}

async function install(dir, packages, more) {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    join(dir, "package.json"),
    JSON.stringify({ name: "bench", version: "0.0.0", private: true, type: "module" }),
  );
  await npm(["install", "--no-audit", "--no-fund", "--loglevel=error", ...more, ...packages], dir);
}

async function npm(args, cwd) {
  const child = launch("npm", args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  let complaints = "";
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  child.stderr.on("data", (chunk) => {
    complaints += chunk;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`npm ${args[0]}: ${reasonIn(complaints)}`);
  return printed;
}

/** npm says first what went wrong, then a lot about it. */
function reasonIn(complaints) {
  const lines = complaints.split("\n").map((line) => line.replace(/^npm (error|ERR!)\s*/, "").trim());
  const telling = lines.filter((line) => line !== "" && !/^(code|errno|syscall|path) /.test(line));
  return telling[0] ?? "failed without a word";
}

function contentsOf(dir) {
  const lock = JSON.parse(readFileSync(join(dir, ".package-lock.json"), "utf8"));
  return { ...sizeOf(dir), packageCount: Object.keys(lock.packages).length };
}

/** Bytes and files below a path; nothing when it is not there. */
export function sizeOf(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { bytes: 0, files: 0 };
  if (!stat.isDirectory()) return { bytes: stat.size, files: 1 };
  const total = { bytes: 0, files: 0 };
  for (const name of readdirSync(path)) {
    const { bytes, files } = sizeOf(join(path, name));
    total.bytes += bytes;
    total.files += files;
  }
  return total;
}
