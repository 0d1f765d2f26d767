import type { LintRule } from "../finding.js";

/** What is looked for in an eval file. */
export const EVAL_RULES = {
  "EVAL-SCHEMA": {
    severity: "error",
    about: "An eval file cannot be used as it is.",
    fix: "Mend what the message says.",
  },
  "EVAL-IGNORED": {
    severity: "warning",
    about: "Something in an eval file is read as something else, or not at all.",
    fix: "Write it as the message says, or take it out.",
  },
  "EVAL-STIMULUS-DUPLICATE": {
    severity: "error",
    about: "Two stimuli have the same name, so that their results cannot be told apart.",
    fix: "Rename one of them.",
  },
  "EVAL-NO-GRADERS": {
    severity: "error",
    about: "A stimulus has no graders, so that its trials are never scored.",
    fix: "Give it graders, a rubric or constraints.",
  },
  "EVAL-GRADER-NAME": {
    severity: "warning",
    about: "Two graders of a stimulus have the same name.",
    fix: "Rename one of them.",
  },
  "EVAL-GRADER-DUPLICATE": {
    severity: "warning",
    about: "Two graders of a stimulus check the very same thing.",
    fix: "Take one out; to count it twice, give it the weight 2.",
  },
  "EVAL-INERT-GRADER": {
    severity: "warning",
    about: "A grader cannot change the verdict, whatever it and the others say.",
    fix: "Give it more weight, make it required, or take it out.",
  },
  "EVAL-ALWAYS-PASSES": {
    severity: "warning",
    about: "A grader passes whatever the agent does.",
    fix: "Check something that only the wanted work brings about.",
  },
  "EVAL-NEVER-PASSES": {
    severity: "warning",
    about: "A grader fails whatever the agent does.",
    fix: "Set it to something that can be reached.",
  },
  "EVAL-CONTRADICTION": {
    severity: "warning",
    about: "Two graders exclude each other, so that one of them always fails.",
    fix: "Take one of them out.",
  },
  "EVAL-UNREACHABLE": {
    severity: "error",
    about: "No combination of grades lets a trial pass.",
    fix: "Mend the graders that the message names, or lower the threshold.",
  },
  "EVAL-THRESHOLD-LOW": {
    severity: "error",
    about: "Every trial reaches the threshold, whatever the agent does.",
    fix: "Raise the threshold, or take it out: then all graders have to pass.",
  },
  "EVAL-PROMPT-LEAK": {
    severity: "warning",
    about: "The prompt has the very text that a grader looks for: an agent that repeats the task passes.",
    fix: "Look for something that is not in the prompt, or check the work itself.",
  },
  "EVAL-FILE-LEAK": {
    severity: "warning",
    about: "A file that the agent is given has the very sentence that a grader looks for.",
    fix: "Take it out of the file, or check the work itself.",
  },
  "EVAL-PATTERN-PROMPT": {
    severity: "warning",
    about: "The pattern of a grader matches the prompt itself: an agent that repeats the task passes.",
    fix: "Make the pattern match the wanted answer alone, for instance with ^ and $.",
  },
  "EVAL-PROMPT-FORBIDDEN": {
    severity: "warning",
    about: "The prompt has the very text that a grader forbids: an agent that repeats the task fails.",
    fix: "Forbid something that is not in the prompt, or word the prompt without it.",
  },
  "EVAL-PATH-DEAD": {
    severity: "error",
    about: "An eval file names a file or folder that is not there.",
    fix: "Mend the path; it is relative to the eval file.",
  },
  "EVAL-ENVIRONMENT": {
    severity: "error",
    about: "An environment has something that a run refuses, such as two skills with one name.",
    fix: "Mend what the message says.",
  },
  "EVAL-GOLDEN-PATCH": {
    severity: "error",
    about: "A golden patch does not fit the files of its stimulus.",
    fix: "Make it again with git diff, from the files that the environment has.",
  },
  "EVAL-COMMAND-MISSING": {
    severity: "warning",
    about: "A grader runs a file that is neither in the environment nor asked for in the prompt.",
    fix: "Mend the path, or put the file into the grader's files.",
  },
  "EVAL-SKILL-NOT-OFFERED": {
    severity: "error",
    about: "The skill under test is not offered to the agent.",
    fix: "Add it to environment.skills.",
  },
  "EVAL-SKILL-UNKNOWN": {
    severity: "error",
    about: "A skill is expected to be used that the agent is not offered.",
    fix: "Offer it in environment.skills, or mend the name.",
  },
  "EVAL-TOOL-UNKNOWN": {
    severity: "warning",
    about: "A tool is expected to be called that the agent does not have.",
    fix: "Name a tool as the agent does: the names differ between agents, and a pattern fits several.",
  },
  "EVAL-EXECUTOR": {
    severity: "error",
    about: "The executor is neither an agent that is known nor a command that takes the task.",
    fix: "Name an agent, or write a command with {prompt} where the task goes.",
  },
  "EVAL-NOT-TAKEN": {
    severity: "error",
    about: "The agent has no way to take the skills or servers that it is offered.",
    fix: "Name another agent, or leave them out.",
  },
  "EVAL-GATE-RUNS": {
    severity: "error",
    about: "A gate needs more trials of each stimulus than there are, so that it can never be decided.",
    fix: "Raise defaults.runs, or gate on a smaller number.",
  },
  "EVAL-GATE-METRIC": {
    severity: "error",
    about: "A gate names a metric that no run has.",
    fix: "Name a key of the summary, such as pass_rate or pass_hat_3.",
  },
  "EVAL-GATE-VALUE": {
    severity: "error",
    about: "A gate holds a share against a value that it can never meet, or always does.",
    fix: "Give a value between 0 and 1, as in 0.8 for 80 %.",
  },
  "EVAL-JUDGE-MODEL": {
    severity: "warning",
    about: "A grader asks a model, and nothing says which.",
    fix: "Set defaults.judge_model, or model in its config.",
  },
  "EVAL-RUBRIC-JUDGE": {
    severity: "warning",
    about: "A rubric is judged by a model, and nothing says by which.",
    fix: "Set defaults.judge_model.",
  },
  "EVAL-TRIGGER-BOTH": {
    severity: "error",
    about: "The same prompt both should and should not make the agent use the skill.",
    fix: "Take it out of one of the two lists.",
  },
  "EVAL-TIME-SHORT": {
    severity: "warning",
    about: "An agent is given less time than it takes to start.",
    fix: "Give it at least some seconds: durations have units, as in 90s or 2m.",
  },
} as const satisfies Readonly<Record<string, LintRule>>;

export type EvalCode = keyof typeof EVAL_RULES;
