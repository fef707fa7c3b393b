/** The bundle that `npm ci` writes and `npm start` runs: moved with its project, it serves with all its threads, and a changed source replaces it. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { hostileFolder } from './hostile-folder.ts';

const project = join(import.meta.dir, '../..');
const node = Bun.which('node') ?? 'node';
let folder: string;
let clone: string;
let weir: RunningWeir | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-bundle-'));
  const first = join(folder, 'first');
  for (const name of ['bin', 'scripts', 'src', 'package.json', 'package-lock.json'])
    cpSync(join(project, name), join(first, name), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(project, 'node_modules'), join(first, 'node_modules'));
  const { exitCode, stderr } = Bun.spawnSync(['npm', 'run', 'prepare'], { cwd: first, stdin: 'ignore' });
  expect({ exitCode, complaints: stderr.toString().match(/The bundle could not.*/s)?.[0] }).toEqual({
    exitCode: 0,
    complaints: undefined,
  });
  clone = join(folder, 'moved');
  renameSync(first, clone);
  weir = await startWeir({ program: launcher() });
}, 300_000);

afterAll(async () => {
  await weir?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const launcher = (): readonly string[] => [node, join(clone, 'bin/weir.js')];

function programPath(): string {
  const { stdout } = Bun.spawnSync([...launcher(), '--program-path'], { stdin: 'ignore' });
  return stdout.toString().trim();
}

const post = (path: string, body: object): Promise<Response> =>
  fetch(`${weir?.base}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir?.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('the bundle', () => {
  test('is what the launcher starts', () => {
    expect(programPath()).toBe(join(clone, 'dist/server/main.js'));
  });

  test('answers a chat and counts what it cost, by the thread of the database', async () => {
    const messages = [{ role: 'user', content: 'What is 6 * 7?' }];
    expect(await (await post('chat/completions', { model: 'sandbox-chat', messages })).text()).toContain('42');
    await until(
      async () => (await weir?.command('usage'))?.stdout.includes('sandbox-chat') === true,
      60_000,
      'a line for it in weir usage',
    );
  });

  test('speaks, draws and films, each in a thread with packages outside of the bundle', async () => {
    const speech = await post('audio/speech', { model: 'sandbox-speak', voice: 'alloy', input: 'Yes.' });
    expect([speech.status, (await speech.bytes()).length > 1_000]).toEqual([200, true]);
    const image = await post('images/generations', { model: 'sandbox-image', prompt: 'a red circle' });
    expect([image.status, (await image.text()).length > 1_000]).toEqual([200, true]);
    const ordered = await post('videos', { model: 'sandbox-video', prompt: 'a red circle' });
    const { id } = (await ordered.json()) as { id: string };
    const statusOf = async () =>
      (
        (await (
          await fetch(`${weir?.base}/videos/${id}`, { headers: { authorization: `Bearer ${weir?.token}` } })
        ).json()) as { status: string }
      ).status;
    await until(async () => !['queued', 'in_progress'].includes(await statusOf()), 120_000, 'the end of the video');
    expect(await statusOf()).toBe('completed');
  });

  test('builds the console of its project', async () => {
    const page = await (await fetch(`${weir?.url}/console/playground`)).text();
    const [script = ''] = /\/console\/assets\/main-[^"]+\.js/.exec(page) ?? [];
    expect((await fetch(`${weir?.url}${script}`)).status).toBe(200);
  });

  test('holds no path of the machine that wrote it', () => {
    expect(readFileSync(join(clone, 'dist/server/main.js'), 'latin1')).not.toContain(folder);
  });

  test('names the sources in a stack trace', () => {
    const preload = join(folder, 'trace.ts');
    writeFileSync(preload, 'process.stdout.write = () => Boolean(console.error(new Error("here").stack));\n');
    const words = [process.execPath, '--preload', preload, programPath(), 'version'];
    const output = Bun.spawnSync(words, { stdin: 'ignore' }).stderr.toString();
    expect(output).toMatch(/at \S+ \(\S+\/moved\/src\/cli\/\S+\.ts:\d+:\d+\)/);
    expect(output).not.toContain('sourcemap');
  });

  test('runs and reads nothing of the folder where it is called', async () => {
    const foreign = hostileFolder();
    for (const command of ['login', 'token', 'serve'] as const) {
      expect([command, (await foreign.run(launcher(), command)).traces]).toEqual([command, []]);
    }
    foreign.remove();
  });

  test('starts several workers', async () => {
    const several = await startWeir({ program: launcher(), env: { WEIR_SERVER_WORKERS: '2' } });
    const ready = await fetch(`${several.url}/readyz`);
    expect(ready.status).toBe(200);
    await several.remove();
  });
});

test('a change of a source, of its time alone or of the lock file lets the sources start', () => {
  const sources = join(clone, 'src/main.ts');
  const bundle = join(clone, 'dist/server/main.js');
  for (const path of ['src/cli/run.ts', 'package-lock.json', 'scripts/bundle.ts']) {
    const file = join(clone, path);
    const text = readFileSync(file, 'utf8');
    const before = new Date(Math.trunc(Bun.file(file).lastModified));
    writeFileSync(file, `${text}\n`);
    expect(programPath()).toBe(sources);
    writeFileSync(file, text);
    expect(programPath()).toBe(sources);
    utimesSync(file, before, before);
    expect(programPath()).toBe(bundle);
  }
  rmSync(join(clone, 'src/cli/table.ts'));
  expect(programPath()).toBe(sources);
});

test('where it cannot be written, the installation succeeds and the sources start', () => {
  rmSync(join(clone, 'dist'), { recursive: true });
  writeFileSync(join(clone, 'dist'), 'not a folder');
  const { exitCode, stderr } = Bun.spawnSync(['npm', 'run', 'prepare'], { cwd: clone, stdin: 'ignore' });
  expect(exitCode).toBe(0);
  expect(stderr.toString()).toContain('The bundle could not be written, so Weir starts from its sources');
  expect(programPath()).toBe(join(clone, 'src/main.ts'));
});
