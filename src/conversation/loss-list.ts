/** Collects what a conversion could not carry; bounded, because a hostile body can hold a million unknown fields. */

import type { Extras, Loss } from './parts.ts';

const lossesMax = 100;

export class LossList {
  readonly all: Loss[] = [];

  add(what: string, why: string): void {
    if (this.all.length < lossesMax) this.all.push({ what, why });
  }

  /** For what may come up in every turn: saying it once is enough. */
  addOnce(what: string, why: string): void {
    if (!this.all.some((loss) => loss.what === what)) this.add(what, why);
  }

  /** What only another format knows is lost here, each field by its name. */
  addForeign(extras: Extras | undefined, format: string, prefix = ''): void {
    if (extras === undefined || extras.format === format) return;
    for (const name of Object.keys(extras.fields)) this.add(prefix + name, 'is known to its own format only');
  }
}
