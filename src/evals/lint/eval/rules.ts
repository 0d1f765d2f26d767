import type { LintRule } from "../finding.js";

/** Lint rules for eval files. */
export const EVAL_RULES = {
  "EVAL-SCHEMA": {
    severity: "error",
    about: "The eval file is invalid.",
    fix: "Fix what the message names.",
  },
  "EVAL-IGNORED": {
    severity: "warning",
    about: "A key of the eval file is read as another one, or ignored.",
    fix: "Write it as the message says, or remove it.",
  },
  "EVAL-STIMULUS-DUPLICATE": {
    severity: "error",
    about: "Two test cases have the same name, so their results cannot be told apart.",
    fix: "Rename one of them.",
  },
  "EVAL-NO-GRADERS": {
    severity: "error",
    about: "A test case has no graders, so its trials are never scored.",
    fix: "Add graders, a rubric or constraints.",
  },
  "EVAL-GRADER-NAME": {
    severity: "warning",
    about: "Two graders of a test case have the same name.",
    fix: "Rename one of them.",
  },
  "EVAL-GRADER-DUPLICATE": {
    severity: "warning",
    about: "Two graders of a test case make the same check.",
    fix: "Remove one; to count it twice, give it the weight 2.",
  },
  "EVAL-INERT-GRADER": {
    severity: "warning",
    about: "A grader cannot change the verdict, whatever it and the others report.",
    fix: "Give it more weight, make it required, or remove it.",
  },
  "EVAL-ALWAYS-PASSES": {
    severity: "warning",
    about: "A grader passes whatever the agent does.",
    fix: "Check something that only the wanted work produces.",
  },
  "EVAL-NEVER-PASSES": {
    severity: "warning",
    about: "A grader fails whatever the agent does.",
    fix: "Set it to a value that can be reached.",
  },
  "EVAL-CONTRADICTION": {
    severity: "warning",
    about: "Two graders contradict each other, so one of them always fails.",
    fix: "Remove one of them.",
  },
  "EVAL-UNREACHABLE": {
    severity: "error",
    about: "No combination of grades lets a trial pass.",
    fix: "Fix the graders that the message names, or lower the threshold.",
  },
  "EVAL-THRESHOLD-LOW": {
    severity: "error",
    about: "Every trial reaches the threshold, whatever the agent does.",
    fix: "Raise the threshold, or remove it so that all graders have to pass.",
  },
  "EVAL-PROMPT-LEAK": {
    severity: "warning",
    about: "The prompt contains the text that a grader looks for: an agent that repeats the task passes.",
    fix: "Look for something that is not in the prompt, or check the work itself.",
  },
  "EVAL-FILE-LEAK": {
    severity: "warning",
    about: "A file of the environment contains the sentence that a grader looks for.",
    fix: "Remove it from the file, or check the work itself.",
  },
  "EVAL-PATTERN-PROMPT": {
    severity: "warning",
    about: "The pattern of a grader matches the prompt itself: an agent that repeats the task passes.",
    fix: "Make the pattern match only the wanted answer, for example with ^ and $.",
  },
  "EVAL-PROMPT-FORBIDDEN": {
    severity: "warning",
    about: "The prompt contains the text that a grader forbids: an agent that repeats the task fails.",
    fix: "Forbid something that is not in the prompt, or reword the prompt.",
  },
  "EVAL-PATH-DEAD": {
    severity: "error",
    about: "The eval file names a file or folder that does not exist.",
    fix: "Fix the path; it is relative to the eval file.",
  },
  "EVAL-ENVIRONMENT": {
    severity: "error",
    about: "A run would reject the environment, for example because two skills have the same name.",
    fix: "Fix what the message names.",
  },
  "EVAL-GOLDEN-PATCH": {
    severity: "error",
    about: "The golden patch does not fit the files of its test case.",
    fix: "Create it again with git diff, from the files of the environment.",
  },
  "EVAL-COMMAND-MISSING": {
    severity: "warning",
    about: "A grader runs a file that is neither in the environment nor asked for in the prompt.",
    fix: "Fix the path, or add the file to the grader's files.",
  },
  "EVAL-SKILL-NOT-OFFERED": {
    severity: "error",
    about: "The skill under test is not offered to the agent.",
    fix: "Add it to environment.skills.",
  },
  "EVAL-SKILL-UNKNOWN": {
    severity: "error",
    about: "A grader expects a skill that the agent is not offered.",
    fix: "Add it to environment.skills, or fix the name.",
  },
  "EVAL-TOOL-UNKNOWN": {
    severity: "warning",
    about: "A grader expects a tool that the agent does not have.",
    fix: "Use the agent's own name of the tool: names differ between agents, and a pattern can match several.",
  },
  "EVAL-EXECUTOR": {
    severity: "error",
    about: "The executor is neither a known agent nor a command that takes the task.",
    fix: "Name an agent, or write a command with {prompt} where the task goes.",
  },
  "EVAL-NOT-TAKEN": {
    severity: "error",
    about: "The agent does not support the skills or MCP servers that it is offered.",
    fix: "Name another agent, or remove them.",
  },
  "EVAL-GATE-RUNS": {
    severity: "error",
    about: "A gate needs more trials of each test case than are run, so it can never be decided.",
    fix: "Raise defaults.runs, or gate on a smaller number.",
  },
  "EVAL-GATE-METRIC": {
    severity: "error",
    about: "A gate names a metric that no run has.",
    fix: "Name a key of the summary, such as pass_rate or pass_hat_3.",
  },
  "EVAL-GATE-VALUE": {
    severity: "error",
    about: "A gate compares a share with a value that it can never meet, or always meets.",
    fix: "Use a value between 0 and 1, such as 0.8 for 80 %.",
  },
  "EVAL-JUDGE-MODEL": {
    severity: "warning",
    about: "A grader asks a model, but none is named.",
    fix: "Set defaults.judge_model, or model in its config.",
  },
  "EVAL-RUBRIC-JUDGE": {
    severity: "warning",
    about: "A rubric is judged by a model, but none is named.",
    fix: "Set defaults.judge_model.",
  },
  "EVAL-TRIGGER-BOTH": {
    severity: "error",
    about: "The same prompt is listed under both should and should_not.",
    fix: "Remove it from one of the two lists.",
  },
  "EVAL-TIME-SHORT": {
    severity: "warning",
    about: "The timeout is shorter than an agent needs to start.",
    fix: "Allow at least a few seconds: durations have units, as in 90s or 2m.",
  },
} as const satisfies Readonly<Record<string, LintRule>>;

export type EvalCode = keyof typeof EVAL_RULES;
