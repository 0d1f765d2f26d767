import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A temporary folder for tests of experiments. */
export interface ExperimentFolder {
  readonly dir: string;
  /** Writes a file and returns its path. */
  write(name: string, text: string): string;
  remove(): void;
}

export function createExperimentFolder(): ExperimentFolder {
  const dir = mkdtempSync(join(tmpdir(), "assay-experiment-"));
  return {
    dir,
    write(name, text) {
      const path = join(dir, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export const GREET_SKILL = "---\nname: greet\ndescription: Greets people by their name.\n---\nSay hello.\n";

/** Builds an eval file with these test cases for the skill in `skill/`. */
export function buildEvalYaml(stimuli: readonly string[], name = "greeting"): string {
  return `name: ${name}
skill: ./skill
defaults: { runs: 3, timeout: 30s, executor: claude, model: gpt-5.5 }
environment:
  env: { STYLE: plain }
  skills: [./skill]
stimuli:
${stimuli.map(buildStimulusYaml).join("\n")}
`;
}

function buildStimulusYaml(name: string): string {
  return `  - name: ${name}
    prompt: Say hello to ${name}
    tags: { area: ${name.startsWith("js") ? "js" : "other"} }
    graders:
      - { type: output-contains, config: { substring: hello } }`;
}
