import { describe, expect, it } from "vitest";
import type { RunFlags } from "./run-flags.js";
import {
  DEFAULT_KINDS,
  parseKinds,
  parseVariables,
  requireAllowed,
  requireModuleAllowed,
  type WorkerPermissions,
} from "./worker-allow.js";

const PROJECT = "/home/me/evals";
const USUAL: WorkerPermissions = { kinds: DEFAULT_KINDS, env: [] };

function check(flags: object, allowed = USUAL, configFile: string | null = null): readonly string[] {
  const invocation = { command: "run" as const, cwd: PROJECT, configFile, flags: flags as RunFlags };
  return requireAllowed(invocation, { allowed, project: PROJECT });
}

describe("default permissions of a worker", () => {
  it("allow modules and files of its own project, and models with default keys", () => {
    const flags = {
      ...{ systems: ["./mine.ts", "truncate:0.5"], evaluators: ["q=./score.mjs", "rouge"], plugins: ["plugin.mjs"] },
      ...{ models: ["openai/gpt-5"], apiKeyEnv: "OPENAI_API_KEY", datasets: ["gsm8k", "data/q.jsonl"], trials: 3 },
      ...{ eval: { files: ["evals/eval.yaml"] }, unsafeLocalExec: false },
    };
    expect(check(flags, USUAL, `${PROJECT}/assay.config.ts`)).toEqual([]);
  });

  it.each([
    [{ agents: [{ command: "sh -c 'id; env' {prompt}" }] }, /the command "sh -c .*--allow systems,models,commands$/],
    [{ systems: [{ command: "python3 x.py" }] }, /the command "python3 x.py".*--allow systems,models,commands$/],
    [{ evaluators: [{ command: "python3 x.py" }] }, /the command "python3 x.py".*--allow systems,models,commands$/],
    [{ eval: { executors: ["sh -c id {prompt}"] } }, /the command.*--allow systems,models,commands$/],
    [{ evals: { environments: {} } }, /--allow systems,models,commands$/],
    [{ agents: ["claude"] }, /the agent claude.*--allow systems,models,agents$/],
    [{ agentHome: "inherit" }, /--allow systems,models,agent-home$/],
    [{ unsafeLocalExec: true }, /--allow systems,models,unsafe-local-exec$/],
    [{ apiKeyEnv: "AWS_SECRET_ACCESS_KEY" }, /the environment variable AWS_SECRET_ACCESS_KEY.*--allow-env AWS_S/],
    [{ agentEnv: ["NPM_TOKEN"] }, /the environment variable NPM_TOKEN/],
    [{ models: [{ model: "m", apiKeyEnv: "MINE" }] }, /the environment variable MINE/],
    [{ judge: { models: [{ model: "m", apiKeyEnv: "MINE" }] } }, /the environment variable MINE/],
    [{ eval: { judgeApiKeyEnv: "MINE" } }, /the environment variable MINE/],
    // A default key, sent to an endpoint chosen by the run.
    [{ models: [{ proxy: "http://evil" }], apiKeyEnv: "OPENAI_API_KEY" }, /--allow-env OPENAI_API_KEY$/],
    [{ systems: ["/tmp/evil.mjs"] }, /\/tmp\/evil\.mjs, which is outside \/home\/me\/evals.*outside-files$/],
    [{ plugins: ["../evil.mjs"] }, /outside-files$/],
    [{ evaluators: ["../evil.mjs"] }, /outside-files$/],
    [{ datasets: ["gsm8k=../../secrets.jsonl"] }, /outside-files$/],
    [{ datasets: ["/etc/passwd.csv"] }, /outside-files$/],
    [{ keepWorkspaces: "/etc/cron.d" }, /outside-files$/],
    [{ eval: { files: ["../other"] } }, /outside-files$/],
    [{ shell: "id" }, /the unknown setting "shell"/],
  ])("reject %j, and name the flag", (flags, why) => {
    expect(() => check(flags)).toThrow(why);
  });

  it("reject a config file or a module outside its project", () => {
    expect(() => check({}, USUAL, "/tmp/assay.config.mjs")).toThrow("outside-files");
    expect(() => requireModuleAllowed("/tmp/options.mjs", { allowed: USUAL, project: PROJECT })).toThrow(
      "outside-files",
    );
    requireModuleAllowed(`${PROJECT}/options.mjs`, { allowed: USUAL, project: PROJECT });
  });

  it("withhold default keys from a run that names an endpoint, unless they are listed", () => {
    const flags = { models: [{ proxy: "http://127.0.0.1:1" }] };
    expect(check(flags)).toContain("OPENAI_API_KEY");
    expect(check({ agentUrl: "http://127.0.0.1:1" })).toContain("ANTHROPIC_API_KEY");
    expect(check(flags, { ...USUAL, env: ["OPENAI_API_KEY"] })).not.toContain("OPENAI_API_KEY");
  });
});

it("are replaced by the list of --allow", () => {
  const allowed: WorkerPermissions = { kinds: parseKinds(["agents", "commands"]), env: parseVariables(["MINE"]) };
  expect(check({ agents: ["claude", { command: "x {prompt}" }], apiKeyEnv: "MINE" }, allowed)).toEqual([]);
  expect(() => check({ systems: ["./mine.ts"] }, allowed)).toThrow("--allow agents,commands,systems");
  expect(() => check({ models: ["gpt-5"] }, allowed)).toThrow("--allow agents,commands,models");
  expect(() => parseKinds(["comands"])).toThrow('Unknown --allow value "comands". Did you mean "commands"?');
  expect(() => parseVariables(["A B"])).toThrow('got "A B"');
});
