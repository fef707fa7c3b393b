/** Counts the tests that a machine cannot run because it lacks a service or the recordings, so that the run can report them. */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Called once for each test that is skipped for want of recordings. */
export function countSkippedRecording(): void {
  const file = process.env['WEIR_TEST_SKIPPED_FILE'];
  if (file !== undefined) appendFileSync(file, 'recording\n');
}

/** Lines for the end of a run. */
export function missingSummary(file: string, missing: readonly string[]): string[] {
  const recordings = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).length : 0;
  return [
    ...(recordings > 0 ? [`recordings: ${recordings} skipped`] : []),
    ...(missing.length > 0 ? [`without ${missing.join(', ')}: their tests are skipped`] : []),
  ];
}
