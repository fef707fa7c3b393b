import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogFile } from './log-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-log-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
function build(bytesMax: number, filesMax: number) {
  const within = join(folder, `${made++}`);
  const said: string[] = [];
  let nowMs = 0;
  const path = join(within, 'weir.log');
  const log = new LogFile({ path, bytesMax, filesMax, fallback: (line) => said.push(line), nowMs: () => nowMs });
  return {
    log,
    path,
    within,
    said,
    pass: (ms: number) => {
      nowMs += ms;
    },
    async write(line: string) {
      log.write(line);
      await log.flush();
    },
  };
}

test('files are rotated at their size, and as many are kept as were asked for', async () => {
  const { path, within, write } = build(20, 2);
  for (const line of ['first line', 'second line', 'third line', 'fourth line', 'a line that is longer than a file'])
    await write(line);
  expect(readdirSync(within).sort()).toEqual(['weir.log', 'weir.log.1', 'weir.log.2']);
  expect(readFileSync(path, 'utf8')).toBe('a line that is longer than a file\n');
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('fourth line\n');
  expect(readFileSync(`${path}.2`, 'utf8')).toBe('third line\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a file of before is continued up to its size', async () => {
  const { path, write } = build(25, 1);
  await write('of the first life');
  const again = new LogFile({ path, bytesMax: 25, filesMax: 1, fallback: () => undefined, nowMs: () => 0 });
  again.write('short');
  again.write('over the size');
  await again.flush();
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('of the first life\n');
  expect(readFileSync(path, 'utf8')).toBe('short\nover the size\n');
});

test('a file that another program renamed is written until it is opened again', async () => {
  const { log, path, write } = build(1_000, 1);
  await write('one');
  renameSync(path, `${path}.old`);
  await write('two');
  await log.reopen();
  await write('three');
  expect(readFileSync(`${path}.old`, 'utf8')).toBe('one\ntwo\n');
  expect(readFileSync(path, 'utf8')).toBe('three\n');
});

test('what cannot be written goes elsewhere, the reason is said once, and writing begins again by itself', async () => {
  const { path, said, write, pass } = build(1_000, 1);
  mkdirSync(path, { recursive: true });
  await write('one');
  await write('two');
  pass(1_000);
  await write('three');
  expect(said).toEqual([expect.stringContaining(`${path} cannot be written (EISDIR)`), 'one', 'two', 'three']);
  rmdirSync(path);
  await write('too early');
  pass(1_000);
  await write('four');
  expect(said.slice(4)).toEqual(['too early', expect.stringContaining('written again')]);
  expect(readFileSync(path, 'utf8')).toBe('four\n');
});

test('lines that a slow disk cannot take are bounded and counted', async () => {
  const { log, path } = build(100_000_000, 1);
  const line = 'x'.repeat(1_048_575);
  for (let index = 0; index < 6; index++) log.write(line);
  await log.flush();
  log.write('after');
  await log.flush();
  const text = readFileSync(path, 'utf8');
  expect(text.split(line).length - 1).toBe(4);
  expect(text).toContain('2 log lines were not written');
});

test.if(existsSync('/dev/full'))('a full disk is said once', async () => {
  const said: string[] = [];
  const path = '/dev/full';
  const log = new LogFile({ path, bytesMax: 100, filesMax: 1, fallback: (line) => said.push(line), nowMs: () => 0 });
  for (const line of ['one', 'two']) {
    log.write(line);
    await log.flush();
  }
  expect(said).toEqual([expect.stringContaining('(ENOSPC)'), 'one', 'two']);
});
