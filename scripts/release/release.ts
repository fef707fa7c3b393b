/**
 * `npm run release` builds everything that a release offers for download into `dist/release`, or the named folder: the
 * npm package, archives with an executable for each platform, Debian packages, the bill of materials, hashes and a
 * manifest. `--only=linux-x64,…` builds some platforms; `--key=FILE`, or WEIR_RELEASE_KEY, signs the manifest.
 */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fetchRuntime } from '../image/fetch-runtime.ts';
import { runTool } from '../image/run-tool.ts';
import { writeArchive } from './archive.ts';
import { buildExecutable } from './build-executable.ts';
import { writeDebianPackage } from './debian.ts';
import { project, type ReleaseFacts, releaseFacts } from './facts.ts';
import { fingerprint, readPrivateKey, writeManifest } from './manifest.ts';
import { thirdPartyNotices } from './notices.ts';
import { type PackedData, packData } from './packed-data.ts';
import { billOfMaterials } from './sbom.ts';
import { readLock, shippedPackages } from './shipped-packages.ts';
import { signFile } from './sign-macho.ts';
import { type ReleaseTarget, releaseTargets } from './targets.ts';

const downloadBytesMax = 120_000_000;

const words = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), 'weir-release-'));
try {
  await main();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const targets = chosenTargets();
  const keyFile = option('key') ?? process.env['WEIR_RELEASE_KEY'];
  // Before the long part: a wrong key is found at once.
  const key = keyFile === undefined ? undefined : readPrivateKey(keyFile);
  const facts = releaseFacts();
  const folder = resolve(words.find((word) => !word.startsWith('--')) ?? join(project, 'dist/release'));
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty. Remove it, or name another folder.`);

  runTool(['npm', 'pack', '--silent', '--pack-destination', folder], { cwd: project });
  const runtimes = targets.map(({ runtime }) => runtime);
  const packages = await shippedPackages(readLock(), runtimes);
  const notices = thirdPartyNotices(packages);
  const data = await packData(false);
  for (const target of targets) await buildTarget(target, { facts, folder, notices, data });
  const bill = `${JSON.stringify(billOfMaterials(facts, packages), null, 2)}\n`;
  writeFileSync(join(folder, `${facts.name}-${facts.version}.cdx.json`), bill);
  writeManifest(folder, facts, key);
  report(folder, facts, key === undefined ? undefined : fingerprint(key));
}

function chosenTargets(): readonly ReleaseTarget[] {
  const names = option('only')?.split(',');
  const unknown = names?.find((name) => !releaseTargets.some((target) => target.name === name));
  const known = releaseTargets.map(({ name }) => name).join(', ');
  if (unknown !== undefined) throw new Error(`There is no platform ${unknown}: ${known}.`);
  return releaseTargets.filter(({ name }) => names === undefined || names.includes(name));
}

interface Release {
  readonly facts: ReleaseFacts;
  readonly folder: string;
  readonly notices: string;
  readonly data: PackedData;
}

async function buildTarget(platform: ReleaseTarget, { facts, folder, notices, data }: Release): Promise<void> {
  const { name, target, debian } = platform;
  // Its own folder, since the name of the file is part of the executable.
  const executable = join(scratch, name, 'weir');
  const runtime = fetchRuntime(platform.runtime, join(project, 'dist/runtimes'));
  const complaints = await buildExecutable({ outfile: executable, data, target, runtime });
  if (complaints.length > 0) throw new Error(complaints.map(String).join('\n'));
  if (target === 'bun-darwin-x64') signFile(executable, 'weir');
  const title = `weir-${facts.version}-${name}`;
  const file = join(folder, `${title}.tar.gz`);
  await writeArchive({ file, folder: title, executable, notices, withUnit: name.startsWith('linux') });
  console.log(`${name}  executable ${megabytes(executable)}, archive ${megabytes(file)}`);
  if (debian === undefined) return;
  const made = writeDebianPackage({
    facts,
    architecture: debian,
    executable,
    notices,
    scratch: join(scratch, `debian-${debian}`),
    folder,
  });
  console.log(`${name}  Debian package ${megabytes(made)}`);
}

function report(folder: string, facts: ReleaseFacts, key: string | undefined): void {
  const large = readdirSync(folder).filter((name) => statSync(join(folder, name)).size >= downloadBytesMax);
  for (const name of large) console.log(`Too large for a download (${downloadBytesMax / 1e6} MB): ${name}`);
  if (facts.commit === undefined) console.log('The manifest names no commit: the sources are no clone.');
  for (const line of facts.changed) console.log(`Not as in the commit: ${line}`);
  console.log(
    key === undefined
      ? 'The manifest is NOT SIGNED: no key was given (--key=FILE or WEIR_RELEASE_KEY).'
      : `The manifest is signed with the key ${key}.`,
  );
  console.log(relative(process.cwd(), folder));
}

function megabytes(file: string): string {
  return `${(statSync(file).size / 1e6).toFixed(1)} MB`;
}

function option(name: string): string | undefined {
  const start = `--${name}=`;
  return words.find((word) => word.startsWith(start))?.slice(start.length);
}
