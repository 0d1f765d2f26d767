import { sweBenchFixture } from "../swebench.fixture.js";

/** Rows of SWE-bench Lite with content of our own. */
export const swebenchLiteFixture = sweBenchFixture();
