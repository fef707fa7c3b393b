/** Finds the secret key that a backup of the database belongs to: in the configuration, or in one of several files. */

import { resolve } from 'node:path';
import { SecretRing } from '../../secrets/key-ring.ts';
import { keyFilePath, readKeyFile, SecretKeyError } from './key-file.ts';
import { hasSeenKey, type KeyCheckSettings, loadSecrets, peekKeyOfDatabase, type SecretSources } from './secret-key.ts';

interface BackupKeySources extends SecretSources {
  readonly backup: string;
  /** The only file that counts; absent: the one beside the backup, then the one in the data folder. */
  readonly keyFile: string | undefined;
  readonly settings: Pick<KeyCheckSettings, 'get'>;
}

export interface BackupKey {
  /** For people. */
  readonly from: string;
  /** Undefined where it comes from the configuration. */
  readonly file: string | undefined;
}

const nextStep = 'Name the file of its key with --key, or set WEIR_SECRET_KEY to the value that was used with it.';

/** Undefined where the database has not seen any key yet. Refuses keys of another database, and a database without its key. */
export async function findBackupKey(sources: BackupKeySources): Promise<BackupKey | undefined> {
  const { backup, keyFile, settings } = sources;
  if (!(await hasSeenKey(settings))) return undefined;
  if (sources.fromConfig !== undefined) {
    const { secrets } = await loadSecrets(sources);
    if (await isKeyOf(settings, new SecretRing(secrets))) return { from: 'WEIR_SECRET_KEY', file: undefined };
    throw new SecretKeyError(
      `WEIR_SECRET_KEY does not belong to ${backup}. Set it to the value that was used with it.`,
    );
  }
  const places = keyFile === undefined ? [`${backup}.key`, keyFilePath(sources.dataFolder)] : [keyFile];
  const wrong: string[] = [];
  for (const place of places.map((path) => resolve(path))) {
    const secrets = await readKeyFile(place);
    if (secrets === undefined) continue;
    if (await isKeyOf(settings, new SecretRing(secrets))) return { from: place, file: place };
    wrong.push(place);
  }
  if (wrong.length > 0)
    throw new SecretKeyError(`The key in ${wrong.join(' or ')} does not belong to ${backup}. ${nextStep}`);
  throw new SecretKeyError(
    `The secret key of ${backup} was not found: there is no ${places.join(' and no ')}. Without it no token works and no provider key can be read. ${nextStep}`,
  );
}

async function isKeyOf(settings: Pick<KeyCheckSettings, 'get'>, ring: SecretRing): Promise<boolean> {
  try {
    return (await peekKeyOfDatabase(settings, ring)) !== undefined;
  } catch (error) {
    if (error instanceof SecretKeyError) return false;
    throw error;
  }
}
