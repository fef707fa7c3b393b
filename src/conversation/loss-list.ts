/** Collects what a conversion could not carry; bounded, because a hostile body can hold a million unknown fields. */

import { isObject } from './json-tree.ts';
import type { Extras, Loss } from './parts.ts';

const lossesMax = 100;

interface BesideEvent {
  readonly format: string;
  readonly value: unknown;
  readonly names?: readonly string[];
}

export class LossList {
  readonly all: Loss[] = [];

  /** Nothing is added any more. */
  get isFull(): boolean {
    return this.all.length >= lossesMax;
  }

  add(what: string, why: string): void {
    if (!this.isFull) this.all.push({ what, why });
  }

  /** For what may come up in every turn: saying it once is enough. */
  addOnce(what: string, why: string): void {
    if (!this.all.some((loss) => loss.what === what)) this.add(what, why);
  }

  /** What only another format knows is lost here, each field by its name. */
  addForeign(extras: Extras | undefined, format: string, prefix = ''): void {
    if (extras === undefined || extras.format === format) return;
    for (const [name, value] of Object.entries(extras.fields)) {
      if (extras.unmissed?.has(name) === true) continue;
      const inside = extras.partly?.has(name) === true && isObject(value) ? Object.keys(value) : undefined;
      const names = inside?.map((field) => `${name}.${field}`) ?? [name];
      for (const lost of names) this.add(prefix + lost, 'is supported by its own format only');
    }
  }

  /** What another format's stream says beside its parts: an event by its type, bare fields by their names. */
  addBeside({ format, value, names }: BesideEvent, ownFormat: string): void {
    if (names !== undefined) for (const name of names) this.addOnce(name, 'is supported by its own format only');
    else if (!isObject(value)) this.addOnce(`${format} event`, 'is supported by its own format only');
    else if (typeof value['type'] === 'string') this.addOnce(value['type'], 'is supported by its own format only');
    else this.addForeign({ format, fields: value }, ownFormat);
  }
}
