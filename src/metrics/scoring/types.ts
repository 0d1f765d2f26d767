/** What one grader said of one trial. */
export interface GraderResult {
  name: string;
  kind: "code" | "llm";
  type?: string | undefined;
  passed: boolean;
  /** In [0, 1]. */
  score: number;
  evidence: string;
  /** The parts of a composed grade. */
  details?: readonly GraderResult[] | undefined;
  status?: "ok" | "error" | undefined;
}

/** The weighted grade of one trial and its verdict. */
export interface TrialGrade {
  grade: GraderResult;
  passed: boolean;
}

/** How dependable k trials of one stimulus were. */
export interface MultiTrialMetrics {
  perTrialPassRate: number;
  passAtK: number;
  passToTheK: number;
  k: number;
}

/** All trials of one stimulus. */
export interface StimulusScore {
  stimulusName: string;
  /** [trial][grader] */
  trialResults: readonly (readonly GraderResult[])[];
  aggregateScore: number;
  multiTrial: MultiTrialMetrics;
  /** True when nothing was graded; the stimulus is then left out of every mean. */
  unscored: boolean;
  flaky: boolean;
  flakinessPercent: number;
}

/** All stimuli of one skill. */
export interface SkillScore {
  skillName: string;
  stimulusScores: readonly StimulusScore[];
  overallScore: number;
  overallMultiTrial: MultiTrialMetrics;
  passed: boolean;
}
