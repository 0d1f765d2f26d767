import { sweBenchFixture } from "../swebench.fixture.js";

export const swebenchLiteFixture = sweBenchFixture();
