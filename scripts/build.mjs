// Builds everything that is not in the repository: the token tables, the bundled modules and the type declarations.
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { parseAst } from "rolldown/parseAst";

/** Packages whose code, or whose data, is in what we ship: their licences go with it. */
const BUNDLED = ["commander", "zod"];
/** Those of the page. */
const IN_PAGE = [
  "preact",
  "@tanstack/react-virtual",
  "@tanstack/virtual-core",
  "d3-array",
  "d3-scale",
  "d3-shape",
  "diff",
];
const LICENSED = [...BUNDLED, ...IN_PAGE, "gpt-tokenizer"];

/** What reads the command line. */
const MAIN = /\/src\/cli\/(main|program|[\w-]+-commands?|[\w-]+-flags|flag-values)\.ts$|\/node_modules\/commander\//;
/** What every command needs. */
const START =
  /\/src\/(core\/(errors|error-place|version|suggest|duration|given)|cli\/(run-config|model-flags|judge-flags|streams)|dialects\/dialect|report\/printable)\.ts$/;
/** What `assay run` needs besides. */
const COMMAND =
  /\/src\/cli\/(run|resolve.*|report-result|gates|guard|interrupt|invocation|config-file|load-module|progress|release-examples|dry-run)\.ts$/;
/** What runs without a model do not need. */
const LATER =
  /\/src\/(gateway|mock\/(?!script-file)|http|dialects|judge|library|open-judge-model|systems\/(model|index)|load-run|grade-run|budget\/(?!cost-budget|run-budget|running|price|rules|usage))/;
/** Systems and data that are made and not read: small, and in few runs. */
const MADE = /\/src\/(systems\/compressors|datasets\/(generate-needles|needle-))/;
/** Evaluators besides the usual one, and what they run. */
const GRADERS = /\/src\/(workers|sandbox|evaluators\/(?!answer-quality|abstention|normalize|gold|factories))/;
/** What only worker threads load, and only when they are asked for it: an algebra system, a schema compiler. */
const HEAVY =
  /\/src\/(heavy\/|evaluators\/(?:.*task\.ts|math\/symbolic|json-schema\/validator|ifeval\/(?:detect|language)))/;

/** Coding agents, the folders they work in, what grades them and what shows their work; not what every run checks. */
const AGENTS =
  /\/src\/(agents\/(?!command-words)|workspace\/(?!environment-check|relative-path)|processes|graders|open-agent|specs\/(?!evals-config)|skills|lint|oracle|experiments|compare|core\/trajectory-figures|report\/(compare|experiment|timeline|show-trial|trial-|text-block|tool-gist|usage-so-far|workspace-changes))/;

/** Datasets that are not in the package: what they are, and how they are fetched and read. */
const DATASETS =
  /\/src\/(hub|parquet|memory|evaluate-memory|catalogue\/(?!definitions|names)|files\/zip|datasets\/(gunzip|unpack|aligned-lines|table-sample|filtered-positions))/;

/** What shows, lists and brings in stored runs; not the cards that every run leaves, nor the reporter that loads it. */
const PAGES =
  /\/src\/(views\/(?!html-report\.ts|card|contract)|history\/(?!query-stopped)|importers\/(?!format\.ts)|import-results)/;
/** What only commands need, and packages that take long to load with it: the server of the pages, scripts in YAML. */
const COMMANDS_ONLY = /\/src\/(server|mock\/script-file)/;

/** Runs over several machines: in no group, because little of it is loaded without its packages. */
const QUEUE = /\/src\/(queue|take-part)/;

/**
 * What commander asks Node for at the start: a module for programs that are subcommands, of which there are none, and
 * `node:process`, whose every getter Node then calls, those that open the standard streams included. Both take longer
 * than the rest of it.
 */
const COMMANDER_ASKS = [
  ["require('node:child_process')", "{}"],
  ["require('node:process')", "globalThis.process"],
];
const lighterCommander = {
  name: "lighter-commander",
  transform(code, id) {
    if (!id.endsWith("/commander/lib/command.js")) return null;
    return COMMANDER_ASKS.reduce((text, [asked, instead]) => {
      if (!text.includes(asked)) throw new Error(`commander has changed: look for ${asked} in ${id}.`);
      return text.replace(asked, instead);
    }, code);
  },
};

/**
 * Has files of the build import packages and users' modules by way of a file that does nothing else: code that was kept
 * compiled cannot, Node has forgotten where it stands.
 */
const importElsewhere = {
  name: "import-elsewhere",
  renderChunk(code) {
    const places = importPlaces(parseAst(code)).sort((a, b) => b - a);
    return places.reduce(
      (text, at) => `${text.slice(0, at)}require("../chunks/import.cjs")${text.slice(at + 6)}`,
      code,
    );
  },
};

/** Where `import(…)` stands. */
function importPlaces(node) {
  if (typeof node !== "object" || node === null) return [];
  const inside = Object.values(node).flatMap(importPlaces);
  return node.type === "ImportExpression" ? [node.start, ...inside] : inside;
}

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
run("scripts/build-token-tables.mjs");
run("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
await bundle();
run("node_modules/vite/bin/vite.js", "build", "-c", "web/vite.config.ts", "--logLevel", "warn");
writeLicenses();
chmodSync(`${root}/bin/assay.js`, 0o755);
writeHelp();

/**
 * Node spends more time on finding a hundred small modules than on running them, so that the library and the command
 * line are each a few files. All of them lie two folders deep, like the sources: paths to data stay the same.
 */
async function bundle() {
  const build = await rolldown({
    cwd: root,
    input: {
      "lib/index": "src/index.ts",
      "cli/main": "src/cli/main.ts",
      "cli/kept-code": "src/cli/kept-code.ts",
      "heavy/worker": "src/heavy/worker.ts",
    },
    platform: "node",
    plugins: [lighterCommander, importElsewhere],
    // Its entry exports everything a second time as one object, which would bring all of it along: sixty languages.
    resolve: { alias: { zod: `${root}/node_modules/zod/v4/classic/external.js` } },
    // Finding and converting commander's eight files would take Node longer than all else that `--help` does, and finding
    // zod's ninety longer than the rest of the library.
    external: (id) => /^[^./]/.test(id) && !BUNDLED.includes(id),
  });
  const { output } = await build.write({
    dir: "dist",
    // Scripts: Node 20 has no way to keep the compiled code of modules, and takes longer to load them.
    format: "cjs",
    entryFileNames: "[name].cjs",
    // Named by their content, by which their compiled code is kept.
    chunkFileNames: "chunks/[name]-[hash].cjs",
    // Read at every start: a file that is ASCII is half as large in memory, and comments would be a fifth of it.
    charset: "ascii",
    comments: { annotation: false, jsdoc: false },
    // Everything but the command line in one file, except for what `--help` needs and for what a plain run does not.
    codeSplitting: {
      groups: [
        // What keeps compiled code is loaded before all else, and must bring nothing along that it could have kept.
        { name: "atomic", test: /\/src\/files\/atomic\.ts$/, priority: 4 },
        { name: "start", test: START, priority: 4 },
        { name: "main", test: MAIN, priority: 3 },
        { name: "schemas", test: /\/node_modules\/zod\//, priority: 3 },
        { name: "command", test: COMMAND, priority: 0 },
        { name: "assay", test: isUsual, priority: 2 },
        { name: "models", test: LATER, priority: 1 },
        { name: "made", test: MADE, priority: 1 },
        { name: "datasets", test: DATASETS, priority: 1 },
        { name: "agents", test: AGENTS, priority: 1 },
        { name: "pages", test: PAGES, priority: 1 },
        { name: "graders", test: (id) => GRADERS.test(id) && !HEAVY.test(id), priority: 1 },
      ],
    },
  });
  await build.close();
  writeFileSync(`${root}/dist/chunks/import.cjs`, "module.exports = (name) => import(name);\n");
  const { exports } = output.find(({ name }) => name === "lib/index");
  writeFileSync(`${root}/dist/lib/index.js`, `export { ${exports.join(", ")} } from "./index.cjs";\n`);
}

function isUsual(id) {
  return (
    /\/src\/(?!cli\/|index\.ts)/.test(id) &&
    ![LATER, MADE, GRADERS, HEAVY, DATASETS, AGENTS, PAGES, COMMANDS_ONLY, QUEUE].some((others) => others.test(id))
  );
}

function writeLicenses() {
  const texts = LICENSED.map(
    (name) => `${name}\n\n${readFileSync(`${root}/node_modules/${name}/LICENSE`, "utf8").trim()}\n`,
  );
  writeFileSync(`${root}/dist/THIRD-PARTY-LICENSES.txt`, texts.join(`\n${"-".repeat(80)}\n\n`));
}

/** What `assay --help` prints, for the launcher. */
function writeHelp() {
  const { stdout, status } = spawnSync(process.execPath, ["bin/assay.js", "help"], {
    cwd: root,
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" },
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(`${root}/dist/cli/help.txt`, stdout);
}

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
