/**
 * `npm run image`: the container image for amd64 and arm64 as an OCI layout in `dist/image`, or the named folder. It needs
 * `apt-get` and `dpkg-deb`, no daemon and no rights. `--arch=amd64` builds one architecture, `--executable=FILE` takes
 * one that exists, and `--root=FOLDER` writes the files of the image instead, for the Dockerfile.
 */

import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fetchPackages } from './debian-packages.ts';
import { fetchRuntime } from './fetch-runtime.ts';
import { entriesOf, type Image, packageFacts, project, writeImage } from './image.ts';
import { type Descriptor, OciLayout } from './oci-layout.ts';
import type { Architecture } from './root-files.ts';
import { runTool } from './run-tool.ts';
import type { Entry } from './tar.ts';

const platforms = {
  amd64: { target: 'bun-linux-x64', runtime: 'bun-linux-x64' },
  arm64: { target: 'bun-linux-arm64', runtime: 'bun-linux-aarch64' },
} as const satisfies Readonly<Record<Architecture, object>>;

const words = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), 'weir-image-'));
try {
  await main();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const architectures = (option('arch')?.split(',') ?? Object.keys(platforms)) as Architecture[];
  const unknown = architectures.find((name) => !Object.hasOwn(platforms, name));
  if (unknown !== undefined) throw new Error(`There is no image for ${unknown}: amd64, arm64.`);
  const given = option('executable');
  const root = option('root');
  const [only] = architectures;
  if ((given ?? root) !== undefined && architectures.length > 1)
    throw new Error('--executable and --root are for one architecture: add --arch=amd64 or --arch=arm64.');
  if (root !== undefined && only !== undefined) return writeRoot(entriesOf(partsOf(only, given)).flat(), root);
  const folder = resolve(words.find((word) => !word.startsWith('--')) ?? join(project, 'dist/image'));
  const layout = new OciLayout(folder);
  const images: Descriptor[] = [];
  for (const architecture of architectures) {
    const image = await writeImage(layout, { ...partsOf(architecture, given), compression: 9 });
    images.push(image.descriptor);
    show(architecture, image);
  }
  const { digest } = layout.writeIndex(images, packageFacts().version);
  console.log(`${relative(process.cwd(), folder)}:${packageFacts().version}  ${digest}`);
}

function partsOf(architecture: Architecture, given: string | undefined) {
  const executable = given ?? buildExecutable(architecture);
  return { architecture, executable, packages: fetchPackages(architecture, join(scratch, architecture)) };
}

/** Its name is part of the executable, so it is the same for every architecture. */
function buildExecutable(architecture: Architecture): string {
  const file = join(scratch, architecture, 'weir');
  const { target, runtime } = platforms[architecture];
  const program = fetchRuntime(runtime, join(project, 'dist/runtimes'));
  const build = [process.execPath, join(project, 'scripts/build.ts'), file];
  runTool([...build, `--target=${target}`, `--runtime=${program}`], { cwd: project });
  return file;
}

function show(architecture: Architecture, { descriptor, layers }: Image): void {
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  const sum = (pick: (layer: Image['layers'][number]) => number): number =>
    layers.reduce((total, layer) => total + pick(layer), 0);
  console.log(
    `${architecture}  ${megabytes(sum((layer) => layer.descriptor.size))} compressed, ` +
      `${megabytes(sum((layer) => layer.unpackedBytes))} unpacked  ${descriptor.digest}`,
  );
  for (const { comment, descriptor: layer } of layers) console.log(`  ${megabytes(layer.size)}  ${comment}`);
}

/** The owners need rights; without them the Dockerfile sets them. */
function writeRoot(entries: readonly Entry[], folder: string): void {
  for (const entry of entries) {
    const path = join(folder, entry.path);
    mkdirSync(entry.kind === 'folder' ? path : dirname(path), { recursive: true });
    if (entry.kind === 'text') writeFileSync(path, entry.text);
    if (entry.kind === 'file') copyFileSync(entry.source, path);
    if (entry.kind === 'link') symlinkSync(entry.target, path);
    else chmodSync(path, entry.mode);
    if (process.getuid?.() === 0 && entry.owner !== undefined && entry.kind !== 'link')
      chownSync(path, entry.owner, entry.owner);
  }
}

function option(name: string): string | undefined {
  const start = `--${name}=`;
  return words.find((word) => word.startsWith(start))?.slice(start.length);
}
