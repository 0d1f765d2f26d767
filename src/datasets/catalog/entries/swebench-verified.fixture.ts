import { createSweBenchFixture } from "../swebench.fixture.js";

export const swebenchVerifiedFixture = createSweBenchFixture({ difficulty: "<15 min fix" });
