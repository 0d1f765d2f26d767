import { sweBenchFixture } from "../swebench.fixture.js";

/** Rows of SWE-bench with content of our own. */
export const swebenchFixture = sweBenchFixture();
