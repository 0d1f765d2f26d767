import { sweBenchFixture } from "../swebench.fixture.js";

export const swebenchFixture = sweBenchFixture();
