// Written by `npm run catalog` from the files in entries/. Add a file there instead of changing this one.

import { alpacaEval } from "./entries/alpaca-eval.js";
import { apigen } from "./entries/apigen.js";
import { arcChallenge } from "./entries/arc-challenge.js";
import { bbh } from "./entries/bbh.js";
import { bfcl } from "./entries/bfcl.js";
import { contractNli } from "./entries/contract-nli.js";
import { dialogsum } from "./entries/dialogsum.js";
import { drop } from "./entries/drop.js";
import { frames } from "./entries/frames.js";
import { govreport } from "./entries/govreport.js";
import { gpqa } from "./entries/gpqa.js";
import { gsm8k } from "./entries/gsm8k.js";
import { hellaswag } from "./entries/hellaswag.js";
import { hotpotqa } from "./entries/hotpotqa.js";
import { humaneval } from "./entries/humaneval.js";
import { ifeval } from "./entries/ifeval.js";
import { infinitebench } from "./entries/infinitebench.js";
import { longbench } from "./entries/longbench.js";
import { longbenchV2 } from "./entries/longbench-v2.js";
import { math } from "./entries/math.js";
import { mbpp } from "./entries/mbpp.js";
import { meetingbank } from "./entries/meetingbank.js";
import { mgsm } from "./entries/mgsm.js";
import { mmlu } from "./entries/mmlu.js";
import { mmluPro } from "./entries/mmlu-pro.js";
import { mtBench } from "./entries/mt-bench.js";
import { multiNews } from "./entries/multi-news.js";
import { musique } from "./entries/musique.js";
import { narrativeqa } from "./entries/narrativeqa.js";
import { naturalQuestions } from "./entries/natural-questions.js";
import { nolima } from "./entries/nolima.js";
import { qasper } from "./entries/qasper.js";
import { qmsum } from "./entries/qmsum.js";
import { quality } from "./entries/quality.js";
import { scifact } from "./entries/scifact.js";
import { summscreenfd } from "./entries/summscreenfd.js";
import { swebench } from "./entries/swebench.js";
import { swebenchLite } from "./entries/swebench-lite.js";
import { swebenchVerified } from "./entries/swebench-verified.js";
import { triviaqa } from "./entries/triviaqa.js";
import { truthfulqa } from "./entries/truthfulqa.js";
import { winogrande } from "./entries/winogrande.js";
import type { CatalogEntry } from "./entry.js";
import type { CatalogName } from "./names.js";

/**
 * Every built-in dataset that is loaded from the hub.
 * @example
 * catalog.gsm8k.repo; // "openai/gsm8k"
 */
export const catalog: Readonly<Record<CatalogName, CatalogEntry>> = {
  "alpaca-eval": alpacaEval,
  apigen,
  "arc-challenge": arcChallenge,
  bbh,
  bfcl,
  "contract-nli": contractNli,
  dialogsum,
  drop,
  frames,
  govreport,
  gpqa,
  gsm8k,
  hellaswag,
  hotpotqa,
  humaneval,
  ifeval,
  infinitebench,
  longbench,
  "longbench-v2": longbenchV2,
  math,
  mbpp,
  meetingbank,
  mgsm,
  mmlu,
  "mmlu-pro": mmluPro,
  "mt-bench": mtBench,
  "multi-news": multiNews,
  musique,
  narrativeqa,
  "natural-questions": naturalQuestions,
  nolima,
  qasper,
  qmsum,
  quality,
  scifact,
  summscreenfd,
  swebench,
  "swebench-lite": swebenchLite,
  "swebench-verified": swebenchVerified,
  triviaqa,
  truthfulqa,
  winogrande,
};
