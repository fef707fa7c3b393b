/** Proves the launcher on copies of the package tree as npm leaves it: with and without install scripts, and with nothing installed. */

import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const node = Bun.which('node') ?? 'node';
const platformPackage = platformPackageName();
const placeholder = 'echo "the install script did not run"\nexit 1\n';
const trees: string[] = [];
let tree = '';

/** Tells what it was started with, then obeys one command. */
const mainSource = `
const [command, value] = process.argv.slice(2);
const report = { words: process.argv.slice(2), ppid: process.ppid, cwd: process.cwd(), folder: process.env.WEIR_WORKING_FOLDER, launcher: process.env.WEIR_LAUNCHER_PID, ceiling: process.env.BUN_CONFIG_MAX_HTTP_REQUESTS, purge: process.env.MIMALLOC_PURGE_DELAY };
if (command === 'count') {
  let seen = 0;
  process.on(value, () => {
    seen += 1;
    console.log('signal ' + seen);
    if (seen === 2) process.exit(42);
  });
}
console.log(JSON.stringify(report));
if (command === 'exit') process.exit(Number(value));
if (command === 'die') process.kill(process.pid, value);
if (command === 'count' || command === 'die') setInterval(() => {}, 1000);
`;

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'weir-launcher-'));
  trees.push(tree);
  put('package.json', JSON.stringify({ type: 'module', dependencies: { bun: '1.4.4' } }));
  put('src/main.ts', mainSource);
  put('src/program/runtime-tsconfig.json', '{}');
  put('bin/weir.js', '');
  for (const name of ['weir.js', 'runtime-variables.js'])
    copyFileSync(join(import.meta.dir, name), join(tree, 'bin', name));
});

afterAll(() => {
  for (const folder of trees) rmSync(folder, { recursive: true, force: true });
});

function put(path: string, text: string): string {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** npm's tree before Bun's install script: the binary in the platform's package, a placeholder in `bun`. */
function installWithoutScripts(): string {
  put(`node_modules/@oven/${platformPackage}/package.json`, '{}');
  put('node_modules/bun/package.json', '{}');
  put('node_modules/bun/bin/bun.exe', placeholder);
  return linkBun(`node_modules/@oven/${platformPackage}/bin/bun`);
}

function linkBun(path: string): string {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(process.execPath, file);
  return file;
}

function launch(words: string[], options: { file?: string; env?: Record<string, string>; cwd?: string } = {}) {
  return Bun.spawn([node, options.file ?? join(tree, 'bin/weir.js'), ...words], {
    cwd: options.cwd ?? tree,
    env: { PATH: '', HOME: tree, ...options.env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

async function outcome(child: ReturnType<typeof launch>) {
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  return { out: out.trim(), err, code: child.exitCode, signal: child.signalCode };
}

describe('finding Bun', () => {
  test('takes the platform package when install scripts did not run', async () => {
    const expected = installWithoutScripts();
    expect(await outcome(launch(['--bun-path']))).toMatchObject({ out: expected, code: 0 });
  });

  test('takes the package bun once its install script moved the binary there', async () => {
    put(`node_modules/@oven/${platformPackage}/package.json`, '{}');
    put('node_modules/bun/package.json', '{}');
    const expected = linkBun('node_modules/bun/bin/bun.exe');
    expect(await outcome(launch(['--bun-path']))).toMatchObject({ out: expected, code: 0 });
  });

  test('finds a platform package nested inside the package bun', async () => {
    put('node_modules/bun/package.json', '{}');
    put('node_modules/bun/bin/bun.exe', placeholder);
    put(`node_modules/bun/node_modules/@oven/${platformPackage}/package.json`, '{}');
    const expected = linkBun(`node_modules/bun/node_modules/@oven/${platformPackage}/bin/bun`);
    expect(await outcome(launch(['--bun-path']))).toMatchObject({ out: expected, code: 0 });
  });

  for (const [version, accepted] of [
    ['1.4.4', true],
    ['1.10.0', true],
    ['1.4.3', false],
    ['1.3.9', false],
    ['2.0.0', false],
  ] as const) {
    test(`${accepted ? 'accepts' : 'passes over'} version ${version} on PATH`, async () => {
      const file = put('path/bun', `#!/bin/sh\necho ${version}\n`);
      chmodSync(file, 0o755);
      const result = await outcome(launch(['--bun-path'], { env: { PATH: dirname(file) } }));
      expect(result).toMatchObject(accepted ? { out: file, code: 0 } : { out: '', code: 1 });
    });
  }

  test('says what to run when there is none', async () => {
    put('node_modules/bun/package.json', '{}');
    put('node_modules/bun/bin/bun.exe', placeholder);
    const result = await outcome(launch(['serve']));
    expect(result.code).toBe(1);
    expect(result.err).toContain('npm ci --include=optional');
    expect(result.err).toContain(`@oven/${platformPackage}`);
    expect(result.err).not.toContain('at ');
  });
});

describe('starting Bun', () => {
  test('runs src/main.ts with the arguments unchanged, from any folder, through npm’s link', async () => {
    installWithoutScripts();
    const link = join(tree, 'node_modules/.bin/weir');
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync('../../bin/weir.js', link);
    const elsewhere = dirname(put('elsewhere/file', ''));
    const child = launch(['token', 'create', '--name', 'two words'], { file: link, cwd: elsewhere });
    const { out, code } = await outcome(child);
    const report = JSON.parse(out);
    expect(report.words).toEqual(['token', 'create', '--name', 'two words']);
    expect([report.cwd, report.folder]).toEqual([tree, elsewhere]);
    expect(report.launcher).toBe(String(child.pid));
    expect(report.ppid).toBe(child.pid);
    expect([report.ceiling, report.purge]).toEqual(['65535', '1000']);
    expect(code).toBe(0);
  });

  test('keeps what the operator set for the runtime', async () => {
    installWithoutScripts();
    const env = { BUN_CONFIG_MAX_HTTP_REQUESTS: '12', MIMALLOC_PURGE_DELAY: '-1' };
    const { out } = await outcome(launch([], { env }));
    expect(JSON.parse(out)).toMatchObject({ ceiling: '12', purge: '-1' });
    const empty = await outcome(launch([], { env: { BUN_CONFIG_MAX_HTTP_REQUESTS: '' } }));
    expect(JSON.parse(empty.out)).toMatchObject({ ceiling: '65535', purge: '1000' });
  });

  test('--run runs any script', async () => {
    installWithoutScripts();
    put('scripts/other.ts', 'console.log("other", Bun.version, process.argv.slice(2).join("+")); process.exit(5);');
    const result = await outcome(launch(['--run', 'scripts/other.ts', 'a', '--b']));
    expect(result).toMatchObject({ out: `other ${Bun.version} a+--b`, code: 5 });
  });

  test('exits with the code of the child', async () => {
    installWithoutScripts();
    expect(await outcome(launch(['exit', '37']))).toMatchObject({ code: 37, signal: null });
  });

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    test(`ends by ${signal} when the child did`, async () => {
      installWithoutScripts();
      expect(await outcome(launch(['die', signal]))).toMatchObject({ signal });
    });
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`forwards ${signal}, and forwards it again`, async () => {
      installWithoutScripts();
      const child = launch(['count', signal]);
      let text = '';
      let sender: Timer | undefined;
      for await (const bytes of child.stdout) {
        text += new TextDecoder().decode(bytes);
        // Copies within moments count as one signal, so the second is offered until it counts.
        if (text.includes('signal 2')) clearInterval(sender);
        else if (text.includes('signal 1')) sender ??= setInterval(() => child.kill(signal), 20);
        else child.kill(signal);
      }
      clearInterval(sender);
      await child.exited;
      expect(text).toContain('signal 2');
      expect(child.exitCode).toBe(42);
    });
  }
});

/** As the registry names it; the C library is detected as in Node's own report. */
function platformPackageName(): string {
  const arch = process.arch === 'arm64' ? 'aarch64' : 'x64';
  const { stdout } = Bun.spawnSync([node, '-p', 'process.report.getReport().header.glibcVersionRuntime ?? ""']);
  const musl = process.platform === 'linux' && stdout.toString().trim() === '' ? '-musl' : '';
  return `bun-${process.platform === 'darwin' ? 'darwin' : 'linux'}-${arch}${musl}`;
}
