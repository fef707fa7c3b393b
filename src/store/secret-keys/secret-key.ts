/** The secrets from which every other key is derived: found in the configuration or in the key file, and held against the database they belong to. */

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { derive, type KeyList, keyIdOf, type SecretKey, SecretRing } from '../../secrets/key-ring.ts';
import {
  codeOf,
  keyFileIdentity,
  keyFilePath,
  keysMax,
  readKeyFile,
  readOrMakeKeyFile,
  SecretKeyError,
  secretKeyFileName,
} from './key-file.ts';

export { keyFilePath, SecretKeyError } from './key-file.ts';

const configuredKeyLengthMin = 32;

export interface SecretSources {
  readonly dataFolder: string;
  /** WEIR_SECRET_KEY; absent means the key file. */
  readonly fromConfig?: string | undefined;
  /** WEIR_SECRET_KEY_OLD: with commas between. */
  readonly olderFromConfig?: string | undefined;
}

/** The part of the store's settings that the check needs. */
export interface KeyCheckSettings {
  get(name: string): Promise<string | undefined>;
  /** Stores the value where the name has none, and gives back what is stored now. */
  putIfAbsent(name: string, value: string): Promise<string>;
  put(name: string, value: string): Promise<void>;
}

interface LoadedSecrets {
  readonly secrets: KeyList<Uint8Array>;
  /** The key file was written by this call. */
  readonly created: boolean;
}

export async function loadSecrets({ dataFolder, fromConfig, olderFromConfig }: SecretSources): Promise<LoadedSecrets> {
  if (fromConfig !== undefined) return { secrets: secretsOfTexts(fromConfig, olderFromConfig), created: false };
  if (olderFromConfig !== undefined) {
    throw new SecretKeyError(
      'WEIR_SECRET_KEY_OLD is set and WEIR_SECRET_KEY is not. A key file holds its older keys itself, one a line.',
    );
  }
  return readOrMakeKeyFile(keyFilePath(dataFolder));
}

function secretsOfTexts(newest: string, older: string | undefined): KeyList<Uint8Array> {
  const olderTexts = (older ?? '').split(/,\s*/).filter((text) => text !== '');
  if (olderTexts.length >= keysMax) {
    throw new SecretKeyError(`WEIR_SECRET_KEY_OLD names ${olderTexts.length} keys; at most ${keysMax - 1} are used.`);
  }
  const first = secretOfText('WEIR_SECRET_KEY', newest);
  const others = olderTexts.map((text) => secretOfText('WEIR_SECRET_KEY_OLD', text));
  return [first, ...others.filter((secret) => keyIdOf(secret) !== keyIdOf(first))];
}

function secretOfText(variable: string, text: string): Uint8Array {
  if (text.length < configuredKeyLengthMin) {
    const which = variable === 'WEIR_SECRET_KEY' ? 'has' : 'holds a key of';
    throw new SecretKeyError(
      `${variable} ${which} ${text.length} characters; at least ${configuredKeyLengthMin} are needed. \`openssl rand -hex 32\` makes one.`,
    );
  }
  return new Uint8Array(createHash('sha256').update(text).digest());
}

const checkName = 'secret-key-check';

function checkOf(secret: Uint8Array): string {
  return createHmac('sha256', derive(secret, 'key-check')).update('weir secret key').digest('hex');
}

function matching<Key extends { readonly secret: Uint8Array }>(stored: string, keys: readonly Key[]): Key | undefined {
  return keys.find(({ secret }) => {
    const expected = checkOf(secret);
    return stored.length === expected.length && timingSafeEqual(Buffer.from(stored), Buffer.from(expected));
  });
}

/**
 * The key that everything in this database is sealed with; a rotation that has begun and not ended has a newer one before it. Refuses
 * keys of another database: no digest would match and nothing would open. The first keys that come are remembered.
 */
export async function keyOfDatabase(settings: KeyCheckSettings, ring: SecretRing): Promise<SecretKey> {
  const found = matching(await settings.putIfAbsent(checkName, checkOf(ring.newest.secret)), ring.keys);
  if (found === undefined) throw foreignKeys();
  return found;
}

/** As `keyOfDatabase`, and leaves no trace. Undefined where the database has not seen any key yet. */
export async function peekKeyOfDatabase(
  settings: Pick<KeyCheckSettings, 'get'>,
  ring: SecretRing,
): Promise<SecretKey | undefined> {
  const stored = await settings.get(checkName);
  if (stored === undefined) return undefined;
  const found = matching(stored, ring.keys);
  if (found === undefined) throw foreignKeys();
  return found;
}

export async function hasSeenKey(settings: Pick<KeyCheckSettings, 'get'>): Promise<boolean> {
  return (await settings.get(checkName)) !== undefined;
}

/** From now on a ring without this key is refused. */
export async function setKeyOfDatabase(settings: KeyCheckSettings, { secret }: SecretKey): Promise<void> {
  await settings.put(checkName, checkOf(secret));
}

function foreignKeys(): SecretKeyError {
  return new SecretKeyError(
    `The secret key is not the one this database was made with, or was last rotated to. Restore the file \`${secretKeyFileName}\` of its data folder, or set WEIR_SECRET_KEY to the value that was used before.`,
  );
}

interface RingOptions extends SecretSources {
  readonly settings: KeyCheckSettings;
  /** Called once for each fault of a key file that was fine before. */
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** Loads the secrets, refuses those of another database, and afterwards follows the key file as it changes. */
export async function openSecretRing(options: RingOptions): Promise<SecretRing> {
  const { secrets } = await loadSecrets(options);
  const ring = new SecretRing(secrets, options.fromConfig === undefined ? followKeyFile(options) : undefined);
  await keyOfDatabase(options.settings, ring);
  return ring;
}

/** Never fails: while the file cannot be read, or is another database's, the keys stay what they were. */
function followKeyFile({ dataFolder, settings, warn }: RingOptions): () => Promise<KeyList<Uint8Array> | undefined> {
  const path = keyFilePath(dataFolder);
  let taken: string | undefined;
  let lastFault: string | undefined;
  return async () => {
    try {
      const identity = await keyFileIdentity(path);
      if (identity === taken) return undefined;
      const secrets = await readKeyFile(path);
      if (secrets === undefined) return undefined;
      await peekKeyOfDatabase(settings, new SecretRing(secrets));
      taken = identity;
      lastFault = undefined;
      return secrets;
    } catch (cause) {
      const fault =
        cause instanceof SecretKeyError ? cause.message : `The key file cannot be followed (${codeOf(cause)}).`;
      if (fault !== lastFault) warn(`${fault} The keys that were read before stay in use.`, { cause });
      lastFault = fault;
      return undefined;
    }
  };
}
