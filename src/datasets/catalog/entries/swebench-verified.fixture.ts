import { sweBenchFixture } from "../swebench.fixture.js";

export const swebenchVerifiedFixture = sweBenchFixture({ difficulty: "<15 min fix" });
