/** Recorded provider files: the project's own, and those that may lie beside the project; tests that need the latter are skipped and counted without them. */

import { test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countSkippedRecording } from './skipped.ts';

const beside = join(import.meta.dir, '../../../shared');
const own = join(import.meta.dir, '../recordings');

export interface RecordedFile {
  /** Below the folder, such as `openai/openai-text.json`. */
  readonly name: string;
  readonly isOwn: boolean;
  text(): string;
}

/** Where something beside the project lies; undefined where it is absent. */
export function sharedPath(path: string): string | undefined {
  const place = join(beside, path);
  return existsSync(place) ? place : undefined;
}

/** The project's own recordings of the folder, then those beside the project; where these are absent, one skipped test says so. */
export function recordedFiles(folder: string): readonly RecordedFile[] {
  const place = sharedPath(`fixtures/recorded/${folder}`);
  if (place === undefined) skip(`recordings of ${folder}`);
  return [...filesIn(join(own, folder), true), ...filesIn(place, false)];
}

/** The text of one of the project's own recordings. */
export function ownRecording(path: string): string {
  return readFileSync(join(own, path), 'utf8');
}

/** A test that needs something beside the project: gets its place, or is skipped and counted. */
export function testShared(
  name: string,
  path: string,
  run: (place: string) => void | Promise<void>,
  timeoutMs?: number,
): void {
  const place = sharedPath(path);
  if (place === undefined) skip(name);
  else test(name, () => run(place), timeoutMs);
}

function skip(name: string): void {
  test.skip(name, () => undefined);
  countSkippedRecording();
}

function filesIn(place: string | undefined, isOwn: boolean): RecordedFile[] {
  if (place === undefined || !existsSync(place)) return [];
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(json|txt|sse)$/.test(name))
    .toSorted()
    .map((name) => ({ name, isOwn, text: () => readFileSync(join(place, name), 'utf8') }));
}
