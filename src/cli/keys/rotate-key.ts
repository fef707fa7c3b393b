/**
 * `weir rotate-key`: makes a new secret key, seals everything again with it while Weir runs, and drops
 * old keys that nothing depends on.
 */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { secretSources } from '../../gateway/store-parts.ts';
import { type SecretKey, SecretRing, secretKeyBytes } from '../../secrets/key-ring.ts';
import type { Config } from '../../settings/config.ts';
import {
  holdKeyFile,
  keyFilePath,
  readKeyFile,
  replaceKeyFile,
  SecretKeyError,
} from '../../store/secret-keys/key-file.ts';
import { keyOfDatabase, loadSecrets, setKeyOfDatabase } from '../../store/secret-keys/secret-key.ts';
import type { Store } from '../../store/store.ts';
import { ArgumentError, type CommandWords, readArguments } from '../arguments.ts';
import { exitCodes, type Output, reportMistakes } from '../output.ts';
import { output, withStore } from '../store-commands.ts';
import { printable } from '../table.ts';
import { type OlderKeyUse, olderKeyUses } from './older-digests.ts';
import { type Resealed, reseal } from './reseal.ts';

const usage = `Usage:
  weir rotate-key                       create a new key and re-encrypt everything with it
  weir rotate-key --drop-old [--force]  delete the old keys

Both work while Weir runs. A rotation that was interrupted continues when the command is run again. Tokens and sessions
move to the new key when they are next used; if some have not moved yet, --drop-old lists them and requires --force.
If you use WEIR_SECRET_KEY, change the keys yourself: see docs/configuration.md.`;

const words: CommandWords = { usage, flags: { 'drop-old': 'switch', force: 'switch' } };

/** Processes that share the key file look at it about twice a second; until then they still seal with the old key. */
const settleMs = 1_000;

export function rotateKey(args: readonly string[]): Promise<number> {
  return reportMistakes(output, async () => {
    const given = readArguments(words, args);
    if (given.help) {
      output.out(`${usage}\n`);
      return exitCodes.done;
    }
    const force = given.has('force');
    if (force && !given.has('drop-old')) throw new ArgumentError('--force requires --drop-old.', usage);
    return withStore((store, config) => {
      const parts: RotationParts = { ...output, store, config, nowMs: Date.now, sleep: Bun.sleep };
      return given.has('drop-old') ? dropOldKeys(parts, force) : rotate(parts);
    });
  });
}

export interface RotationParts extends Output {
  readonly store: Store;
  readonly config: Config;
  nowMs(): number;
  sleep(ms: number): Promise<void>;
}

async function rotate(parts: RotationParts): Promise<number> {
  if (parts.config.secretKey !== undefined) return rotateConfigured(parts);
  const path = keyFilePath(parts.config.server.dataFolder);
  return holdKeyFile(path, async () => {
    const before = await ringOfFile(path);
    const current = await keyOfDatabase(parts.store.settings, before);
    if (current.id !== before.newest.id) {
      parts.out(`A rotation to key ${before.newest.id} had begun; it continues.\n`);
      return finish(parts, before);
    }
    const secret = new Uint8Array(randomBytes(secretKeyBytes));
    await replaceKeyFile(path, [secret, ...secretsOf(before.keys)]);
    const ring = new SecretRing([secret, ...secretsOf(before.keys)]);
    parts.out(`Key ${ring.newest.id} was made and is the first in ${path}. Back the file up.\n`);
    await parts.sleep(settleMs);
    return finish(parts, ring);
  });
}

async function rotateConfigured(parts: RotationParts): Promise<number> {
  const ring = await ringOfConfig(parts);
  const current = await keyOfDatabase(parts.store.settings, ring);
  if (current.id === ring.newest.id && ring.keys.length === 1) {
    parts.err(
      'WEIR_SECRET_KEY holds the key, so only you can make another. Put a new one into WEIR_SECRET_KEY and this one into WEIR_SECRET_KEY_OLD, restart every replica, and run `weir rotate-key` with the same variables. docs/configuration.md has every step.\n',
    );
    return exitCodes.failed;
  }
  return finish(parts, ring);
}

/** Seals everything with the newest key first, and only then records it as the database's key. */
async function finish(parts: RotationParts, ring: SecretRing): Promise<number> {
  const { store, out } = parts;
  const keySinceMs = await sinceOf(parts, ring.newest);
  out(resealedText(await reseal(store.secretUses, ring)));
  await setKeyOfDatabase(store.settings, ring.newest);
  const uses = await olderKeyUses(olderKeyParts(parts, ring, keySinceMs));
  if (uses.length > 0) out(`Still on an old key:\n${usesText(uses)}`);
  out(
    `Callbacks of videos are signed with old and new; GET /v1/video/callback_secret gives receivers the new secret.\n` +
      `When nothing depends on the old key any more, \`weir rotate-key --drop-old\` ${dropping(parts)}.\n`,
  );
  return exitCodes.done;
}

async function dropOldKeys(parts: RotationParts, force: boolean): Promise<number> {
  if (parts.config.secretKey !== undefined) {
    const ring = await ringOfConfig(parts);
    return drop(parts, ring, force, async () => {
      parts.out('Nothing needs the old keys. Remove WEIR_SECRET_KEY_OLD and restart every replica.\n');
    });
  }
  const path = keyFilePath(parts.config.server.dataFolder);
  return holdKeyFile(path, async () => {
    const ring = await ringOfFile(path);
    const [newest, ...older] = ring.keys;
    return drop(parts, ring, force, async () => {
      await replaceKeyFile(path, [newest.secret]);
      parts.out(`Dropped ${older.map(({ id }) => id).join(', ')}. ${path} holds ${newest.id} alone.\n`);
    });
  });
}

/** Seals texts once more before: a process that learned of the new key late may have written with the old one. */
async function drop(
  parts: RotationParts,
  ring: SecretRing,
  force: boolean,
  forget: () => Promise<void>,
): Promise<number> {
  const { store, out, err } = parts;
  await keyOfDatabase(store.settings, ring);
  if (ring.keys.length === 1) {
    out(`There is no old key: ${ring.newest.id} is the only one.\n`);
    return exitCodes.done;
  }
  const keySinceMs = await sinceOf(parts, ring.newest);
  out(resealedText(await reseal(store.secretUses, ring)));
  await setKeyOfDatabase(store.settings, ring.newest);
  const uses = await olderKeyUses(olderKeyParts(parts, ring, keySinceMs));
  if (uses.length > 0 && !force) {
    err(
      `Old keys are still needed:\n${usesText(uses)}Nothing was dropped. Wait, or \`weir rotate-key --drop-old --force\` if these may end.\n`,
    );
    return exitCodes.failed;
  }
  if (uses.length > 0) out(`These end with the old key:\n${usesText(uses)}`);
  await forget();
  return exitCodes.done;
}

async function ringOfFile(path: string): Promise<SecretRing> {
  const secrets = await readKeyFile(path);
  if (secrets !== undefined) return new SecretRing(secrets);
  throw new SecretKeyError(`The key file ${path} vanished while it was being read.`);
}

async function ringOfConfig({ config }: RotationParts): Promise<SecretRing> {
  return new SecretRing((await loadSecrets(secretSources(config))).secrets);
}

const secretsOf = (keys: readonly SecretKey[]): Uint8Array[] => keys.map(({ secret }) => secret);

/** Recorded when the key is first seen here; URLs that were signed before have another key's signature. */
async function sinceOf({ store, nowMs }: RotationParts, { id }: SecretKey): Promise<number> {
  return Number(await store.settings.putIfAbsent(`secret-key-since:${id}`, String(Math.round(nowMs()))));
}

function olderKeyParts({ store, config, nowMs }: RotationParts, ring: SecretRing, keySinceMs: number) {
  return { store, ring, keySinceMs, resultFolder: join(config.server.dataFolder, 'results'), nowMs: nowMs() };
}

const dropping = ({ config }: RotationParts): string =>
  config.secretKey === undefined ? 'drops it' : 'says that WEIR_SECRET_KEY_OLD can go';

function resealedText({ resealed, unreadable }: Resealed): string {
  const done = resealed
    .filter(({ count }) => count > 0)
    .map(({ words: [one, several], count }) => `${count} ${count === 1 ? one : several}`);
  const lines = [done.length === 0 ? 'Nothing left to re-encrypt.' : `Re-encrypted: ${done.join(', ')}.`];
  if (unreadable > 0) {
    lines.push(
      `${unreadable} sealed ${unreadable === 1 ? 'text opens' : 'texts open'} with none of these keys and stayed as before; \`weir doctor\` names providers among them.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function usesText(uses: readonly OlderKeyUse[]): string {
  return uses
    .map(({ words: [one, several], count, names, advice }) => {
      const more = count > names.length ? ', …' : '';
      const named = names.length === 0 ? '' : ` (${names.map(printable).join(', ')}${more})`;
      return `  ${count} ${count === 1 ? one : several}${named}: ${advice}\n`;
    })
    .join('');
}
