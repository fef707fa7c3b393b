/**
 * Proves that a start from source builds the console once, again when its sources change, and not repeatedly if the
 * build fails.
 */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ConsoleFiles,
  createConsoleFiles,
  failureTrustedMs,
  packagedConsole,
  sourcesTrustedMs,
} from './console-files.ts';

let project: string;
let nowMs: number;
let warnings: string[];

const packCode = join(import.meta.dir, 'console-pack.ts');

/** A build that leaves a trace and packs one file named after the source; it fails where the source says so. */
const scriptedBuild = `
import { appendFileSync } from 'node:fs';
import { writePack } from ${JSON.stringify(packCode)};
const name = (await Bun.file('src/console/main.tsx').text()).trim();
appendFileSync('builds.txt', name + '\\n');
if (name === 'broken') throw new Error('no such package');
const path = '/console/assets/' + name + '.js';
const entries = { firstPaint: path, script: path, preloads: [], style: path, foundation: path, mainFont: path };
const file = { path, type: 'text/javascript', etag: name, bodies: { identity: new TextEncoder().encode(name) } };
await Bun.write(Bun.stdout, writePack({ entries, files: [file] }));
`;

const setSource = (name: string) => Bun.write(join(project, 'src/console/main.tsx'), name);
const builds = async () =>
  (
    await Bun.file(join(project, 'builds.txt'))
      .text()
      .catch(() => '')
  )
    .trim()
    .split('\n');
const start = (): ConsoleFiles =>
  createConsoleFiles({ project, nowMs: () => nowMs, warn: (message) => warnings.push(message) });

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'weir-console-'));
  nowMs = 0;
  warnings = [];
  await Promise.all([
    setSource('one'),
    Bun.write(join(project, 'src/http/pages/tokens.css'), ''),
    Bun.write(join(project, 'package-lock.json'), '{}'),
    Bun.write(join(project, 'scripts/build-console.ts'), scriptedBuild),
  ]);
});

afterEach(() => rm(project, { recursive: true, force: true }));

test('concurrent requests share one build, and the next start needs none', async () => {
  const files = start();
  const packs = await Promise.all([files.pack(), files.pack(), files.pack()]);
  expect(new Set(packs).size).toBe(1);
  expect(packs[0]?.entries.script).toBe('/console/assets/one.js');
  expect(await builds()).toEqual(['one']);
  expect((await start().pack()).entries.script).toBe('/console/assets/one.js');
  expect(await builds()).toEqual(['one']);
});

test('changed sources are built at the next request, and pages opened before still find their files', async () => {
  const files = start();
  await files.pack();
  await setSource('two');
  expect((await files.pack()).entries.script).toBe('/console/assets/one.js');
  nowMs += sourcesTrustedMs;
  expect((await files.pack()).entries.script).toBe('/console/assets/two.js');
  expect((await files.file('/console/assets/one.js'))?.etag).toBe('one');
  expect((await files.file('/console/assets/two.js'))?.etag).toBe('two');
  expect(await files.file('/console/assets/three.js')).toBeUndefined();
});

test('a browser that kept its page finds the files of it after a restart', async () => {
  await start().pack();
  expect((await start().file('/console/assets/one.js'))?.etag).toBe('one');
});

test('a failed build is reported once and retried only after a while', async () => {
  await setSource('broken');
  const files = start();
  await expect(files.pack()).rejects.toThrow();
  await expect(files.pack()).rejects.toThrow();
  expect(await builds()).toEqual(['broken']);
  expect(warnings).toHaveLength(1);
  await setSource('mended');
  nowMs += failureTrustedMs;
  expect((await files.pack()).entries.script).toBe('/console/assets/mended.js');
});

test('a truncated pack is rebuilt', async () => {
  await start().pack();
  const folder = join(project, 'node_modules/.cache/weir-console');
  const [kept = ''] = await readdir(folder);
  const whole = await Bun.file(join(folder, kept)).bytes();
  await Bun.write(join(folder, kept), whole.slice(0, -1));
  expect((await start().pack()).entries.script).toBe('/console/assets/one.js');
  expect(await builds()).toEqual(['one', 'one']);
});

test('a package without the sources serves its pack, and a clone with an old pack builds its sources', async () => {
  await start().pack();
  const folder = join(project, 'node_modules/.cache/weir-console');
  const [kept = ''] = await readdir(folder);
  await Bun.write(join(project, packagedConsole), Bun.file(join(folder, kept)));
  await setSource('two');
  expect((await start().pack()).entries.script).toBe('/console/assets/two.js');
  await rm(join(project, 'src/console'), { recursive: true });
  const files = start();
  expect((await files.pack()).entries.script).toBe('/console/assets/one.js');
  expect((await files.file('/console/assets/one.js'))?.etag).toBe('one');
  expect(await builds()).toEqual(['one', 'two']);
});

test('a package without its pack, or with half of one, warns once', async () => {
  await rm(join(project, 'src/console'), { recursive: true });
  const files = start();
  await expect(files.pack()).rejects.toThrow('dist/console.pack');
  await expect(files.pack()).rejects.toThrow('dist/console.pack');
  expect(warnings).toHaveLength(1);
  await Bun.write(join(project, packagedConsole), 'weir-console-1\n');
  await expect(start().pack()).rejects.toThrow('no readable console');
  expect(warnings).toHaveLength(2);
});
