/** What a reader leaves out of a price table: models and keys that are not understood, each named with its place. */

import { placeText, TableError, type TablePath } from './table-error.ts';

export interface LeftOut {
  /** Empty where the entry does not say it. */
  readonly host: string;
  /** Empty: all models of the host. */
  readonly model: string;
  /** A model that cannot be read, or a key of one that is read without it. */
  readonly what: 'model' | 'key';
  /** The names on the path to the key. */
  readonly path: TablePath;
  readonly says: string;
  /** Counted from 1, where a text was given. */
  readonly line?: number;
}

export interface LeftOutReport {
  /** Models that cannot be read. */
  readonly models: number;
  /** Keys of models that are read without them. */
  readonly keys: number;
  /** The first of them, models before keys. */
  readonly named: readonly LeftOut[];
  /** Every model that is missing or incomplete; `isLeftOut` finds one. */
  readonly names: ReadonlySet<string>;
}

/** What is named; the rest is counted. */
const namedMax = 500;

/** Kinds of price that are counted separately. */
const kindsMax = 200;
const kindLengthMax = 80;

/**
 * A table with more models that cannot be read is one of another form or a broken one: real tables had none in five
 * months, so one in twenty is no slip of a hand. Up to so many may be wrong in a small table.
 */
const wrongShareMax = 0.05;
const wrongModelsMax = 20;

/** Tables do not agree on capital letters. */
const leftOutName = (host: string, model: string): string => `${host}\n${model.toLowerCase()}`;

/** Is the model missing or incomplete in the table, by its own name, its host's, or its name at an unnamed host? */
export function isLeftOut({ names }: Pick<LeftOutReport, 'names'>, host: string, model: string): boolean {
  return names.has(leftOutName(host, model)) || names.has(leftOutName(host, '')) || names.has(leftOutName('', model));
}

/** Collects while a table is read. */
export class LeftOuts {
  /** Kinds of price without a class of their own, with the number of models. */
  readonly kinds = new Map<string, number>();
  readonly #models: LeftOut[] = [];
  readonly #keys: LeftOut[] = [];
  readonly #names = new Set<string>();
  #modelCount = 0;
  #keyCount = 0;

  kind(kind: string): void {
    const name = this.kinds.has(kind) || this.kinds.size < kindsMax ? kind.slice(0, kindLengthMax) : 'others';
    this.kinds.set(name, (this.kinds.get(name) ?? 0) + 1);
  }

  /** A key that no class takes: what it is a price for is not known, so the model's price is incomplete. */
  key(host: string, model: string, path: TablePath): void {
    this.#names.add(leftOutName(host, model));
    this.#keyCount += 1;
    const says = 'This unit of a price is not known.';
    if (this.#keys.length < namedMax) this.#keys.push({ host, model, what: 'key', path, says });
  }

  /** Another name that a model may have which cannot be read. */
  alsoNamed(host: string, model: string): void {
    this.#names.add(leftOutName(host, model));
  }

  #model(host: string, model: string, { path, says }: TableError, models: number): void {
    this.#names.add(leftOutName(host, model));
    this.#modelCount += models;
    if (this.#models.length < namedMax) this.#models.push({ host, model, what: 'model', path, says });
  }

  /** What `read` gives. A mistake in it costs this model alone, or all `models` of a host. */
  tried<Read>(host: string, model: string, read: () => Read, models = 1): Read | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      this.#model(host, model, error, models);
      return undefined;
    }
  }

  /** Throws where too many of all models cannot be read. */
  check(models: number): void {
    const wrong = this.#modelCount;
    const [first] = this.#models;
    const isTooMany = wrong > wrongModelsMax && wrong > models * wrongShareMax;
    if (first === undefined || (!isTooMany && wrong < models)) return;
    if (wrong === 1) throw new TableError(first.path, first.says);
    throw new TableError(first.path, `${first.says} ${wrong} of ${models} models cannot be read.`);
  }

  report(): LeftOutReport {
    const named = [...this.#models, ...this.#keys].slice(0, namedMax);
    return { models: this.#modelCount, keys: this.#keyCount, named, names: this.#names };
  }
}

/** `1 model and 2 keys`; empty where nothing is left out. */
export function leftOutCount({ models, keys }: Pick<LeftOutReport, 'models' | 'keys'>): string {
  const counted = (count: number, word: string) => (count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`]);
  return [...counted(models, 'model'), ...counted(keys, 'key')].join(' and ');
}

/** Line, key and what is wrong. */
export const leftOutText = ({ path, line, says }: LeftOut): string => `${placeText(path, line)}: ${says}`;
