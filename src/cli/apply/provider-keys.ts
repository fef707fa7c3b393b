/** The keys of a provider as a file names them: by a variable or a file, never by themselves. */

import type { KeptProvider } from '../../configuration/kept-entries.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { ProviderKey } from '../../settings/config.ts';
import type { Mistakes, Path } from './mistakes.ts';

export interface KeySources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The text of a file; undefined where it cannot be read. */
  readonly readFile: (path: string) => string | undefined;
}

const keyFields = ['key', 'key_env', 'key_file', 'keys'] as const;

/** The entry without the fields that are about keys. */
export function withoutKeys(entry: Tree): Tree {
  return Object.fromEntries(Object.entries(entry).filter(([field]) => !keyFields.some((key) => key === field)));
}

interface KeyReading {
  readonly entry: Tree;
  readonly path: Path;
  /** The provider as it is, where its keys may be kept. */
  readonly kept: KeptProvider | undefined;
  readonly sources: KeySources;
  readonly mistakes: Mistakes;
}

/** A key whose variable or file is absent here stays as it is, if the provider has one of its id. */
export function keysOf({ entry, path, kept, sources, mistakes }: KeyReading): readonly ProviderKey[] {
  const given = keyFields.filter((field) => entry[field] !== undefined);
  if (given.length > 1) mistakes.add(path, `has ${given.join(' and ')}; allowed: one of key_env, key_file, keys`);
  const list = entry['keys'];
  if (list !== undefined && !Array.isArray(list)) mistakes.add([...path, 'keys'], 'must be a list of keys');
  const written = Array.isArray(list) ? list.map((key: unknown, index) => ({ key, at: [...path, 'keys', index] })) : [];
  const single = given.length === 1 && list === undefined ? [{ key: entry as unknown, at: path }] : [];
  const ids = new Set<string>();
  return [...written, ...single].flatMap(({ key, at }, index) => {
    const source = sourceOf(key, at, mistakes);
    if (source === undefined) return [];
    const id = source.id ?? source.variable ?? `key-${index + 1}`;
    if (ids.has(id)) mistakes.add([...at, 'id'], 'must be an ID that no other key of the provider has');
    ids.add(id);
    const text =
      source.variable === undefined ? sources.readFile(source.file ?? '') : sources.environment[source.variable];
    const value = text?.trim() || kept?.keys.find((each) => each.id === id)?.value;
    if (value !== undefined && value !== '') return [{ id, value }];
    const field = source.variable === undefined ? 'key_file' : 'key_env';
    const state =
      source.variable === undefined
        ? 'names a file that is empty or cannot be read'
        : 'names a variable that is not set';
    mistakes.add([...at, field], `${state}, and the provider has no key ${id} yet`);
    return [];
  });
}

interface KeySource {
  readonly id: string | undefined;
  readonly variable: string | undefined;
  readonly file: string | undefined;
}

function sourceOf(key: unknown, at: Path, mistakes: Mistakes): KeySource | undefined {
  const fields: Tree = isObject(key) ? key : { key };
  if (fields['key'] !== undefined || !isObject(key)) {
    mistakes.add(
      isObject(key) ? [...at, 'key'] : at,
      'must not be in this file; name its variable with key_env, or its file with key_file',
    );
    return undefined;
  }
  const text = (field: string): string | undefined => (typeof fields[field] === 'string' ? fields[field] : undefined);
  const [id, variable, file] = [text('id'), text('key_env'), text('key_file')];
  if ((variable === undefined) === (file === undefined)) {
    mistakes.add(at, 'must have one of key_env and key_file, as text');
    return undefined;
  }
  return { id: at.length === 2 ? undefined : id, variable, file };
}
