/** Collects what a reader could not carry; bounded, because a hostile body can hold a million unknown fields. */

import type { Loss } from '../../conversation/parts.ts';

const lossesMax = 100;

export class LossList {
  readonly all: Loss[] = [];

  add(what: string, why: string): void {
    if (this.all.length < lossesMax) this.all.push({ what, why });
  }
}
