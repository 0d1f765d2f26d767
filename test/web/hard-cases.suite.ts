import { describe } from "vitest";
import { lacks } from "../../src/testing/system-command.js";
import { describeHostile } from "./describe-hostile.js";
import { describeImported } from "./describe-imported.js";
import { describeLive } from "./describe-live.js";
import { describeManyRows } from "./describe-many-rows.js";
import { describeServing } from "./describe-serving.js";
import { describeWorkers } from "./describe-workers.js";
import { useSite } from "./site.js";
import { hardRuns } from "./stored-runs.js";

describe.skipIf(lacks("chromium"))("the dashboard in hard cases", () => {
  const site = useSite(hardRuns);
  describeHostile(site);
  describeManyRows(site);
  describeLive(site);
  describeWorkers(site);
  describeImported(site);
  describeServing(site);
});
