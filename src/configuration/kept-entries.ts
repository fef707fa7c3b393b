/**
 * The console's configuration as read from the store: secrets unsealed, JSON parsed, and a reason for
 * each entry that cannot be read.
 */

import { isObject, type Tree } from '../conversation/json-tree.ts';
import type { Sealing } from '../secrets/sealing.ts';
import type { ProviderKey } from '../settings/config.ts';
import type {
  ConfigurationRows,
  EntryRow,
  EntrySection,
  SealedKeyRow,
} from '../store/configuration/configuration-store.ts';

interface KeptKey extends ProviderKey {
  readonly ending: string | undefined;
}

export interface KeptEntry {
  readonly name: string;
  /** Whole, with what is secret in it. */
  readonly entry: Tree;
  readonly updatedAtMs: number;
  /** Why it could not be opened. */
  readonly fault: string | undefined;
}

export interface KeptProvider extends KeptEntry {
  readonly draining: boolean;
  readonly keys: readonly KeptKey[];
}

/** A provider that is configured elsewhere and takes no new requests until it is resumed in the console. */
interface KeptPause {
  readonly name: string;
  readonly atMs: number;
}

export interface KeptEntries {
  readonly revision: number;
  readonly providers: readonly KeptProvider[];
  readonly models: readonly KeptEntry[];
  readonly prices: readonly KeptEntry[];
  readonly pauses: readonly KeptPause[];
}

export const noEntries: KeptEntries = { revision: 0, providers: [], models: [], prices: [], pauses: [] };

export const entryPlace = (provider: string): readonly string[] => ['console', 'provider entry', provider];
export const keyPlace = (provider: string, keyId: string): readonly string[] => [
  'console',
  'provider key',
  provider,
  keyId,
];

const unopened = 'This entry can’t be decrypted with the current secret key.';

export async function openEntries(
  { revision, entries, keys }: ConfigurationRows,
  sealing: Sealing,
): Promise<KeptEntries> {
  const of = (section: EntrySection): readonly EntryRow[] => entries.filter((row) => row.section === section);
  return {
    revision,
    providers: await Promise.all(of('providers').map((row) => openProvider(row, keys, sealing))),
    models: of('models').map((row) => openEntry(row, undefined)),
    prices: of('prices').map((row) => openEntry(row, undefined)),
    pauses: of('pauses').map(({ name, updatedAtMs }) => ({ name, atMs: updatedAtMs })),
  };
}

function openEntry({ name, entry, updatedAtMs }: EntryRow, secret: Tree | undefined): KeptEntry {
  const tree = treeOf(entry);
  const fault = tree === undefined ? 'The stored entry is damaged.' : undefined;
  return { name, entry: { ...tree, ...secret }, updatedAtMs, fault };
}

async function openProvider(row: EntryRow, rows: readonly SealedKeyRow[], sealing: Sealing): Promise<KeptProvider> {
  const { name, sealed, draining } = row;
  const secret = sealed === undefined ? {} : treeOf(await sealing.open(entryPlace(name), sealed));
  const opened = openEntry(row, secret);
  const own = rows.filter(({ provider }) => provider === name);
  const keys = await Promise.all(
    own.map(async ({ keyId, sealed: value, ending }) => ({
      id: keyId,
      value: await sealing.open(keyPlace(name, keyId), value),
      ending,
    })),
  );
  const isWhole = secret !== undefined && keys.every(({ value }) => value !== undefined);
  return {
    ...opened,
    fault: opened.fault ?? (isWhole ? undefined : unopened),
    draining,
    keys: keys.map((key) => ({ ...key, value: key.value ?? '' })),
  };
}

function treeOf(text: string | undefined): Tree | undefined {
  if (text === undefined) return undefined;
  try {
    const tree: unknown = JSON.parse(text);
    return isObject(tree) ? tree : undefined;
  } catch {
    return undefined;
  }
}
