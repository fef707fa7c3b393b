/** The manifest of a release: its files with their hashes, signed with an Ed25519 key that only the releaser has. */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReleaseFacts } from './facts.ts';

export const manifestName = 'manifest.json';
export const signatureName = 'manifest.json.sig';
export const sumsName = 'SHA256SUMS';
const unlisted = new Set([manifestName, signatureName, sumsName]);

interface FileEntry {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly commit: string | null;
  readonly time: string;
  /** The fingerprint of the key that signed it; null if none did. */
  readonly key: string | null;
  readonly files: readonly FileEntry[];
}

/** A key that is not Ed25519 is refused: the signature must be one that every `openssl` checks in one way. */
export function readPrivateKey(file: string): KeyObject {
  return onlyEd25519(createPrivateKey(readFileSync(file)), file);
}

export function readPublicKey(file: string): KeyObject {
  return onlyEd25519(createPublicKey(readFileSync(file)), file);
}

function onlyEd25519(key: KeyObject, file: string): KeyObject {
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new Error(`${file} is an ${key.asymmetricKeyType} key. Make one: openssl genpkey -algorithm ed25519 -out FILE`);
}

/** Of the public half, in the form that `openssl pkey -pubout -outform DER` writes. */
export function fingerprint(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(der).digest('hex')}`;
}

/** Lists every file of the folder, and signs the list where there is a key. */
export function writeManifest(folder: string, facts: ReleaseFacts, key: KeyObject | undefined): void {
  const files = filesIn(folder);
  const manifest: Manifest = {
    name: facts.name,
    version: facts.version,
    commit: facts.commit ?? null,
    time: new Date(facts.seconds * 1_000).toISOString(),
    key: key === undefined ? null : fingerprint(key),
    files,
  };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  writeFileSync(join(folder, manifestName), text);
  writeFileSync(join(folder, sumsName), sumsOf(files));
  if (key !== undefined) writeFileSync(join(folder, signatureName), sign(null, Buffer.from(text), key));
}

/**
 * What is wrong with a release; nothing if it is whole. Without a key only the hashes are checked, which says nothing
 * about who made it.
 */
export function problemsOf(folder: string, key: KeyObject | undefined): string[] {
  const path = join(folder, manifestName);
  if (!existsSync(path)) return [`${manifestName} is missing.`];
  const bytes = readFileSync(path);
  const wrongSignature = key === undefined ? undefined : signatureProblem(folder, bytes, key);
  // What an unknown person signed is not read.
  if (wrongSignature !== undefined) return [wrongSignature];
  const { files } = JSON.parse(bytes.toString()) as Manifest;
  const sums = existsSync(join(folder, sumsName)) ? readFileSync(join(folder, sumsName), 'utf8') : undefined;
  const listed = new Map(files.map((file) => [file.name, file]));
  const found = new Map(filesIn(folder).map((file) => [file.name, file]));
  return [
    ...(sums === sumsOf(files) ? [] : [`${sumsName} does not match ${manifestName}.`]),
    ...[...listed.keys()].filter((name) => !found.has(name)).map((name) => `${name} is missing.`),
    ...[...found.keys()].filter((name) => !listed.has(name)).map((name) => `${name} is not part of the release.`),
    ...[...found.values()]
      .filter(({ name, sha256 }) => listed.has(name) && listed.get(name)?.sha256 !== sha256)
      .map(({ name }) => `${name} is not the released file: its hash differs.`),
  ];
}

function signatureProblem(folder: string, bytes: Buffer, key: KeyObject): string | undefined {
  const path = join(folder, signatureName);
  if (!existsSync(path)) return `The release is not signed: ${signatureName} is missing.`;
  return verify(null, bytes, key, readFileSync(path))
    ? undefined
    : `The signature is not of the key ${fingerprint(key)}.`;
}

function filesIn(folder: string): FileEntry[] {
  const names = readdirSync(folder).filter((name) => !unlisted.has(name));
  return names.toSorted().map((name) => {
    const bytes = readFileSync(join(folder, name));
    return { name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
}

/** As `sha256sum` writes it, so that `sha256sum --check SHA256SUMS` reads it. */
function sumsOf(files: readonly FileEntry[]): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
}
