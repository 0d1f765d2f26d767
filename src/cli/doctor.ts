import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { listProviderKeys } from "../budget/index.js";
import { EXIT, getErrorMessage, VERSION } from "../core/index.js";
import { findProgram } from "../exec/index.js";
import { loadTokenizer, TOKENIZER_NAMES } from "../models/index.js";
import { createScreenLayout } from "./screen.js";

/** `bad` means that a run would not work without it. */
interface DoctorCheck {
  what: string;
  state: "ok" | "missing" | "ending" | "bad";
  detail: string;
}

const MIN_NODE_VERSION = [20, 19] as const;
const MIN_FREE_BYTES = 1 << 28;

const STATE_TONES = { ok: "good", missing: "warning", ending: "warning", bad: "bad" } as const;

/** `assay doctor`: checks what this machine has, and says how to fix what is missing. */
export async function executeDoctor(): Promise<number> {
  const checks = [
    checkNodeVersion(),
    checkTokenTables(),
    await checkTypeScript(),
    checkWorkingFolder(),
    checkDiskSpace(),
    ...(await checkSandbox()),
    await checkBox(),
    ...(await checkEngines()),
    ...checkPrograms(),
    ...(await checkAgents()),
    checkKeys(),
    ...(await checkModels()),
  ];
  const layout = createScreenLayout();
  const table = layout.table<DoctorCheck>(
    [
      { title: "what", cell: ({ what }) => what },
      { title: "state", cell: ({ state }) => state, tone: ({ state }) => STATE_TONES[state] },
      { title: "detail", cell: ({ detail }) => detail },
    ],
    checks,
  );
  process.stdout.write(`${layout.heading(`Assay ${VERSION}`)}\n\n${table}\n`);
  return checks.some(({ state }) => state === "bad") ? EXIT.infrastructure : EXIT.fine;
}

function checkNodeVersion(): DoctorCheck {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const fine = major > MIN_NODE_VERSION[0] || (major === MIN_NODE_VERSION[0] && minor >= MIN_NODE_VERSION[1]);
  const detail = fine ? process.version : `${process.version}; at least ${MIN_NODE_VERSION.join(".")} is required`;
  return { what: "Node.js", state: fine ? "ok" : "bad", detail };
}

function checkTokenTables(): DoctorCheck {
  try {
    const counts = TOKENIZER_NAMES.map((name) => `${name} ${loadTokenizer(name).count("hello world")}`);
    return { what: "tokenizers", state: "ok", detail: `tokens of "hello world": ${counts.join(", ")}` };
  } catch (error) {
    return { what: "tokenizers", state: "bad", detail: getErrorMessage(error) };
  }
}

async function checkTypeScript(): Promise<DoctorCheck> {
  try {
    await import("jiti");
    return { what: "TypeScript files", state: "ok", detail: "--system, --plugin and --config may be .ts" };
  } catch (error) {
    return { what: "TypeScript files", state: "bad", detail: getErrorMessage(error) };
  }
}

function checkWorkingFolder(): DoctorCheck {
  const folder = existsSync(".assay") ? ".assay" : ".";
  try {
    accessSync(folder, constants.W_OK);
    return { what: "run folders", state: "ok", detail: "are written to .assay/runs here" };
  } catch {
    return { what: "run folders", state: "bad", detail: `${folder} is not writable; pass --runs-dir` };
  }
}

function checkDiskSpace(): DoctorCheck {
  const { bavail, bsize } = statfsSync(".");
  const free = Number(bavail) * Number(bsize);
  const detail = `${(free / 2 ** 30).toFixed(1)} GiB free`;
  return { what: "disk", state: free < MIN_FREE_BYTES ? "missing" : "ok", detail };
}

/** Starts each sandbox to see whether it works. */
async function checkSandbox(): Promise<DoctorCheck[]> {
  const { describeIsolation } = await import("../exec/sandbox/index.js");
  const { kind, detail, interpreters, advice } = await describeIsolation();
  const box: DoctorCheck = { what: "sandbox for code", state: kind === null ? "missing" : "ok", detail };
  const found = Object.entries(interpreters).map(([language, interpreter]): DoctorCheck => {
    if (interpreter === null) return { what: `${language} programs`, state: "missing", detail: "no interpreter found" };
    return { what: `${language} programs`, state: "ok", detail: `${interpreter.path} (${interpreter.version})` };
  });
  const steps = advice.map((step): DoctorCheck => ({ what: "for the sandbox", state: "missing", detail: step }));
  return [box, ...found, ...steps];
}

/** Makes a box for agents to see whether it works. */
async function checkBox(): Promise<DoctorCheck> {
  const { findBoxSupport } = await import("../exec/box/box-support.js");
  const { kind, detail, advice } = await findBoxSupport();
  return { what: "box for agents", state: kind === null ? "missing" : "ok", detail: [detail, ...advice].join(". ") };
}

/** Runs a container with each engine to see whether it works. */
async function checkEngines(): Promise<DoctorCheck[]> {
  const { findEngineSupport } = await import("../exec/container/engine.js");
  const checks: DoctorCheck[] = [];
  for (const name of ["docker", "podman"] as const) {
    const { works, detail } = await findEngineSupport(name);
    checks.push({ what: `containers: ${name}`, state: works ? "ok" : "missing", detail });
  }
  return checks;
}

function checkPrograms(): DoctorCheck[] {
  return ["git"].map((program) => {
    const path = findProgram(program);
    return path === null
      ? {
          what: program,
          state: "missing",
          detail: `needed for agent tasks that check out a repository: apt-get install ${program}`,
        }
      : { what: program, state: "ok", detail: path };
  });
}

async function checkAgents(): Promise<DoctorCheck[]> {
  const { describeAgents } = await import("../agents/index.js");
  const { findDefinedAgents } = await import("./defined-agents.js");
  const statuses = await Promise.all([describeAgents(), describeAgents(undefined, await findDefinedAgents("."))]);
  return statuses.flat().map(({ name, isReady, detail }) => ({
    what: `agent ${name}`,
    state: isReady ? "ok" : "missing",
    detail,
  }));
}

/** The providers whose key is set here, which says nothing about whether it is valid. */
function checkKeys(): DoctorCheck {
  const keys = listProviderKeys(process.env);
  const what = "keys of providers";
  const problem = keys.find((key) => key.problem !== null);
  const found = keys.map(({ provider, variable }) => `${provider} (${variable})`).join(", ");
  if (problem !== undefined)
    return { what, state: "missing", detail: `${found}; ${problem.provider}: ${problem.problem}` };
  if (keys.length > 0) return { what, state: "ok", detail: `set for ${found}` };
  return { what, state: "missing", detail: "none is set: export the variable of a provider, such as OPENAI_API_KEY" };
}

/** Models of this project that ended or end soon. */
async function checkModels(): Promise<DoctorCheck[]> {
  const { findEndingModels } = await import("./model-ends.js");
  const ending = await findEndingModels({ dir: process.cwd(), now: new Date() });
  if (ending.length === 0) return [{ what: "models", state: "ok", detail: "none named here is known to end soon" }];
  return ending.map(({ place, model, text }) => ({
    what: `model ${model}`,
    state: "ending",
    detail: `${text} (${place})`,
  }));
}
