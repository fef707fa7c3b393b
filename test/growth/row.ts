/** One kind of input that doubles, and the stages that it goes through. */

import type { Stages } from './stages.ts';

export interface Row {
  readonly name: string;
  inputOf(count: number): unknown;
  run(input: unknown, stages: Stages): void;
}
