// npm run bench:peers : Assay, the floor and its peers in one run. See --help.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machine } from "../measure.mjs";
import { CONTENDERS } from "./contenders/index.mjs";
import { installContender } from "./install.mjs";
import { OptionError, readOptions } from "./options.mjs";
import { endAllWithUs } from "./processes.mjs";
import { drawResults, writePage } from "./report.mjs";
import { measureEcho } from "./sections/echo.mjs";
import { measureInstall } from "./sections/install.mjs";
import { measureKill } from "./sections/kill.mjs";
import { measureRequests } from "./sections/requests.mjs";
import { measureRerun } from "./sections/rerun.mjs";
import { measureStartup } from "./sections/startup.mjs";

const SECTIONS = {
  install: measureInstall,
  startup: measureStartup,
  echo: measureEcho,
  requests: measureRequests,
  kill: measureKill,
  rerun: measureRerun,
};

const say = (line) => console.error(line);

async function main(args) {
  const names = CONTENDERS.map(({ name }) => name);
  const options = readOptions(args, { names, sections: Object.keys(SECTIONS) });
  if (options.help !== undefined) {
    console.log(options.help);
    return;
  }
  if (process.platform !== "linux") throw new OptionError("Memory and processor time are read from /proc: Linux only.");
  endAllWithUs();
  const folder = mkdtempSync(join(tmpdir(), "assay-peers-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const { contenders, absent } = await prepare(options, folder);
  const found = await measureAll({ contenders, options, folder });
  publish({ contenders, found, absent, options, command: commandOf(args) });
}

/** Installs the peers that are asked for; one that cannot be installed is named and costs the others nothing. */
async function prepare(options, folder) {
  const contenders = [];
  const absent = [];
  for (const contender of CONTENDERS.filter(({ name }) => options.only.includes(name)))
    try {
      contenders.push({ ...contender, ...(await placeOf(contender, options, folder)) });
    } catch (error) {
      say(`${contender.name}: ${error.message}`);
      absent.push({ name: contender.name, reason: error.message });
    }
  return { contenders, absent };
}

/** Where a contender is installed, and where its trials have their folders. */
async function placeOf(contender, options, folder) {
  if (contender.packages === undefined) return { install: null, home: folder };
  const { cache, reinstall } = options;
  const receipt = await installContender(contender, { cache, reinstall, say });
  const home = join(receipt.dir, "trials");
  // A run that was interrupted leaves its folder.
  rmSync(home, { recursive: true, force: true });
  return { install: receipt.dir, home, receipt };
}

async function measureAll({ contenders, options, folder }) {
  const found = {};
  for (const name of options.sections) {
    found[name] = await SECTIONS[name]({ contenders, options, folder, say: (line) => say(`[${name}] ${line}`) });
  }
  return found;
}

function commandOf(args) {
  return ["npm run bench:peers", ...(args.length > 0 ? ["--", ...args] : [])].join(" ");
}

function publish({ options, ...rest }) {
  const page = writePage({ ...rest, machine: machine() });
  console.log(page);
  if (options.out === null) return;
  mkdirSync(options.out, { recursive: true });
  writeFileSync(join(options.out, "RESULTS.md"), page);
  writeFileSync(join(options.out, "results.svg"), drawResults(rest.contenders, rest.found));
  say(`Written: ${join(options.out, "RESULTS.md")} and results.svg`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof OptionError ? error.message : error);
  process.exitCode = error instanceof OptionError ? 2 : 1;
}
