/** Makes the image of one architecture from an executable: two layers, a configuration and a manifest. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UnpackedPackages } from './debian-packages.ts';
import type { Compression, Descriptor, Layer, OciLayout } from './oci-layout.ts';
import { type Architecture, baseEntries, programEntries } from './root-files.ts';
import type { Entry } from './tar.ts';

export const project = join(import.meta.dir, '../..');

interface ImageParts {
  readonly architecture: Architecture;
  readonly executable: string;
  readonly packages: UnpackedPackages;
  readonly compression: Compression;
}

export interface Image {
  readonly descriptor: Descriptor;
  readonly layers: readonly Layer[];
}

/** The base of the image and Weir itself, each a layer, in this order. */
export function entriesOf({ architecture, executable, packages }: Omit<ImageParts, 'compression'>): [Entry[], Entry[]] {
  return [baseEntries(architecture, packages), programEntries(executable, join(project, 'LICENSE'))];
}

export async function writeImage(layout: OciLayout, parts: ImageParts): Promise<Image> {
  const [base, program] = entriesOf(parts);
  const { version } = packageFacts();
  const debian = parts.packages.controls.map(({ name, text }) => `${name} ${/^Version: (.*)$/m.exec(text)?.[1]}`);
  const layers = [
    await layout.writeLayer(base, debian.join(', '), parts.compression),
    await layout.writeLayer(program, `weir ${version}`, parts.compression),
  ];
  const { labels, createdAt } = labelsOf();
  return { layers, descriptor: layout.writeImage({ architecture: parts.architecture, layers, labels, createdAt }) };
}

interface PackageFacts {
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

export function packageFacts(): PackageFacts {
  return JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as PackageFacts;
}

/** What the image says of itself. Its time is that of the commit, so that it can be built again. */
function labelsOf(): { labels: Readonly<Record<string, string>>; createdAt: string } {
  const { version, description, license } = packageFacts();
  const [revision, committedAt] = git('log', '-1', '--format=%H %ct')?.split(' ') ?? [];
  const seconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? committedAt ?? 0);
  const createdAt = new Date(seconds * 1_000).toISOString().replace('.000', '');
  const label = 'org.opencontainers.image';
  const labels = {
    [`${label}.title`]: 'Weir',
    [`${label}.description`]: description,
    [`${label}.version`]: version,
    [`${label}.licenses`]: license,
    [`${label}.created`]: createdAt,
    ...(revision !== undefined && { [`${label}.revision`]: revision }),
  };
  return { labels, createdAt };
}

/** Undefined where the sources are no clone. */
function git(...words: readonly string[]): string | undefined {
  try {
    return execFileSync('git', words, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
