import { constants } from "node:os";
import { type Gateway, type Receipt, type ReceiptLine, startGateway } from "../budget/gateway/index.js";
import { loadModels } from "../budget/index.js";
import { findModelsFile } from "../budget/models-file.js";
import { EXIT, UsageError } from "../core/errors.js";
import type { Price } from "../core/price.js";
import { type ProgramEnd, type RunningProgram, startAttached } from "../exec/process/index.js";
import { formatDollars, formatSeconds, plural } from "../report/format.js";
import { type Column, markdownTable, oneLine } from "../report/markdown.js";
import { say, writeResult } from "./streams.js";

/** What the flags of `assay gateway` parse to. */
export interface GatewayOptions {
  maxCost?: number;
  maxTokens?: number;
  modelMap?: Readonly<Record<string, string>>;
  /** A models file with prices. */
  models?: string;
  upstream?: Readonly<Record<string, string>>;
  /** Seconds. */
  timeout?: number;
  /** Lets a key go over plain http to another machine. */
  allowInsecure?: boolean;
  /** Passes on what cannot be metered although there is a limit in dollars. */
  allowUnmetered?: boolean;
  /** The receipt: `table` on stderr, or `json` on stdout. */
  output?: string;
}

type StoppedBy = "budget" | "time";

const LONGEST_TIMEOUT_SECS = 2_147_483;

/**
 * `assay gateway`: runs a program with its calls metered and stops it when the budget is spent; without a program, says
 * how to point one at it and meters until Ctrl-C.
 */
export async function gatewayCommand(options: GatewayOptions, command: readonly string[]): Promise<number> {
  check(options);
  const brake = new Brake();
  const gateway = await open(options, () => brake.pull());
  const limit = timeLimit(options.timeout);
  let outcome: Outcome;
  try {
    outcome = await (command.length === 0
      ? serve(gateway, options, { exceeded: brake.pulled, limit })
      : runProgram(gateway, { options, command, brake, limit }));
  } finally {
    limit.clear();
    await gateway.close();
  }
  await printReceipt(gateway.receipt(), options, outcome);
  return outcome.exitCode;
}

interface Outcome {
  readonly exitCode: number;
  readonly stoppedBy: StoppedBy | null;
}

function check({ output = "table", timeout }: GatewayOptions): void {
  if (output !== "table" && output !== "json")
    throw new UsageError(`There is no output "${output}". Use --output table or --output json.`);
  if (timeout !== undefined && !(timeout > 0 && timeout <= LONGEST_TIMEOUT_SECS))
    throw new UsageError(`--timeout ${timeout} must be a number of seconds above 0.`);
}

async function open(options: GatewayOptions, onExceeded: () => void): Promise<Gateway> {
  const { maxCost, maxTokens, modelMap, upstream } = options;
  const file = options.models ?? findModelsFile();
  return startGateway({
    budget: {
      ...(maxCost === undefined ? {} : { maxCostUsd: maxCost }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    },
    ...(modelMap === undefined ? {} : { modelMap }),
    ...(options.allowInsecure === undefined ? {} : { allowInsecure: options.allowInsecure }),
    ...(options.allowUnmetered === undefined ? {} : { allowUnmetered: options.allowUnmetered }),
    ...(upstream === undefined ? {} : { upstreams: upstream }),
    ...(file === undefined ? {} : { prices: await pricesIn(file) }),
    onExceeded,
  });
}

/** By both names of a model: programs use the one on the wire, people the one in the file. */
async function pricesIn(file: string): Promise<Map<string, Price>> {
  const { models } = await loadModels(file);
  const prices = new Map<string, Price>();
  for (const { name, apiName, price } of models.values()) {
    if (price === null) continue;
    if (!prices.has(apiName)) prices.set(apiName, price);
    prices.set(name, price);
  }
  return prices;
}

interface TimeLimit {
  readonly passed: Promise<StoppedBy>;
  clear(): void;
}

function timeLimit(seconds: number | undefined): TimeLimit {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<StoppedBy>((resolve) => {
    if (seconds !== undefined) timer = setTimeout(() => resolve("time"), seconds * 1000);
  });
  return { passed, clear: () => clearTimeout(timer) };
}

/**
 * Holds the program where it stands as soon as its budget is spent, until it is ended: what it would make of an answer
 * that was cut must not happen.
 */
class Brake {
  readonly pulled: Promise<StoppedBy>;
  isPulled = false;
  #resolve: (reason: StoppedBy) => void = () => {};
  #program: RunningProgram | null = null;

  constructor() {
    this.pulled = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** The program to be held. */
  holdOnto(program: RunningProgram): void {
    this.#program = program;
  }

  pull(): void {
    this.isPulled = true;
    this.#program?.signal("SIGSTOP");
    this.#resolve("budget");
  }
}

interface ProgramRun {
  readonly options: GatewayOptions;
  readonly command: readonly string[];
  readonly brake: Brake;
  readonly limit: TimeLimit;
}

async function runProgram(gateway: Gateway, { options, command, brake, limit }: ProgramRun): Promise<Outcome> {
  const [name = "", ...args] = command;
  const env = { ...process.env, ...gateway.env };
  // Before it starts: a Ctrl-C in between would end us and leave it behind.
  const signals = forwardSignals();
  try {
    const program = await startAttached({ command: name, args, env }, options.output === "json" ? "stderr" : "stdout");
    signals.sendTo(program);
    brake.holdOnto(program);
    const first = await Promise.race([program.ended, brake.pulled, limit.passed]);
    if (typeof first === "object") {
      // What was told to stop must not leave anything behind that did not listen, nor anything that is held.
      if (signals.wereSent || brake.isPulled) await program.stop();
      return { exitCode: exitCodeOf(first), stoppedBy: null };
    }
    say(`${REASONS[first](gateway.receipt(), options)}: stopping ${name}.`);
    const { left } = await program.stop();
    if (left.length > 0) say(`Some processes that ${name} started could not be stopped: ${left.join(", ")}.`);
    return { exitCode: EXIT.gateFailed, stoppedBy: first };
  } finally {
    signals.release();
  }
}

const REASONS: Readonly<Record<StoppedBy, (receipt: Receipt, options: GatewayOptions) => string>> = {
  budget: ({ totalUsd }) => `The budget is spent (${formatDollars(totalUsd)})`,
  time: (_, { timeout }) => `The time limit of ${timeout} s has passed`,
};

/** As shells have it: a program that a signal ended gives 128 and the signal's number. */
function exitCodeOf({ code, signal }: ProgramEnd): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The program is in a group of its own, so that Ctrl-C reaches only us. It is passed on; said twice, it is an order. */
function forwardSignals(): ForwardedSignals {
  const early: NodeJS.Signals[] = [];
  let program: RunningProgram | null = null;
  const forward = (signal: NodeJS.Signals) => {
    if (program === null) {
      early.push(signal);
      return;
    }
    if (signals.wereSent) void program.stop();
    else program.signal(signal);
    signals.wereSent = true;
  };
  const sendTo = (started: RunningProgram) => {
    program = started;
    for (const signal of early.splice(0)) forward(signal);
  };
  const release = () => {
    for (const signal of FORWARDED) process.off(signal, forward);
  };
  const signals = { wereSent: false, release, sendTo };
  for (const signal of FORWARDED) process.on(signal, forward);
  return signals;
}

interface ForwardedSignals {
  /** True once the program was told to stop. */
  readonly wereSent: boolean;
  /** The program that they go to, those that came before it was there included. */
  sendTo(program: RunningProgram): void;
  release(): void;
}

interface Limits {
  readonly exceeded: Promise<StoppedBy>;
  readonly limit: TimeLimit;
}

/** Without a program: whoever was told the variables can come, until Ctrl-C. */
async function serve(gateway: Gateway, options: GatewayOptions, { exceeded, limit }: Limits): Promise<Outcome> {
  const isJson = options.output === "json";
  const interrupted = nextSignal();
  const lines = exportLines(gateway.env);
  if (isJson) say(lines.trimEnd());
  else await writeResult(lines);
  say("Metering until Ctrl-C. Start your program in a shell with these variables.");
  void exceeded.then(() => say(`${REASONS.budget(gateway.receipt(), options)}: every further call is refused.`));
  const stoppedBy = await Promise.race([interrupted, limit.passed]);
  const isExceeded = gateway.receipt().exceeded;
  return { exitCode: isExceeded ? EXIT.gateFailed : EXIT.fine, stoppedBy: isExceeded ? "budget" : stoppedBy };
}

function nextSignal(): Promise<null> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of FORWARDED) process.off(signal, stop);
      resolve(null);
    };
    for (const signal of FORWARDED) process.on(signal, stop);
  });
}

function exportLines(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`)
    .join("");
}

async function printReceipt(receipt: Receipt, { output }: GatewayOptions, outcome: Outcome): Promise<void> {
  if (output === "json")
    await writeResult(`${JSON.stringify({ schema: "assay.receipt/1", ...receipt, ...outcome }, null, 2)}\n`);
  else say(renderReceipt(receipt));
  if (receipt.requests === 0) say(pointingHints());
}

/** The receipt for people: what each model used and cost, how the requests ended, and what is not certain about it. */
function renderReceipt(receipt: Receipt): string {
  const { byModel, usage, totalUsd } = receipt;
  const total = { model: "total", requests: sumOf(byModel), usage, costUsd: totalUsd, costSource: null };
  const lines = byModel.length > 1 ? [...byModel, total] : byModel;
  const table = lines.length === 0 ? [] : [markdownTable(COLUMNS, lines), ""];
  return ["", "# Receipt", "", ...table, ...facts(receipt).map((fact) => `- ${oneLine(fact)}`)].join("\n");
}

type Line = Pick<ReceiptLine, "model" | "requests" | "usage" | "costUsd"> & { costSource: string | null };

const COLUMNS: readonly Column<Line>[] = [
  { title: "model", cell: ({ model }) => model },
  { title: "requests", align: "right", cell: ({ requests }) => String(requests) },
  { title: "input", align: "right", cell: ({ usage }) => String(usage.input) },
  { title: "cache read", align: "right", cell: ({ usage }) => String(usage.cacheRead) },
  { title: "cache write", align: "right", cell: ({ usage }) => String(usage.cacheWrite) },
  { title: "output", align: "right", cell: ({ usage }) => String(usage.output) },
  { title: "of it reasoning", align: "right", cell: ({ usage }) => String(usage.reasoning) },
  { title: "cost", align: "right", cell: ({ costUsd }) => formatDollars(costUsd) },
  { title: "cost is", cell: ({ costSource }) => costSource ?? "" },
];

function sumOf(lines: readonly ReceiptLine[]): number {
  return lines.reduce((sum, { requests }) => sum + requests, 0);
}

const ENDINGS = [
  ["answered", "answered"],
  ["cut", "cut by the budget"],
  ["refused", "refused"],
  ["failed", "failed"],
  ["abandoned", "abandoned by the program"],
  ["unmetered", "unmetered"],
] as const;

function facts(receipt: Receipt): string[] {
  const { requests, durationMs, unmeteredPaths, unknownModels, partial } = receipt;
  const endings = ENDINGS.filter(([ending]) => receipt[ending] > 0).map(
    ([ending, words]) => `${receipt[ending]} ${words}`,
  );
  const found = [[plural(requests, "request"), endings.join(", ")].filter(Boolean).join(": ")];
  found.push(`${spent(receipt)} in ${formatSeconds(durationMs / 1000)}`);
  if (unknownModels.length > 0) found.push(`no price is known for ${unknownModels.join(", ")}: give one with --models`);
  if (partial)
    found.push("⚠ parts are estimated or not priced: some usage was never reported, or some price is not known");
  if (unmeteredPaths.length > 0)
    found.push(`unmetered, and not in the total if they cost anything: ${unmeteredPaths.join(", ")}`);
  return found;
}

function spent({ totalUsd, maxCostUsd, exceeded, costKilledAt }: Receipt): string {
  const limit = maxCostUsd === null || maxCostUsd === 0 ? "" : ` of ${formatDollars(maxCostUsd)}`;
  return `${formatDollars(totalUsd)}${limit} spent${exceeded ? `; the limit was exceeded at ${formatDollars(costKilledAt)}` : ""}`;
}

/** For a receipt without a single request. */
function pointingHints(): string {
  return `No request came: the program made none, or ignored the variables. How to point the known ones:
  claude    takes ANTHROPIC_BASE_URL; look for an "env" in its settings.json that sets another
  codex     ignores variables: sh -c 'codex exec -c model_provider=assay -c "model_providers.assay={name=\\"assay\\",base_url=\\"$OPENAI_BASE_URL\\",env_key=\\"OPENAI_API_KEY\\",wire_api=\\"responses\\"}" "…"'
  gemini    takes GOOGLE_GEMINI_BASE_URL when it signs in with a key: "security":{"auth":{"selectedType":"gemini-api-key"}} in its settings.json
  opencode  in opencode.json, for the provider: "options":{"baseURL":"{env:OPENAI_BASE_URL}"}
  pi        takes none: have a script write $OPENAI_BASE_URL as the "baseUrl" of a provider into ~/.pi/agent/models.json, then start pi
  others    print the variables with 'assay gateway' and look for a setting called base URL or endpoint`;
}
