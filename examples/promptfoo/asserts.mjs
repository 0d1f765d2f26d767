// Graders for asserts of promptfoo that are code: promptfoo-javascript, promptfoo-python and promptfoo-similar.
// `assay init --from promptfooconfig.yaml` writes this file beside assay.config.yaml. It is yours: change it as you like.
import { spawn } from "node:child_process";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const NOT_VARS = new Set(["id", "dataset", "graders", "threshold", "description", "metadata"]);

export function register(registry) {
  registry.register("grader", "promptfoo-javascript", (config) => makeScriptGrader(config, runJavaScript));
  registry.register("grader", "promptfoo-python", (config) => makeScriptGrader(config, runPython));
  registry.register("grader", "promptfoo-similar", makeSimilarGrader);
}

function makeScriptGrader(config, run) {
  return {
    name: "script",
    async grade({ example, output, signal }) {
      const vars = Object.fromEntries(Object.entries(example).filter(([name]) => !NOT_VARS.has(name)));
      const context = {
        vars,
        test: { vars, description: example.description, metadata: example.metadata },
        config: config.config,
      };
      const said = output.response ?? "";
      const answer = await run(config, { output: config.json ? tryParse(said) : said, context, signal });
      return answer.problem === undefined
        ? toVerdict(answer.value, config.threshold)
        : { passed: false, evidence: answer.problem };
    },
  };
}

function tryParse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** True or false, a score, or { pass, score, reason }, as promptfoo takes them. */
function toVerdict(value, threshold) {
  const given = typeof value === "string" && /^(true|false)$/i.test(value) ? value.toLowerCase() === "true" : value;
  if (typeof given === "boolean") return { passed: given, evidence: `returned ${given}` };
  if (typeof given === "number" && Number.isFinite(given)) {
    const passed = threshold === undefined ? given > 0 : given >= threshold;
    return { passed, score: clamp(given), evidence: `returned ${given}` };
  }
  const pass = given?.pass ?? given?.pass_;
  if (typeof given !== "object" || given === null || typeof pass !== "boolean")
    return { passed: false, evidence: "returned neither true, false, a number nor { pass, score, reason }" };
  const score = typeof given.score === "number" ? given.score : Number(pass);
  return {
    passed: pass && (threshold === undefined || score >= threshold),
    score: clamp(score),
    evidence: String(given.reason ?? ""),
  };
}

function clamp(score) {
  return Math.min(1, Math.max(0, score));
}

async function runJavaScript({ code, file, function: name }, { output, context }) {
  try {
    if (file === undefined) return { value: await compile(code)(output, context, process) };
    const module = await import(pathToFileURL(resolve(HERE, file)).href);
    const check =
      name === undefined ? (module.default?.default ?? module.default) : (module[name] ?? module.default?.[name]);
    return { value: await check(output, context) };
  } catch (error) {
    return { problem: `threw an error: ${error?.message ?? error}` };
  }
}

/** Several lines return by themselves; one line is an expression, possibly after declarations. */
function compile(code) {
  const text = code.trim().replace(/;+$/, "");
  const bodies = text.includes("\n") ? [code] : [`return ${text}`];
  for (let at = text.lastIndexOf(";"); at !== -1; at = text.lastIndexOf(";", at - 1))
    if (!text.includes("\n")) bodies.push(`${text.slice(0, at + 1)} return ${text.slice(at + 1)}`);
  let first;
  for (const body of bodies) {
    try {
      // The assert is code of the project.
      return new Function("output", "context", "process", body); // oxlint-disable-line typescript/no-implied-eval
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

const PYTHON = `
import importlib.util, json, os, sys, textwrap
asked = json.load(sys.stdin)
if asked.get("file"):
    sys.path.insert(0, os.path.dirname(asked["file"]))
    spec = importlib.util.spec_from_file_location("assertion", asked["file"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    check = getattr(module, asked.get("function") or "get_assert")
else:
    code = textwrap.dedent(asked["code"]).strip()
    body = code if "\\n" in code else "return " + code
    space = {}
    exec("import json\\ndef check(output, context):\\n" + textwrap.indent(body, "    "), space)
    check = space["check"]
result = check(asked["output"], asked["context"])
if hasattr(result, "__dict__"):
    result = vars(result)
print("\\n" + json.dumps({"value": result}))
`;

function runPython({ code, file, function: name }, { output, context, signal }) {
  const asked = JSON.stringify({ code, file: file && resolve(HERE, file), function: name, output, context });
  return new Promise((done, fail) => {
    const child = spawn(process.env.PROMPTFOO_PYTHON || "python3", ["-c", PYTHON], { cwd: HERE, signal });
    let said = "";
    let problem = "";
    child.stdout.on("data", (data) => (said += data));
    child.stderr.on("data", (data) => (problem = (problem + data).slice(-2000)));
    child.on("error", fail);
    child.on("close", (exitCode) => {
      const last = said.trim().split("\n").at(-1);
      if (exitCode === 0 && last) done(JSON.parse(last));
      else done({ problem: `Python failed: ${problem.trim().split("\n").at(-1) || `exit code ${exitCode}`}` });
    });
    child.stdin.on("error", () => {});
    child.stdin.end(asked);
  });
}

/** Compares embeddings of OpenAI, or of OPENAI_BASE_URL. The answer passes if it is close enough to one of the values. */
function makeSimilarGrader({ values, model, threshold }) {
  return {
    name: "similar",
    kind: "llm",
    async grade({ output, signal, meter }) {
      const base = process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1";
      const response = await fetch(`${base}/embeddings`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${process.env.OPENAI_API_KEY ?? ""}` },
        body: JSON.stringify({ model, input: [output.response ?? "", ...values] }),
        signal,
      });
      if (!response.ok) throw new Error(`the embeddings of ${model} failed with status ${response.status}`);
      const { data, usage } = await response.json();
      meter?.add({ costUsd: null, usage: { input: usage?.prompt_tokens ?? 0, output: 0 } });
      const [answer, ...others] = data.map(({ embedding }) => embedding);
      const best = Math.max(...others.map((other) => computeCosine(answer, other)));
      return {
        passed: best >= threshold,
        score: clamp(best),
        evidence: `similarity ${best.toFixed(3)}, threshold ${threshold}`,
      };
    },
  };
}

function computeCosine(a, b) {
  let [dot, left, right] = [0, 0, 0];
  for (const [index, value] of a.entries()) {
    dot += value * b[index];
    left += value * value;
    right += b[index] * b[index];
  }
  return dot / Math.sqrt(left * right);
}
