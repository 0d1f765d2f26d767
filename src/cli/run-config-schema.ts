import * as z from "zod";
import { DIALECT_NAMES } from "../models/dialects/dialect.js";

/** What a config file may say. */
export function runConfigSchema() {
  const named = z.union([z.string(), z.custom<object>((value) => typeof value === "object" && value !== null)], {
    error: "must be a name, a path or an object",
  });
  const share = z.number().min(0).max(1);
  const whole = z.number().int().min(1);
  const settings = {
    systemPrompt: z.string().optional(),
    temperature: z.number().min(0).optional(),
    maxTokens: whole.optional(),
    extraBody: z.record(z.string(), z.unknown()).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    timeout: z.number().positive().optional(),
    apiKeyEnv: z.string().optional(),
    allowInsecure: z.boolean().optional(),
  };
  const model = z.strictObject({
    ...settings,
    model: z.string().optional(),
    proxy: z.string().optional(),
    name: z.string().optional(),
    api: z.enum(DIALECT_NAMES).optional(),
  });
  const agent = z.strictObject({
    agent: z.string().optional(),
    command: z.string().optional(),
    model: z.string().optional(),
    name: z.string().optional(),
    api: z.enum(DIALECT_NAMES).optional(),
  });
  const models = z.array(z.union([z.string(), model], { error: "must be a name or { model, proxy, name, api, … }" }));
  const judge = z.strictObject({
    models: models.min(1),
    scale: z.enum(["binary", "1-5", "1-10"]).optional(),
    rubric: z.string().optional(),
    criteria: z.record(z.string(), z.string()).optional(),
    panel: z.enum(["mean", "median", "majority", "min"]).optional(),
    pairwise: z.boolean().optional(),
    perTurn: z.boolean().optional(),
    reference: z.boolean().optional(),
    maxWorkers: whole.optional(),
  });
  const texts = z.record(z.string(), z.string());
  const namedFiles = z.strictObject({
    files: z.array(z.string()).min(1),
    description: z.string().optional(),
    template: z.string().optional(),
    map: texts.optional(),
    subject: z.string().optional(),
    evaluators: z.array(z.string()).optional(),
    primaryField: z.string().optional(),
  });
  return z.strictObject({
    title: z.string().optional(),
    systems: z.array(named).optional(),
    models: models.optional(),
    modelsFile: z.string().optional(),
    ...settings,
    agents: z
      .array(z.union([z.string(), agent], { error: "must be a name or { agent, command, model, name, api }" }))
      .optional(),
    agentParallel: whole.optional(),
    agentHome: z.string().optional(),
    agentUrl: z.string().optional(),
    agentEnv: z.array(z.string()).optional(),
    strictModel: z.boolean().optional(),
    keepWorkspaces: z.string().optional(),
    maxCost: z.number().positive().optional(),
    trialMaxCost: z.number().min(0).optional(),
    maxRetries: z.number().int().min(0).optional(),
    onOutage: z.enum(["stop", "wait"]).optional(),
    reader: z.string().optional(),
    replay: z.array(z.string()).optional(),
    datasets: z.array(named).optional(),
    namedDatasets: z.record(z.string().regex(/^[\w.-]+$/), namedFiles).optional(),
    evals: z.custom<object>((value) => typeof value === "object" && value !== null, "must be an object").optional(),
    evaluators: z.array(named).optional(),
    judge: judge.optional(),
    metrics: z.array(named).optional(),
    plugins: z.array(z.string()).optional(),
    scoreField: z.string().optional(),
    threshold: share.optional(),
    trials: whole.optional(),
    seed: z.number().int().optional(),
    shuffleSeed: z.number().int().optional(),
    maxWorkers: whole.optional(),
    maxExamples: whole.optional(),
    head: z.boolean().optional(),
    map: z.record(z.string(), z.string()).optional(),
    filter: z.record(z.string(), z.string()).optional(),
    skipBadRows: z.boolean().optional(),
    unsafeLocalExec: z.boolean().optional(),
    cacheDir: z.string().optional(),
    runsDir: z.string().optional(),
    queue: z.string().optional(),
    sharedDir: z.string().optional(),
    tokenizer: z.string().optional(),
    output: z.string().optional(),
    columns: z.array(z.string()).optional(),
    minCoverage: share.optional(),
    failUnder: z.record(z.string(), z.number()).optional(),
    failOver: z.record(z.string(), z.number()).optional(),
  });
}
