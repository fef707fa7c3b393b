/** Keys of one purpose that never change. */

import { type KeyList, keyIdOf, type PurposeKey, type PurposeKeys } from '../../src/secrets/key-ring.ts';

export function fixedKeys(newest: Uint8Array, ...older: Uint8Array[]): PurposeKeys {
  const named = (bytes: Uint8Array): PurposeKey => ({ id: keyIdOf(bytes), bytes });
  const keys: KeyList<PurposeKey> = [named(newest), ...older.map(named)];
  return { current: () => keys, refresh: async () => false };
}
