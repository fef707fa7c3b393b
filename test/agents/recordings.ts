/** What each agent first sent, as it was recorded. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedRequest } from './recorder.ts';

export interface Recording {
  readonly agent: string;
  readonly packages: readonly string[];
  readonly requests: readonly RecordedRequest[];
}

export const recordingsFolder = join(import.meta.dir, 'recorded');

export const recordings: readonly Recording[] = await Promise.all(
  readdirSync(recordingsFolder)
    .sort()
    .map((file) => Bun.file(join(recordingsFolder, file)).json()),
);
