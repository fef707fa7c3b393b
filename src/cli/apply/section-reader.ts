/** Reads the named entries of a file's sections, each with its place. */

import type { z } from 'zod';
import { nameKeyOf } from '../../admin/accounts/name-key.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Mistakes, Path } from './mistakes.ts';

/** Something that the file names, and where. */
export interface FileEntry<Value> {
  readonly name: string;
  /** The name as it is compared. */
  readonly key: string;
  readonly path: Path;
  readonly value: Value;
}

/** `budgetUsd` is `budget_usd` in the file. */
export const fileKeyOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const fieldOf = (key: string): string =>
  key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const mapRule = 'must be a map';

export class SectionReader {
  readonly mistakes: Mistakes;

  constructor(mistakes: Mistakes) {
    this.mistakes = mistakes;
  }

  /** The named entries of a map; undefined where the key is absent. */
  entries<Value>(
    raw: Tree,
    path: Path,
    nameSchema: z.ZodType<string>,
    read: (value: unknown, path: Path) => Value | undefined,
    /** In the place of an entry with mistakes: others may still refer to its name. */
    instead?: Value,
  ): readonly FileEntry<Value>[] | undefined {
    const section = String(path.at(-1));
    if (!Object.hasOwn(raw, section)) return undefined;
    const map = raw[section] ?? {};
    if (!isObject(map)) {
      this.mistakes.add(path, 'must be a map of names');
      return undefined;
    }
    const seen = new Map<string, string>();
    return Object.entries(map).flatMap(([written, value]) => {
      const at = [...path, written];
      const name = this.mistakes.check(nameSchema, written, at);
      if (name === undefined) return [];
      const key = nameKeyOf(name);
      const twin = seen.get(key);
      if (twin !== undefined) this.mistakes.add(at, `has the name of ${twin}: upper and lower case do not count`);
      seen.set(key, written);
      const checked = read(value ?? {}, at) ?? instead;
      return checked === undefined ? [] : [{ name, key, path: at, value: checked }];
    });
  }

  /** Entries as `weir.yaml` writes them; they are checked with its own readers later. */
  trees(raw: Tree, section: string): readonly FileEntry<Tree>[] | undefined {
    if (!Object.hasOwn(raw, section)) return undefined;
    const map = raw[section] ?? {};
    if (!isObject(map)) {
      this.mistakes.add([section], 'must be a map of names');
      return undefined;
    }
    return Object.entries(map).flatMap(([name, value]) => {
      const path = [section, name];
      if (isObject(value ?? {})) return [{ name, key: name, path, value: (value ?? {}) as Tree }];
      this.mistakes.add(path, mapRule);
      return [];
    });
  }
}
