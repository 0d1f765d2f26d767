/** What `assay eval` runs and writes, besides the flags of every run. */
export interface EvalSelection {
  /** Eval files, folders that contain some, or patterns. */
  files?: readonly string[];
  suite?: string;
  /** Tag filters that must all match: `area=js`, `!slow`. */
  tags?: readonly string[];
  /** Names of test cases. Default: all. */
  stimuli?: readonly string[];
  /** Trials of each test case. Default: set by the files. */
  runs?: number;
  /** Agents, by name or as a command with {prompt}. */
  executors?: readonly string[];
  models?: readonly string[];
  judgeModel?: string;
  /** Base URL of the judge, and the variable that holds its key. */
  judgeUrl?: string;
  judgeApiKeyEnv?: string;
  /** The minimum weighted score of a passing trial. */
  threshold?: number;
  timeoutMs?: number;
  /** Script for a simulated model that replaces the real ones. */
  mock?: string;
  /** True if every trial has to pass. */
  requirePass?: boolean;
  /** Where reports are written besides stdout. */
  junit?: string;
  markdown?: string;
  outputDir?: string;
}
