import { addFlag } from "./add-flag.js";
import { catchBug } from "./catch-bug.js";
import { extractDuplicate } from "./extract-duplicate.js";
import { failingTest } from "./failing-test.js";
import { fromTests } from "./from-tests.js";
import { idempotentMigration } from "./idempotent-migration.js";
import { logReport } from "./log-report.js";
import { offByOne } from "./off-by-one.js";
import type { AgentTask } from "./task.js";

/** All tasks, the simplest first. */
export const TASKS: readonly AgentTask[] = [
  offByOne,
  failingTest,
  addFlag,
  fromTests,
  extractDuplicate,
  logReport,
  catchBug,
  idempotentMigration,
];
