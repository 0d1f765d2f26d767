import { createSweBenchFixture } from "../swebench.fixture.js";

export const swebenchLiteFixture = createSweBenchFixture();
