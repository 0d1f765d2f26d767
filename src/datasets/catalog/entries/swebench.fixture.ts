import { createSweBenchFixture } from "../swebench.fixture.js";

export const swebenchFixture = createSweBenchFixture();
