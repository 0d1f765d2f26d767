import { ALL_AGENT_NAMES } from "../budget/index.js";
import {
  collectBoxLimits,
  collectExpertCosts,
  collectHeader,
  collectPair,
  collectPairs,
  collectThresholds,
  collectValues,
  parseAgentEnvFlag,
  parseCountFlag,
  parseDollarsFlag,
  parseDurationFlag,
  parseEffortsFlag,
  parseIntegerFlag,
  parseLateAction,
  parseListFlag,
  parseMissAction,
  parseNumberFlag,
  parseObjectFlag,
  parseOutageAction,
  parseServiceTierFlag,
} from "./flag-values.js";
import { TRUST_FLAG } from "./trust.js";

export type FlagParser = (value: string, before: never) => unknown;

/** How the command line reads each kind of value. `KIND_SCHEMAS` in run-config-schema.ts checks it in config files. */
export const KIND_PARSERS = {
  text: null,
  textOrTrue: null,
  path: null,
  switch: null,
  share: parseNumberFlag,
  amount: parseNumberFlag,
  positive: parseNumberFlag,
  integer: parseIntegerFlag,
  wholeNumber: parseIntegerFlag,
  count: parseCountFlag,
  isolation: null,
  outageAction: parseOutageAction,
  lateAction: parseLateAction,
  missAction: parseMissAction,
  duration: parseDurationFlag,
  serviceTier: parseServiceTierFlag,
  efforts: parseEffortsFlag,
  texts: collectValues,
  paths: collectValues,
  textByName: collectPair,
  numberByName: collectThresholds,
  expertCosts: collectExpertCosts,
  object: parseObjectFlag,
  prompts: collectValues,
  systems: collectValues,
  datasets: collectValues,
  evaluators: collectValues,
  metrics: collectValues,
  models: null,
  agents: null,
  judge: null,
  namedDatasets: null,
  evals: null,
} satisfies Record<string, FlagParser | null>;

export type SettingKind = keyof typeof KIND_PARSERS;

export interface RunSetting {
  readonly kind: SettingKind;
  /**
   * Default: a key of config files. "command" is only for the command line, and not stored with the run. "part" is combined
   * with other flags into a key, as --model and --proxy into `models`.
   */
  readonly role?: "command" | "part";
  /** As commander declares it. A key without it has none, or several parts. */
  readonly flag?: string;
  readonly help?: string;
  /** Default: the parser of its kind. */
  readonly parse?: FlagParser;
  /** Its heading in docs/reference/command-line.md; null if it is not a flag of `run`. */
  readonly section?: string | null;
  /** True for the dozen that `--help` shows; `--help all` shows every flag, under its section. */
  readonly isCommon?: true;
  /** Its meaning there, in Markdown. Default: the help. */
  readonly docs?: string;
  /** True if it neither runs, reads nor sends anything on a worker. Any other needs an entry in worker-allow.ts. */
  readonly isHarmless?: true;
}

export type RunSettings = Readonly<Record<string, RunSetting>>;

// Each setting is declared once, here, in the order of the help. Editors show the doc comment of a key, in TypeScript and
// in YAML. zod is not imported, so that --help stays fast.

export const INPUT_SETTINGS = {
  /**
   * Systems to measure: names such as truncate:0.5, modules, programs as { name, command }, or addresses as { name, url }.
   * @flag `--system`, `--system-command`, `--system-url`
   */
  systems: {
    kind: "systems",
    flag: "--system <spec>",
    help: "measure this system; repeatable",
    docs: "measure this system: a name such as `truncate:0.5`, or a file such as `./my-system.ts`; repeatable",
    section: "Systems, datasets and evaluators",
    isCommon: true,
  },
  systemCommand: {
    kind: "texts",
    role: "part",
    flag: "--system-command <command>",
    help: "measure a program in any language: 'python compress.py'; repeatable",
    docs: "measure a program in any language that reads and prints one JSON object per line: `'python compress.py'`; repeatable. See [any-language.md](../guides/any-language.md)",
    section: "Systems, datasets and evaluators",
  },
  systemUrl: {
    kind: "texts",
    role: "part",
    flag: "--system-url <url>",
    help: "measure a system behind an address: each request is posted as JSON; repeatable",
    docs: "measure a system behind an address: each request is posted to it as JSON; repeatable. See [any-language.md](../guides/any-language.md#systems-behind-an-address)",
    section: "Systems, datasets and evaluators",
  },
  /** Files of recorded outputs, each measured as a system. */
  replay: {
    kind: "paths",
    flag: "--replay <file>",
    help: "measure outputs recorded in a JSONL file; repeatable",
    docs: "measure outputs recorded in a JSONL file, as a system named after the file; repeatable",
    section: "Systems, datasets and evaluators",
  },
  /** Datasets: names such as gsm8k, files, or NAME=FILE. */
  datasets: {
    kind: "datasets",
    flag: "--dataset <spec>",
    help: "run this dataset: a name, a file, or NAME=FILE; repeatable",
    docs: "run this dataset: a name such as `gsm8k`, `mmlu:anatomy`, `gsm8k@REVISION` or `needle:lengths=500,1000`; a file (`.jsonl`, `.ndjson`, `.json`, `.csv`, `.tsv`, `.parquet`, each also with `.gz`); or `NAME=FILE,…` to read local files like that dataset; repeatable. See [datasets.md](../guides/datasets.md)",
    section: "Systems, datasets and evaluators",
    isCommon: true,
  },
  /** What a human expert charges for one example, in dollars: part of the frontier cost of a pass. By dataset if several. */
  expertCost: {
    kind: "expertCosts",
    flag: "--expert-cost <usd>",
    help: "what an expert charges for one example, part of the frontier cost of a pass: 3.5, or gsm8k=3.5,math=12",
    docs: "what a human expert charges for one example, part of the [frontier cost of a pass](numbers.md#frontier-cost-of-a-pass): `3.5` for every dataset, or `gsm8k=3.5,math=12`; repeatable. Default: that of the dataset, if one is published",
    section: "Output",
    isHarmless: true,
  },
  /** Field → column in dataset files. */
  map: {
    kind: "textByName",
    parse: collectPairs,
    flag: "--map <field=column,…>",
    help: "read each field from this column of a file",
    docs: "read each field (`question`, `context`, `answer`, `id`, …) from this column of a file; not for named datasets",
    section: "Examples and samples",
    isHarmless: true,
  },
  /** Sends the requests of models and judges in batches, at the batch price. */
  batch: {
    kind: "switch",
    flag: "--batch",
    help: "send requests to models and judges in batches, at half the price, within a day",
    docs: "send requests to models and judges in batches, at the batch price; results come within a day. See [batches.md](../guides/batches.md)",
    section: "Batches",
    isHarmless: true,
  },
  /** How long a batch may take, such as 6h. Default: as long as the provider allows. */
  batchDeadline: {
    kind: "duration",
    flag: "--batch-deadline <time>",
    help: "how long a batch may take, such as 6h; see --batch-late",
    docs: "how long a batch may take, such as `6h`; then `--batch-late` applies (default: as long as the provider allows)",
    section: "Batches",
    isHarmless: true,
  },
  /** What happens to requests without an answer after the deadline. Default: live. */
  batchLate: {
    kind: "lateAction",
    flag: "--batch-late <action>",
    help: "after --batch-deadline: live (cancel the batch, send the rest one by one) or leave (exit 3; --resume goes on)",
    docs: "after `--batch-deadline`: `live` cancels the batch, takes the answers it has, and sends the other requests one by one; `leave` ends the command with exit 3, and `--resume` goes on (default: `live`)",
    section: "Batches",
    isHarmless: true,
  },
  batchNoWait: {
    kind: "switch",
    role: "command",
    flag: "--batch-no-wait",
    help: "end when all requests are submitted; --resume collects the results",
    docs: "end with exit 0 when all requests are submitted; `--resume` collects the results, grades them, and submits what comes next",
    section: "Batches",
    isHarmless: true,
  },
  /** Skips rows that cannot be read, and counts them. */
  skipBadRows: {
    kind: "switch",
    flag: "--skip-bad-rows",
    help: "skip rows that cannot be read, and count them",
    section: "Examples and samples",
    isHarmless: true,
  },
  /** Folder of cached outputs, reused by content. Default: no cache. */
  cacheDir: {
    kind: "path",
    flag: "--cache-dir [dir]",
    help: "cache outputs by content and reuse them (default folder: .assay/cache)",
    docs: "cache outputs by content and reuse them (default folder: `.assay/cache`). Without the flag nothing is cached",
    section: "Execution",
  },
  /** Allows generated code to run without a sandbox. */
  unsafeLocalExec: {
    kind: "switch",
    flag: "--unsafe-local-exec",
    help: "run generated code without a sandbox if there is none: it can do everything you can",
    docs: "run generated code without a sandbox if there is none: it can do everything you can. See [sandbox.md](../guides/sandbox.md)",
    section: "Systems, datasets and evaluators",
  },
} satisfies RunSettings;

/** Where programs of trials run. */
export const BOX_SETTINGS = {
  /**
   * `box` runs agents, and the commands of set-ups and graders, in a box; `container:docker` and `container:podman` in a
   * container of the example's image; `none` with your permissions.
   */
  isolation: {
    kind: "isolation",
    flag: "--isolation <mode>",
    help: "none, box, container:docker or container:podman: in a box or a container, agents, set-ups and graders see their own folders only, and reach their model only",
    docs: "`box`: agents, and the commands of set-ups and graders, see their own folders only and reach their model only ([the box](../guides/agents.md#the-box)); `container:docker`, `container:podman`: the same, in a container of the example's image ([containers](../guides/agents.md#containers)); `none`: they have your permissions (default: `none`)",
    section: "Agents",
    isHarmless: true,
  },
  /** Hosts that programs in a box may reach: `HOST`, `HOST:PORT` or `*.HOST`. Without a port: 80 and 443. */
  allowHosts: {
    kind: "texts",
    flag: "--allow-host <host[:port]>",
    help: "let programs in a box reach this host, such as registry.example.org or localhost:5432; repeatable",
    section: "Agents",
    isHarmless: true,
  },
  /** Files and folders that programs in a box may read. */
  allowPaths: {
    kind: "paths",
    flag: "--allow-path <path>",
    help: "let programs in a box read this file or folder; repeatable",
    section: "Agents",
  },
  /** What a box may use: `processes`, `memoryGib`, `cpus`, `diskGib`. Default: 1024, 4, 2 and 8. */
  boxLimits: {
    kind: "numberByName",
    parse: collectBoxLimits,
    flag: "--box-limit <name=number>",
    help: "what a box may use: processes, memoryGib, cpus or diskGib, such as memoryGib=8; repeatable",
    docs: "what a box may use: `processes` (default: 1024), `memoryGib` (4), `cpus` (2) or `diskGib` (8), such as `memoryGib=8`; repeatable",
    section: "Agents",
    isHarmless: true,
  },
} satisfies RunSettings;

/** How agents are run, however they are named. */
export const AGENT_SETTINGS = {
  /** `inherit` for your own HOME, or a folder, for agents that are logged in there. Default: a temporary one. */
  agentHome: {
    kind: "text",
    flag: "--agent-home <inherit|dir>",
    help: "use your own HOME, or a folder, for agents that are logged in there",
    docs: "use your own HOME, or a folder, for agents that are logged in there (default: a temporary one)",
    section: "Agents",
  },
  /** Where the agents' model calls are sent instead of to their provider. */
  agentUrl: {
    kind: "text",
    flag: "--agent-url <url>",
    help: "send the agents' model calls here instead of to their provider",
    section: "Agents",
  },
  /** Environment variables passed on to agents. */
  agentEnv: {
    kind: "texts",
    parse: parseAgentEnvFlag,
    flag: "--agent-env <name,…>",
    help: "pass these environment variables on to agents",
    section: "Agents",
  },
  /** Counts a trial as an error when the agent called a model other than the requested one. */
  strictModel: {
    kind: "switch",
    flag: "--strict-model",
    help: "count a trial as an error when the agent called a model other than the requested one",
    section: "Agents",
    isHarmless: true,
  },
  /**
   * Whether each agent does a trivial task before its trials, which are not run if it cannot. Default: before ten trials or
   * more of agents by name, and never with `mock`.
   */
  canary: {
    kind: "switch",
    flag: "--canary",
    help: "always run a trivial task before an agent's trials (default: before ten trials or more of agents by name)",
    docs: "always run a trivial task before an agent's trials, which are not run if it fails (default: before ten trials or more of agents by name, and never with `--mock`). See [agents.md](../guides/agents.md#the-canary)",
    section: "Agents",
    isHarmless: true,
  },
  noCanary: {
    kind: "switch",
    role: "part",
    flag: "--no-canary",
    help: "run an agent's trials without a trivial task before them",
    section: "Agents",
  },
  /** Folder for the agents' workspaces. Default: workspaces are removed. */
  keepWorkspaces: {
    kind: "path",
    flag: "--keep-workspaces <dir>",
    help: "keep what agents leave behind, one folder per trial",
    section: "Agents",
  },
} satisfies RunSettings;

export const AGENT_NAME_SETTINGS = {
  /**
   * Coding agents: names, `NAME:MODEL`, or a command.
   * @flag `--agent`, `--agent-command`, `--agent-continue`, `--agent-model`, `--agent-name`
   */
  agents: { kind: "agents" },
  agent: {
    kind: "texts",
    role: "part",
    flag: "--agent <name[:model]>",
    help: `run a coding agent: ${ALL_AGENT_NAMES.join(", ")}; repeatable`,
    section: "Agents",
    isCommon: true,
  },
  agentCommand: {
    kind: "texts",
    role: "part",
    flag: "--agent-command <command>",
    help: "run any other agent: 'my-agent {prompt}'; repeatable",
    docs: "run any other agent: `'my-agent {prompt}'`, or with `{prompt_file}`; repeatable",
    section: "Agents",
  },
  agentContinue: {
    kind: "text",
    role: "part",
    flag: "--agent-continue <command>",
    help: "for --agent-command: continue its session: 'my-agent --resume {session} {prompt}'",
    docs: "for `--agent-command`: the command for a further message in the same session: `'my-agent --resume {session} {prompt}'`",
    section: "Agents",
  },
  agentName: {
    kind: "texts",
    role: "part",
    flag: "--agent-name <name>",
    help: "name an agent; once for each agent, in the same order",
    docs: "name an agent; once for each `--agent` and `--agent-command`, in the same order",
    section: "Agents",
  },
  agentModel: {
    kind: "text",
    role: "part",
    flag: "--agent-model <name>",
    help: "for --agent-command: the model, for its price and for {model}",
    docs: "for `--agent-command`: the model, for its address, key and price, and for `{model}`",
    section: "Agents",
  },
  /** Concurrent agent trials. Default: the number of cores, at most 4. */
  agentParallel: {
    kind: "count",
    flag: "--agent-parallel <count>",
    help: "run at most this many agent trials at a time (default: the number of cores, at most 4)",
    section: "Agents",
    isHarmless: true,
  },
} satisfies RunSettings;

const MODEL_NAME_SETTINGS = {
  mock: {
    kind: "path",
    role: "part",
    flag: "--mock <script>",
    help: "simulate all models with this script; needs no key: see assay mock",
    docs: "simulate all models with this script, also those of agents and judges; needs no key. See [mock.md](../guides/mock.md#in-a-run)",
    section: "Systems, datasets and evaluators",
  },
  /**
   * Models behind an API: names from the models file, `provider/model`, or models with their endpoint.
   * @flag `--model`, `--proxy`, `--name`, `--api`
   */
  models: { kind: "models" },
  model: {
    kind: "texts",
    role: "part",
    flag: "--model <name>",
    help: "measure this model: from models.yml, PROVIDER/MODEL, or served by --proxy; repeatable",
    docs: "measure this model: from `models.yml`, `PROVIDER/MODEL`, or served by `--proxy`; repeatable. See [models.md](../guides/models.md)",
    section: "Systems, datasets and evaluators",
    isCommon: true,
  },
  proxy: {
    kind: "texts",
    role: "part",
    flag: "--proxy <url>",
    help: "call an OpenAI-compatible endpoint at this base URL; repeatable, each with a --model",
    docs: "call an endpoint at this base URL; repeatable, each with a `--model`",
    section: "Systems, datasets and evaluators",
    isCommon: true,
  },
  name: {
    kind: "texts",
    role: "part",
    flag: "--name <name>",
    help: "name the system of a --model, --proxy, --system-command or --system-url; repeatable",
    section: "Systems, datasets and evaluators",
  },
  api: {
    kind: "texts",
    role: "part",
    flag: "--api <format>",
    help: "API format: chat, responses, anthropic, gemini, bedrock; repeatable",
    docs: "API format: `chat` (the default for proxies), `responses`, `anthropic`, `gemini`, `bedrock`; repeatable",
    section: "Systems, datasets and evaluators",
  },
  /** The file with models, prices and budgets. Default: models.yml if present. */
  modelsFile: {
    kind: "path",
    flag: "--models <file>",
    help: "read models, prices and budgets from this file (default: models.yml if present)",
    docs: "read models, prices and budgets from this file (default: `models.yml` or `models.yaml` if present). See [budgets.md](../guides/budgets.md)",
    section: "Systems, datasets and evaluators",
  },
} satisfies RunSettings;

/** Settings for all models of a run, or for one. */
export const MODEL_SETTINGS = {
  /**
   * Prompts: files, patterns such as `prompts/*.md`, { name, file } or { name, template }. Each model is measured with each.
   * Default: context and question as they are.
   */
  prompts: {
    kind: "prompts",
    flag: "--prompt <file...>",
    help: "for models: ask with this prompt, a text with {{question}}, {{context}} or any column; each model is measured with each prompt",
    docs: "ask with this prompt: a file with `{{question}}`, `{{context}}` or any column, or a pattern such as `'prompts/*.md'`; repeatable. Each model is measured with each prompt. See [prompts.md](../guides/prompts.md)",
    section: "Models",
    isCommon: true,
  },
  /** The system prompt of every request. */
  systemPrompt: {
    kind: "text",
    flag: "--system-prompt <text>",
    help: "for models: set the system prompt",
    section: "Models",
    isHarmless: true,
  },
  /** The sampling temperature. */
  temperature: {
    kind: "amount",
    flag: "--temperature <number>",
    help: "for models: set the temperature",
    docs: "set the temperature (default: the model's own)",
    section: "Models",
    isHarmless: true,
  },
  /** The maximum length of an answer in tokens. */
  maxTokens: {
    kind: "count",
    flag: "--max-tokens <count>",
    help: "for models: limit the length of answers",
    section: "Models",
    isHarmless: true,
  },
  /** How much models think: none, minimal, low, medium, high, xhigh, max or a number of thinking tokens. Several are measured one by one. */
  effort: {
    kind: "efforts",
    flag: "--effort <list>",
    help: "for models and agents: how much to think: none, minimal, low, medium, high, xhigh, max or a number of tokens; several are measured one by one",
    docs: "how much models and agents think: `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`, or a number of thinking tokens. Several (`low,high`) are measured one by one, as `NAME@low` and `NAME@high`. See [models.md](../guides/models.md#effort)",
    section: "Models",
    isHarmless: true,
  },
  /** The service tier of every request: flex is cheaper and slow, priority is fast. Default: the standard one. */
  serviceTier: {
    kind: "serviceTier",
    flag: "--service-tier <name>",
    help: "for models: send requests as flex (cheaper, slow) or priority (fast)",
    docs: "send requests as `flex` (cheaper, slow) or `priority` (fast), at that price. See [budgets.md](../guides/budgets.md#prices)",
    section: "Models",
    isHarmless: true,
  },
  /** Merged into the body of every request; null removes a key. */
  extraBody: {
    kind: "object",
    flag: "--extra-body <json>",
    help: "for models: merge this into the body of every request",
    docs: "merge this into the body of every request; null removes a key",
    section: "Models",
    isHarmless: true,
  },
  /** Extra headers of every request. */
  headers: {
    kind: "textByName",
    parse: collectHeader,
    flag: "--header <name: value>",
    help: "for models: send an extra header; repeatable",
    section: "Models",
    isHarmless: true,
  },
  /** Timeout of one call in seconds. */
  timeout: {
    kind: "positive",
    flag: "--timeout <seconds>",
    help: "for models, commands and addresses: limit the time of one call (default: 30 s more than the hard timeout; 600 s for commands and addresses)",
    section: "Models",
    isHarmless: true,
  },
  /** The name of the environment variable that holds the API key. */
  apiKeyEnv: {
    kind: "text",
    flag: "--api-key-env <variable>",
    help: "for models: read the key from this environment variable",
    section: "Models",
  },
  /** Allows sending a key over plain http to another machine. */
  allowInsecure: {
    kind: "switch",
    flag: "--allow-insecure",
    help: "for models: allow sending a key over plain http to another machine",
    section: "Models",
    isHarmless: true,
  },
} satisfies RunSettings;

const LIMIT_SETTINGS = {
  /** Limit for the whole run in dollars. */
  maxCost: {
    kind: "positive",
    parse: parseDollarsFlag,
    flag: "--max-cost <dollars>",
    help: "limit the cost of the whole run: trials that might exceed it are not started",
    docs: "limit the cost of the whole run, judging included: trials that might exceed it are not started",
    section: "Budget",
    isHarmless: true,
    isCommon: true,
  },
  /** Limit for each trial in dollars, instead of the one in the models file. */
  trialMaxCost: {
    kind: "amount",
    flag: "--trial-max-cost <dollars>",
    help: "limit the cost of each trial: it is stopped there and graded on what it has produced",
    docs: "limit the cost of each trial, instead of the limit in the models file: it is stopped there and graded on what it has produced; 0 for no limit",
    section: "Budget",
    isHarmless: true,
  },
  /** Retries of a call that failed before any output. Default: 5. */
  maxRetries: {
    kind: "wholeNumber",
    flag: "--max-retries <count>",
    help: "retry calls that fail before any output (default: 5)",
    section: "Models",
    isHarmless: true,
  },
  /** What to do if an endpoint is down: stop after a minute, or wait. Default: stop. */
  onOutage: {
    kind: "outageAction",
    flag: "--on-outage <action>",
    help: "if an endpoint is down: stop (after 60 s) or wait (default: stop)",
    docs: "if an endpoint is down: `stop` its systems after 60 s, or `wait` (default: `stop`). See [models.md](../guides/models.md#stopped-systems)",
    section: "Models",
    isHarmless: true,
  },
  /**
   * Evaluators that replace the datasets' own: NAME for every dataset, DATASET=NAME for one, or programs as { name, command }.
   * @flag `--evaluator`, `--evaluator-command`
   */
  evaluators: {
    kind: "evaluators",
    flag: "--evaluator <spec>",
    help: "replace the datasets' evaluators: NAME for every dataset, DATASET=NAME for one; repeatable",
    docs: "replace the datasets' evaluators, by name or file: `NAME` for every dataset, `DATASET=NAME` for one; repeatable. See [evaluators.md](evaluators.md)",
    section: "Systems, datasets and evaluators",
    isCommon: true,
  },
  evaluatorCommand: {
    kind: "texts",
    role: "part",
    flag: "--evaluator-command <command>",
    help: "score with a program in any language: 'python score.py'; repeatable",
    docs: "score every dataset with a program in any language: `'python score.py'`; repeatable. See [any-language.md](../guides/any-language.md#evaluators)",
    section: "Systems, datasets and evaluators",
  },
} satisfies RunSettings;

/** The model that plays the users of examples. */
export const USER_SETTINGS = {
  /** The model that plays the simulated users of examples: a name from the models file, or `provider/model`. */
  userModel: {
    kind: "text",
    flag: "--user-model <name>",
    help: "let this model play the simulated users of examples: from models.yml or PROVIDER/MODEL",
    docs: "let this model play the [simulated users](../guides/datasets.md#a-simulated-user) of examples: from `models.yml` or `PROVIDER/MODEL`",
    section: "Models",
  },
} satisfies RunSettings;

export const JUDGE_SETTINGS = {
  /**
   * Models that judge answers: they score every dataset in addition to its evaluators.
   * @flag `--judge-model` and the others
   */
  judge: { kind: "judge" },
  judgeModel: {
    kind: "texts",
    role: "part",
    flag: "--judge-model <name>",
    help: "judge with this model: from models.yml or PROVIDER/MODEL; several form a panel",
    docs: "judge with this model: from `models.yml`, `PROVIDER/MODEL`, or served by `--judge-url`; several form a panel",
    section: "Judges",
    isCommon: true,
  },
  judgeUrl: {
    kind: "texts",
    role: "part",
    flag: "--judge-url <url>",
    help: "call the judge at this base URL; repeatable",
    section: "Judges",
  },
  judgeApi: {
    kind: "texts",
    role: "part",
    flag: "--judge-api <format>",
    help: "API format of the judge: chat, responses, anthropic, gemini, bedrock; repeatable",
    docs: "API format of the judge: `chat`, `responses`, `anthropic`, `gemini`, `bedrock`; repeatable",
    section: "Judges",
  },
  judgeApiKeyEnv: {
    kind: "text",
    role: "part",
    flag: "--judge-api-key-env <variable>",
    help: "read the judge's key from this environment variable",
    section: "Judges",
  },
  judgeScale: {
    kind: "text",
    role: "part",
    flag: "--judge-scale <name>",
    help: "set the scale: binary, 1-5 or 1-10 (default: binary)",
    docs: "set the scale: `binary`, `1-5` or `1-10` (default: `binary`)",
    section: "Judges",
  },
  judgeRubric: {
    kind: "text",
    role: "part",
    flag: "--judge-rubric <file>",
    help: "read the rubric from this text file",
    section: "Judges",
  },
  judgePanel: {
    kind: "text",
    role: "part",
    flag: "--judge-panel <rule>",
    help: "combine several judges by mean, median, majority or min (default: mean)",
    docs: "combine several judges by `mean`, `median`, `majority` or `min` (default: `mean`)",
    section: "Judges",
  },
  judgePairwise: {
    kind: "switch",
    role: "part",
    flag: "--judge-pairwise",
    help: "compare two answers, in both orders, instead of scoring one",
    section: "Judges",
  },
  judgePerTurn: {
    kind: "switch",
    role: "part",
    flag: "--judge-per-turn",
    help: "judge each turn of a conversation with the turns before it, and take the mean",
    section: "Judges",
  },
} satisfies RunSettings;

/** Of every command that reports results and checks gates. */
export const REPORT_SETTINGS = {
  /** Report format: table, summary, json, eval, markdown, junit, html, or a plugin's. Default: table. */
  output: {
    kind: "text",
    flag: "--output <name>",
    help: "print table, summary, json, eval, markdown, junit or html, or a plugin's report (default: table)",
    docs: "print `table`, `summary` (one line per system and what failed; the default for eval files), `json`, `eval`, `markdown`, `junit`, `html` (one file for a browser, see [dashboard.md](../guides/dashboard.md#html-report)), or a plugin's report (default: `table`)",
    section: "Output",
    isHarmless: true,
    isCommon: true,
  },
  /** Column groups of the table: quality, tokens, cost, speed, trials, datasets, facets, other; or all. */
  columns: {
    kind: "texts",
    parse: parseListFlag,
    flag: "--columns <groups>",
    help: "select columns of the table: quality, tokens, cost, speed, trials, datasets, facets, other; or all, which leaves out none",
    docs: "select columns of the table, separated by commas: `quality`, `tokens`, `cost`, `speed`, `trials`, `datasets`, `facets`, `other`; or `all`, which leaves out none however narrow the terminal is. `facets` prints a heat map for every system. The speed and efficiency table is printed if something measured it, or if you select `speed`",
    section: "Output",
    isHarmless: true,
  },
  /** The minimum share of planned trials that must be scored. Default: 0.95. */
  minCoverage: {
    kind: "share",
    flag: "--min-coverage <share>",
    help: "exit 3 if a smaller share of the planned trials was scored (default: 0.95)",
    section: "Pass or fail",
    isHarmless: true,
  },
  /** Metric key → minimum. */
  failUnder: {
    kind: "numberByName",
    flag: "--fail-under <metric=value>",
    help: "exit 1 if a system's metric is lower; repeatable",
    docs: "exit 1 if a system's metric is lower; repeatable. Takes any key of the summary, such as `facet:subject=anatomy`",
    section: "Pass or fail",
    isHarmless: true,
    isCommon: true,
  },
  /** Metric key → maximum. */
  failOver: {
    kind: "numberByName",
    flag: "--fail-over <metric=value>",
    help: "exit 1 if a system's metric is higher; repeatable",
    docs: "exit 1 if a system's metric is higher, for costs, times and error rates; repeatable",
    section: "Pass or fail",
    isHarmless: true,
  },
  quiet: {
    kind: "switch",
    role: "command",
    flag: "--quiet",
    help: "print no progress",
    section: "Output",
    isHarmless: true,
  },
} satisfies RunSettings;

/** Of `run`, `memory`, `eval` and `compare`: where the result is written besides stdout. */
export const PUBLISH_SETTINGS = {
  /** File for JUnit XML, with a case for each trial and gate. */
  junit: {
    kind: "path",
    flag: "--junit <file>",
    help: "write JUnit XML to this file",
    docs: "write JUnit XML to this file, with a case for each trial and gate. See [ci.md](../guides/ci.md)",
    section: "Output",
    isHarmless: true,
  },
  /** File for the report as a pull request comment. */
  markdown: {
    kind: "path",
    flag: "--markdown <file>",
    help: "write a pull request comment to this file",
    docs: "write the report as a pull request comment to this file. See [ci.md](../guides/ci.md)",
    section: "Output",
    isHarmless: true,
  },
  github: {
    kind: "textOrTrue",
    role: "command",
    flag: "--github [part]",
    help: "in a GitHub workflow: write the job summary, annotations and one pull request comment; 'summary' for no comment",
    docs: "in a GitHub workflow: write the job summary, annotations, outputs and one pull request comment, updated on every push; `--github summary` writes no comment. See [ci.md](../guides/ci.md)",
    section: "Output",
    isHarmless: true,
  },
} satisfies RunSettings;

const PLAN_SETTINGS = {
  /** Metrics in addition to the standard ones: names or modules. `{ only: [...] }` replaces the standard ones. */
  metrics: {
    kind: "metrics",
    flag: "--metric <spec>",
    help: "add a metric to the standard ones; repeatable",
    docs: "add a metric to the standard ones, by name or file; repeatable",
    section: "Systems, datasets and evaluators",
  },
  /** Modules that export register(registry). */
  plugins: {
    kind: "paths",
    flag: "--plugin <file>",
    help: "load a module that exports register(registry); repeatable",
    docs: "load a module that exports `register(registry)`; repeatable. See [plugins.md](../guides/plugins.md)",
    section: "Systems, datasets and evaluators",
  },
  trust: {
    kind: "switch",
    role: "command",
    flag: TRUST_FLAG[0],
    help: TRUST_FLAG[1],
    docs: "run code and commands named by files outside this folder. See [Trust](#trust)",
    section: "Systems, datasets and evaluators",
  },
  config: {
    kind: "text",
    role: "command",
    flag: "--config <file>",
    help: "read the run from this file (default: assay.config.ts, .mjs, .yaml if present)",
    docs: "read the run from this file (default: `assay.config.ts`, `.mjs` or `.yaml` if present)",
    section: "Systems, datasets and evaluators",
    isHarmless: true,
    isCommon: true,
  },
  /** Maximum number of examples of each dataset, a seeded sample. Default: all. */
  maxExamples: {
    kind: "count",
    flag: "-n, --max-examples <count>",
    help: "run at most this many examples of each dataset, a seeded sample",
    docs: "run at most this many examples of each dataset: a seeded sample, stratified if the dataset has a subject. A larger sample with the same seed contains the smaller one. See [datasets.md](../guides/datasets.md)",
    section: "Examples and samples",
    isHarmless: true,
    isCommon: true,
  },
  /** With `maxExamples`: the first examples instead of a sample. */
  head: {
    kind: "switch",
    flag: "--head",
    help: "with -n: take the first examples instead of a sample",
    section: "Examples and samples",
    isHarmless: true,
  },
  /** Seed of only the sample. Default: `seed`. */
  shuffleSeed: {
    kind: "integer",
    flag: "--shuffle-seed <number>",
    help: "seed only the sample (default: --seed)",
    section: "Examples and samples",
    isHarmless: true,
  },
  /** Column → required value: keeps only matching examples. */
  filter: {
    kind: "textByName",
    flag: "--filter <column=value>",
    help: "keep only examples whose column equals the value; repeatable",
    docs: "keep only examples whose column equals the value; repeatable, all must match. Filters apply before sampling",
    section: "Examples and samples",
    isHarmless: true,
  },
  /** The score that decides pass or fail. Default: each dataset's own. */
  scoreField: {
    kind: "text",
    flag: "--score-field <field>",
    help: "use this score to decide pass or fail (default: each dataset's own)",
    section: "Pass or fail",
    isHarmless: true,
  },
  /** The minimum score that passes. Default: 0.7. */
  threshold: {
    kind: "share",
    flag: "--threshold <share>",
    help: "pass if the score is at least this (default: 0.7)",
    section: "Pass or fail",
    isHarmless: true,
  },
  /** Trials of each example with each system. Default: 1. */
  trials: {
    kind: "count",
    flag: "--trials <count>",
    help: "run each example this many times with each system (default: 1)",
    section: "Pass or fail",
    isHarmless: true,
    isCommon: true,
  },
  /** Seed of the sample, the order and the bootstrap. Default: 0. */
  seed: {
    kind: "integer",
    flag: "--seed <number>",
    help: "seed the sample, the order and the bootstrap (default: 0)",
    docs: "seed the sample, the order, the trials and the bootstrap (default: 0)",
    section: "Execution",
    isHarmless: true,
  },
  /** Concurrent trials. Default: 8. */
  maxWorkers: {
    kind: "count",
    flag: "--max-workers <count>",
    help: "run this many trials at a time (default: 8)",
    docs: "run this many trials at a time, per endpoint, and for all systems without an endpoint together (default: 8)",
    section: "Execution",
    isHarmless: true,
  },
  /** Tokenizer: cl100k_base, o200k_base or one of a plugin. Default: cl100k_base. */
  tokenizer: {
    kind: "text",
    flag: "--tokenizer <name>",
    help: "count tokens with cl100k_base, o200k_base or a plugin's tokenizer (default: cl100k_base)",
    docs: "count tokens with `cl100k_base`, `o200k_base` or [a plugin's tokenizer](../guides/plugins.md#rules-for-each-kind) (default: `cl100k_base`)",
    section: "Execution",
    isHarmless: true,
  },
  /** Folder for run folders. Default: .assay/runs. */
  runsDir: {
    kind: "path",
    flag: "--runs-dir <dir>",
    help: "write run folders here (default: .assay/runs)",
    docs: "write run folders here (default: `.assay/runs`)",
    section: "Execution",
    isHarmless: true,
  },
  /** True for the latest unfinished run. */
  resume: {
    kind: "textOrTrue",
    role: "command",
    flag: "--resume [run]",
    help: "resume a stopped run (default: the latest unfinished one)",
    docs: "resume a stopped run, by folder, id, tag or title (default: the latest unfinished one). Needs no other flag except the run's `--runs-dir`",
    section: "Execution",
    isHarmless: true,
    isCommon: true,
  },
  /** The title of the report. */
  title: {
    kind: "text",
    flag: "--title <text>",
    help: "set the title of the report",
    docs: "set the title of the run, by which it can be named later",
    section: "Output",
    isHarmless: true,
  },
  /** Tags of the run, by which it can be named. */
  tags: {
    kind: "texts",
    flag: "--tag <name>",
    help: "tag the run; other commands can name it by its tag (see: assay runs); repeatable",
    docs: "tag the run, so that other commands can name it: `assay compare nightly latest`; repeatable. See [history.md](../guides/history.md#names-and-tags)",
    section: "Output",
    isHarmless: true,
  },
  dryRun: {
    kind: "switch",
    role: "command",
    flag: "--dry-run",
    help: "print the plan and the differences it can detect; run nothing",
    docs: "print the plan, its cost and duration, and the differences it can detect; run nothing",
    section: "Execution",
    isHarmless: true,
    isCommon: true,
  },
} satisfies RunSettings;

export const QUEUE_SETTINGS = {
  /** The Redis whose workers run the trials, as redis://HOST:6379. Default: trials run in this process. */
  queue: {
    kind: "text",
    flag: "--queue <url>",
    help: "run the trials on workers connected to this Redis: redis://HOST:6379 (see: assay worker)",
    docs: "run the trials on workers connected to this Redis: `redis://HOST:6379`. See [scale.md](../guides/scale.md)",
    section: "Execution",
    isHarmless: true,
  },
  noQueue: {
    kind: "switch",
    role: "part",
    flag: "--no-queue",
    help: "run the trials here, even if the config file or the resumed run has a queue",
    section: "Execution",
  },
  /** With `queue`: a folder shared by all machines, for large outputs. */
  sharedDir: {
    kind: "path",
    flag: "--shared-dir <dir>",
    help: "with --queue: store large outputs in this folder, shared by all machines",
    section: "Execution",
    isHarmless: true,
  },
} satisfies RunSettings;

/** Of `run`, for eval files. */
export const WATCH_SETTINGS = {
  watch: {
    kind: "switch",
    role: "command",
    flag: "--watch",
    help: "run eval files again when they or files they use change, with cached outputs",
    docs: "run eval files again when they, their imports or their data change, with cached outputs. See [typescript.md](../guides/typescript.md#watch)",
    section: "Execution",
    isHarmless: true,
  },
} satisfies RunSettings;

/** Whether model calls are recorded, or answered from a recording. */
export const TRAFFIC_SETTINGS = {
  /** Folder to record all model calls in, one file for each trial. */
  record: {
    kind: "path",
    flag: "--record <dir>",
    help: "record all model calls in this folder, without keys; see --replay-traffic",
    docs: "record all model calls of agents, models and judges in this folder, without keys. See [record-replay.md](../guides/record-replay.md)",
    section: "Recordings",
  },
  /** Folder of recorded model calls, which are answered from it. */
  replayTraffic: {
    kind: "path",
    flag: "--replay-traffic <dir>",
    help: "answer all model calls from this folder of --record: needs no key, costs nothing",
    docs: "answer all model calls of agents, models and judges from this folder of `--record`, without a key and without cost",
    section: "Recordings",
  },
  /** What happens to a call without a recorded answer: fail, live or nearest. Default: fail. */
  onMiss: {
    kind: "missAction",
    flag: "--on-miss <action>",
    help: "for a call without a recorded answer: fail (default), live (call the model) or nearest",
    docs: "with `--replay-traffic`, for a call without a recorded answer: `fail` makes the trial an error that shows the difference, `live` calls the model, `nearest` answers like the most similar recorded call (default: `fail`)",
    section: "Recordings",
    isHarmless: true,
  },
  /** With replayTraffic: answer the first calls of each agent's trial from the recording, such as turn:7, and the others live. */
  replayUntil: {
    kind: "text",
    flag: "--replay-until <turn:count>",
    help: "answer this many model calls of an agent from the recording, such as turn:7, and the others live",
    docs: "with `--replay-traffic`, answer the first model calls of each agent's trial from the recording, such as `turn:7`, and the others live",
    section: "Recordings",
    isHarmless: true,
  },
  /** With replayUntil: the model that answers the other calls. Default: the agent's own. */
  thenModel: {
    kind: "text",
    flag: "--then <model>",
    help: "with --replay-until, the model that answers the other calls (default: the agent's own)",
    docs: "with `--replay-until`, the model that answers the other calls: from `models.yml` or `PROVIDER/MODEL` (default: the agent's own)",
    section: "Recordings",
    isHarmless: true,
  },
} satisfies RunSettings;

/** When a run stops before its last task. */
export const UNTIL_SETTINGS = {
  /** Stops when this is decided: decided, best, pass_rate>=0.9 or precision<=0.03. */
  until: {
    kind: "text",
    flag: "--until <question>",
    help: 'stop when this is decided: decided, best, "pass_rate>=0.9" or "precision<=0.03"; none resumes to the end',
    docs: 'stop when this is decided: `decided` (each system against the first), `best` or `"best of 8"` (which system is best of all), `"pass_rate>=0.9"`, `"mean_score<0.5"` or `"precision<=0.03"`. `none` resumes a run that was stopped, and runs its other tasks. See [deciding.md](../guides/deciding.md)',
    section: "Deciding",
    isCommon: true,
    isHarmless: true,
  },
  /** With until decided: the largest acceptable loss of quality, such as 0.02. */
  margin: {
    kind: "share",
    flag: "--margin <share>",
    help: "with --until decided, test that no system loses more than this against the first",
    docs: "with `--until decided`, test each system for non-inferiority to the first: a loss of quality smaller than this is accepted",
    section: "Deciding",
    isHarmless: true,
  },
  /** With until: what is decided, pass_rate or mean_score. Default: pass_rate. */
  quality: {
    kind: "text",
    flag: "--quality <metric>",
    help: "with --until, decide by pass_rate or mean_score (default: pass_rate)",
    docs: "with `--until`, decide by `pass_rate` or `mean_score` (default: `pass_rate`)",
    section: "Deciding",
    isHarmless: true,
  },
  /** With until: tasks (all tasks like these) or dataset (these tasks only). Default: tasks. */
  population: {
    kind: "text",
    flag: "--population <name>",
    help: "with --until, what the verdict is about: tasks (all tasks like these) or dataset (these tasks only)",
    docs: "with `--until`, what the verdict is about: `tasks`, all tasks like these, or `dataset`, these tasks only, which needs fewer of them (default: `tasks`)",
    section: "Deciding",
    isHarmless: true,
  },
  /** With until: the chance that the verdict is right. Default: 0.95. */
  confidence: {
    kind: "share",
    flag: "--confidence <share>",
    help: "with --until, the chance that the verdict is right (default: 0.95)",
    docs: "with `--until`, the chance that the verdict is right (default: 0.95)",
    section: "Deciding",
    isHarmless: true,
  },
  /** With until decided: a stored run whose system the others are compared with, without running it again. */
  against: {
    kind: "text",
    flag: "--against <run>",
    help: "with --until decided, compare with this stored run, task by task; its trials are not run again",
    docs: "with `--until decided`, compare with this stored run (a folder, id, tag or title) task by task, until each system is known to be better or worse; its trials are not run again. See [deciding.md](../guides/deciding.md#against-a-stored-run)",
    section: "Deciding",
    isHarmless: true,
  },
  /** With against: the system of that run. Default: its only one, or the one of the same name. */
  againstSystem: {
    kind: "text",
    flag: "--against-system <name>",
    help: "with --against, the system of that run (default: its only one, or the one of the same name)",
    docs: "with `--against`, the system of that run (default: its only one, or the one of the same name)",
    section: "Deciding",
    isHarmless: true,
  },
} satisfies RunSettings;

/** Of other commands. */
const OTHER_SETTINGS = {
  /** For memories: the system that answers from what they retrieve, instead of a model. */
  reader: {
    kind: "text",
    flag: "--reader <file>",
    help: "answer from retrieved memories with this system instead of a model",
    section: null,
  },
  /**
   * Named files of the project, for `datasets` and --dataset; written by `assay datasets import`.
   * @flag `assay datasets import`
   */
  namedDatasets: { kind: "namedDatasets" },
  /**
   * Eval files, suites and shared environments for `assay eval`.
   * @flag `-e`, `--suite` of `assay eval`
   */
  evals: { kind: "evals" },
} satisfies RunSettings;

/** Of both `run` and `memory`. */
export const SHARED_RUN_SETTINGS = {
  ...MODEL_NAME_SETTINGS,
  ...MODEL_SETTINGS,
  ...LIMIT_SETTINGS,
  ...JUDGE_SETTINGS,
  ...REPORT_SETTINGS,
  ...PUBLISH_SETTINGS,
  ...PLAN_SETTINGS,
};

export const RUN_SETTINGS = {
  ...INPUT_SETTINGS,
  ...AGENT_NAME_SETTINGS,
  ...AGENT_SETTINGS,
  ...BOX_SETTINGS,
  ...SHARED_RUN_SETTINGS,
  ...USER_SETTINGS,
  ...QUEUE_SETTINGS,
  ...WATCH_SETTINGS,
  ...UNTIL_SETTINGS,
  ...TRAFFIC_SETTINGS,
  ...OTHER_SETTINGS,
};

/** The flags of the settings that `--help` shows. */
export function listCommonFlags(settings: RunSettings): string[] {
  return Object.values(settings)
    .filter(({ isCommon }) => isCommon === true)
    .map(getFlagName);
}

/** `--max-examples` of `-n, --max-examples <count>`. */
export function getFlagName({ flag = "" }: RunSetting): string {
  return /--[\w-]+/.exec(flag)?.[0] ?? "";
}
