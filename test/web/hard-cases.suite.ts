import { describe } from "vitest";
import { isCommandMissing } from "../../src/testing/system-command.js";
import { describeHostile } from "./describe-hostile.js";
import { describeImported } from "./describe-imported.js";
import { describeLive } from "./describe-live.js";
import { describeManyRows } from "./describe-many-rows.js";
import { describeServing } from "./describe-serving.js";
import { describeWorkers } from "./describe-workers.js";
import { useSite } from "./site.js";
import { storeHardRuns } from "./stored-runs.js";

describe.skipIf(isCommandMissing("chromium"))("the dashboard in hard cases", () => {
  const site = useSite(storeHardRuns);
  describeHostile(site);
  describeManyRows(site);
  describeLive(site);
  describeWorkers(site);
  describeImported(site);
  describeServing(site);
});
