// What `npm run test:agents` runs: installs the real agents, then drives each against the mock model. Arguments go to
// vitest. About 1.5 GB in a cache folder (ASSAY_AGENTS_DIR, or ~/.cache/assay/agents) and some minutes.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { installAgents } from "./agent-clis.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const agents = installAgents();
const absent = agents.filter(({ problem }) => problem !== null);
for (const { name, version, problem } of absent) console.error(`absent: ${name} ${version}: ${problem}`);
if (absent.length === agents.length) {
  console.error("None of the agents could be had: nothing was tested.");
  process.exit(1);
}
console.error(
  `testing with ${agents
    .filter(({ problem }) => problem === null)
    .map(({ name, version }) => `${name} ${version}`)
    .join(", ")}`,
);
const env = { ...process.env, ASSAY_TEST_AGENTS: JSON.stringify(agents) };
const args = ["node_modules/vitest/vitest.mjs", "run", "--project", "agents", ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env });
// In the gate an agent that is not there is a failure: what it would have shown was not shown.
process.exit(status !== 0 ? (status ?? 1) : process.env.ASSAY_REQUIRE_SYSTEM === "1" && absent.length > 0 ? 1 : 0);
