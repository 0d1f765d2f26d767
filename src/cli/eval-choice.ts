/** What `assay eval` runs, and what it writes: what its flags parse to besides those of every run. */
export interface EvalChoice {
  /** Eval files, folders that hold some, or patterns. */
  files?: readonly string[];
  /** A suite of the config file. */
  suite?: string;
  /** Filters of tags that must hold: `area=js`, `!slow`. */
  tags?: readonly string[];
  /** Names of stimuli; all unless told. */
  stimuli?: readonly string[];
  /** Trials of each stimulus, instead of what the files say. */
  runs?: number;
  /** Agents, by name or as a command with {prompt}. */
  executors?: readonly string[];
  models?: readonly string[];
  judgeModel?: string;
  /** Whatever answers for the judge, and the variable that holds its key. */
  judgeUrl?: string;
  judgeApiKeyEnv?: string;
  /** What the weighted score of a trial must reach. */
  threshold?: number;
  timeoutMs?: number;
  /** A script by which a simulated model answers, in place of the real ones. */
  mock?: string;
  /** True when a single trial that did not pass is a failure. */
  requirePass?: boolean;
  /** Where reports go besides stdout. */
  junit?: string;
  markdown?: string;
  outputDir?: string;
}
