export { ComparePage } from "./compare/page.js";
export { LabelPage } from "./labels/page.js";
export { OverviewPage } from "./overview/page.js";
export { RunPage } from "./run/page.js";
export { RunsPage } from "./runs/page.js";
export { TrendsPage } from "./trends/page.js";
export { TrialPage } from "./trial/page.js";
