/** The npm package as its users have it: packed by npm, with its run-time dependencies alone, started by its own command. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../harness/ports.ts';
import { until } from '../harness/until.ts';

const project = join(import.meta.dir, '../..');
const token = `test-token-${crypto.randomUUID()}`;

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

let folder: string;
let url: string;
let packed: readonly string[];
let child: Bun.Subprocess<'ignore', 'ignore', 'ignore'> | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-npm-'));
  const output = await run(['npm', 'pack', '--json', '--pack-destination', folder], project);
  const [report] = JSON.parse(output) as [{ filename: string; files: readonly { path: string }[] }];
  packed = report.files.map(({ path }) => path).toSorted();
  await install(join(folder, report.filename));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  // Without words it serves.
  child = Bun.spawn([Bun.which('node') ?? 'node', join(folder, 'node_modules/.bin/weir-gateway')], {
    cwd: folder,
    env: { WEIR_PORT: `${port}`, WEIR_FIRST_TOKEN: token, WEIR_DISCOVERY_LOCAL: 'false' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await until(
    async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.status === 200,
    60_000,
    'GET /healthz',
  );
}, 300_000);

afterAll(async () => {
  child?.kill('SIGTERM');
  await child?.exited;
  await rm(folder, { recursive: true, force: true });
});

async function run(words: readonly string[], cwd: string): Promise<string> {
  const process_ = Bun.spawn([...words], {
    cwd,
    env: { ...process.env, WEIR_PREPACK_QUICK: '1' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [code, output, complaints] = await Promise.all([
    process_.exited,
    new Response(process_.stdout).text(),
    new Response(process_.stderr).text(),
  ]);
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}: ${complaints}`);
  return output;
}

/** As `npm install --omit=dev` leaves it, with links to the modules of this clone instead of downloads. */
async function install(tarball: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  const home = join(modules, 'weir-gateway');
  await mkdir(home, { recursive: true });
  await run(['tar', 'xzf', tarball, '--strip-components=1', '-C', home], folder);
  const { bin, dependencies } = (await Bun.file(join(home, 'package.json')).json()) as Manifest;
  // Bun's program is in a package of its own for each platform.
  for (const name of [...Object.keys(dependencies), '@oven']) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(project, 'node_modules', name), join(modules, name));
  }
  await mkdir(join(modules, '.bin'));
  for (const [name, path] of Object.entries(bin)) {
    await symlink(join('..', 'weir-gateway', path), join(modules, '.bin', name));
  }
}

test('it holds the server and the built console, and neither tests nor what builds it', () => {
  const outside = packed.filter((path) => !path.startsWith('src/'));
  expect(outside).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin/runtime-variables.js',
    'bin/weir.js',
    'dist/console.pack',
    'package.json',
    'weir.example.yaml',
  ]);
  expect(packed.filter((path) => /\.test\.|^src\/console\//.test(path))).toEqual([]);
  expect(packed).toContain('src/main.ts');
  expect(packed).toContain('src/http/pages/home.html');
});

test('the home page, the console and every file that its page names are served', async () => {
  const home = await fetch(url);
  expect(home.status).toBe(200);
  expect(await home.text()).toContain('/console/assets/foundation-');
  const page = await (await fetch(`${url}/console/playground`)).text();
  const named = [...page.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(3);
  const statuses = await Promise.all(named.map(async (path) => (await fetch(url + path)).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('the script of the playground is there, and the gallery for developers is not', async () => {
  const page = await (await fetch(`${url}/console/playground`)).text();
  const [script = ''] = /\/console\/assets\/main-[^"]+\.js/.exec(page) ?? [];
  const parts = [...(await (await fetch(url + script)).text()).matchAll(/[\w.-]+\.part-\w+\.js/g)].map(
    ([name]) => name,
  );
  const playground = parts.find((name) => name.startsWith('playground.'));
  expect((await fetch(`${url}/console/assets/${playground}`)).status).toBe(200);
  expect(parts.filter((name) => name.startsWith('gallery.'))).toEqual([]);
});

test('the sandbox answers a chat and speaks, with threads and files of the package', async () => {
  const post = (path: string, body: object) =>
    fetch(`${url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const messages = [{ role: 'user', content: 'What is 6 * 7?' }];
  const chat = await post('chat/completions', { model: 'sandbox-chat', messages });
  expect(await chat.text()).toContain('42');
  const speech = await post('audio/speech', { model: 'sandbox-speak', voice: 'alloy', input: 'Yes.' });
  expect(speech.status).toBe(200);
  expect((await speech.bytes()).length).toBeGreaterThan(1_000);
});
