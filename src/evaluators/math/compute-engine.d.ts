// What is used of the package. Its own declarations import files without extensions, which an ES module cannot.
declare module "@cortex-js/compute-engine" {
  export interface Expression {
    readonly json: unknown;
    readonly isValid: boolean;
    readonly operator: string;
    readonly ops: readonly Expression[] | null;
    readonly unknowns: readonly string[];
    readonly isRational: boolean | undefined;
    readonly re: number;
    evaluate(): Expression;
    simplify(): Expression;
    N(): Expression;
    sub(other: Expression): Expression;
    is(value: number): boolean;
    isSame(other: Expression): boolean;
  }

  export class ComputeEngine {
    parse(latex: string): Expression;
    declare(name: string, type: string): void;
    pushScope(): void;
    popScope(): void;
  }
}
