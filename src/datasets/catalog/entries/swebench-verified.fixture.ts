import { sweBenchFixture } from "../swebench.fixture.js";

/** Rows of SWE-bench Verified with content of our own. */
export const swebenchVerifiedFixture = sweBenchFixture({ difficulty: "<15 min fix" });
