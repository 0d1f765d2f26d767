// A process that runs the built command line again and again, for tests of what a command says and leaves behind.
// Node and the modules are loaded once; folder, environment, streams and listeners are each command's own.
import { main } from "../dist/cli/main.js";
import { registry } from "../dist/lib/index.js";

const exit = process.exit;
const STREAMS = ["stdout", "stderr"];
const KINDS = ["system", "dataset", "evaluator", "grader", "metric", "reporter"];
const builtIn = registered();

process.on("disconnect", () => exit(0));
process.on("message", (job) => void run(job).then((done) => process.send(done)));
process.send("ready");

async function run({ cwd, args, env }) {
  const listeners = listenersOf(process);
  const said = { stdout: "", stderr: "" };
  for (const name of STREAMS) capture(name, said);
  process.chdir(cwd);
  replaceEnvironment(env);
  process.exitCode = undefined;
  const ended = new Promise((resolve) => {
    process.exit = (code) => resolve(code ?? process.exitCode ?? 0);
  });
  void main([process.execPath, "assay", ...args]);
  const code = await ended;
  process.exitCode = undefined;
  for (const name of STREAMS) {
    delete process[name].write;
    process[name].removeAllListeners("error");
  }
  for (const [event, known] of listenersOf(process))
    for (const listener of known) if (!listeners.get(event)?.includes(listener)) process.off(event, listener);
  return { code, ...said, isAsNew: isAsNew() };
}

function registered() {
  return KINDS.flatMap((kind) => registry.list(kind).map((name) => [`${kind} ${name}`, registry.get(kind, name)]));
}

/** False when a plugin or a config file has registered something, which the next command would know. */
function isAsNew() {
  const now = new Map(registered());
  return now.size === builtIn.length && builtIn.every(([name, value]) => now.get(name) === value);
}

function capture(name, said) {
  process[name].write = (text, ...more) => {
    said[name] += typeof text === "string" ? text : Buffer.from(text).toString("utf8");
    const done = more.find((each) => typeof each === "function");
    if (done !== undefined) setImmediate(() => done());
    return true;
  };
}

function replaceEnvironment(env) {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

function listenersOf(emitter) {
  return new Map(emitter.eventNames().map((event) => [event, emitter.listeners(event)]));
}
