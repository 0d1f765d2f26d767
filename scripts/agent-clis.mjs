// The agents that the adapters are checked with, at the versions they are checked with. They are other people's programs:
// installed into a cache folder outside of the package, and nothing but `npm run test:agents` uses them there.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const CLIS = [
  { name: "claude", package: "@anthropic-ai/claude-code", version: "2.1.325" },
  { name: "codex", package: "@openai/codex", version: "0.166.0" },
  { name: "copilot", package: "@github/copilot", version: "1.0.102" },
  // Its package asks for a script to be run, but works without.
  { name: "droid", package: "droid", version: "0.215.0" },
  { name: "gemini", package: "@google/gemini-cli", version: "0.61.0" },
  { name: "opencode", package: "opencode-ai", version: "1.18.33" },
  // The last version that runs on Node 20.
  { name: "pi", package: "@earendil-works/pi-coding-agent", version: "0.74.2" },
  // The last version that runs on Node 20.
  { name: "qwen", package: "@qwen-code/qwen-code", version: "0.15.10" },
];

const INSTALL_TIMEOUT_MS = 10 * 60_000;
const VERSION_TIMEOUT_MS = 60_000;

/** Sees to it that each is there, and says where, or why it is not. */
export function installAgents(say = console.error) {
  const root =
    process.env.ASSAY_AGENTS_DIR ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "assay", "agents");
  return chooseVersions(process.env.ASSAY_AGENT_VERSIONS ?? "").map((cli) => {
    const dir = join(root, `${cli.name}-${cli.version}`);
    const bin = join(dir, "node_modules", ".bin");
    const problem = isInstalled(dir, cli) ? null : install(dir, cli, say);
    return { name: cli.name, version: cli.version, bin, problem: problem ?? problemWith(join(bin, cli.name), cli) };
  });
}

/** `claude=2.1.328,codex=0.169.0` tries only these, in these versions; `@scope/name@1.0.0` names another package. */
function chooseVersions(text) {
  if (text === "") return CLIS;
  return text.split(",").map((part) => {
    const [, name, other, version] = /^(\w+)=(?:(.+)@)?([^@]+)$/.exec(part.trim()) ?? [];
    const cli = CLIS.find((known) => known.name === name);
    if (cli === undefined)
      throw new Error(
        `ASSAY_AGENT_VERSIONS: "${part}" is not NAME=VERSION with ${CLIS.map((known) => known.name).join(", ")}`,
      );
    return { ...cli, package: other ?? cli.package, version };
  });
}

function isInstalled(dir, { package: name, version }) {
  const manifest = join(dir, "node_modules", name, "package.json");
  return (
    existsSync(join(dir, "complete")) &&
    existsSync(manifest) &&
    JSON.parse(readFileSync(manifest, "utf8")).version === version
  );
}

/** What went wrong; null when it is there. */
function install(dir, { name, package: packageName, version }, say) {
  say(`installing ${packageName}@${version} into ${dir}`);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "package.json"), '{ "private": true }\n');
  // By number: without one, npm takes the newest version whose manifest allows this Node, though the program is no Node program.
  const args = ["install", "--no-audit", "--no-fund", "--no-save", `${packageName}@${version}`];
  const { status, stderr, error } = spawnSync("npm", args, { cwd: dir, encoding: "utf8", timeout: INSTALL_TIMEOUT_MS });
  if (status !== 0) return `npm could not install it: ${error?.message ?? lastLines(stderr)}`;
  if (!existsSync(join(dir, "node_modules", ".bin", name))) return "its package has no program of that name";
  writeFileSync(join(dir, "complete"), "");
  return null;
}

/** A program that is there may still not run here. */
function problemWith(program, { name, version }) {
  // copilot else starts the newest version that it has downloaded.
  const args = name === "copilot" ? ["--no-auto-update", "--version"] : ["--version"];
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: VERSION_TIMEOUT_MS,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) return `it does not start: ${error?.message ?? lastLines(stderr)}`;
  const said = `${stdout}${stderr}`.trim();
  return said.includes(version) ? null : `it says it is ${lastLines(said)}, not ${version}`;
}

function lastLines(text) {
  return text.trim().split("\n").slice(-3).join(" ");
}
