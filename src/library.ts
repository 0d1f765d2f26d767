import "./builtins.js";
import { registerJudgeGraders } from "./graders/judge/register-judge-graders.js";

// What a program that imports the package finds registered. The command line loads graders only where there are some.
registerJudgeGraders();
