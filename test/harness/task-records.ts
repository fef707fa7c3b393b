/** Tasks, steps and ends as store suites need them: with plausible values for all that a test does not set. */

import type { AttemptClosing, AttemptOpening } from '../../src/ledger/ledger.ts';
import type { NewTask, TaskEnd, TaskStep } from '../../src/tasks/task-store.ts';
import { anOpening, aUsageRow } from './store-places.ts';

let serial = 0;

export interface Beginning {
  readonly task: NewTask;
  readonly opening: AttemptOpening;
}

/** A task and the opening that holds its money: the same token, request, attempt and provider. */
export function aBeginning(
  given: Partial<NewTask> = {},
  money: Partial<Pick<AttemptOpening, 'scopes' | 'reserveNano' | 'reserveTokens'>> = {},
): Beginning {
  serial += 1;
  const task: NewTask = {
    id: `video_${String(serial).padStart(6, '0')}`,
    tokenId: 'token-1',
    requestId: `asked-${serial}`,
    attemptId: `asked-${serial}.1`,
    provider: 'up',
    keyId: 'key-1',
    model: 'film',
    upstreamModel: 'film-2',
    requested: { count: 1, seconds: 8, size: '1280x720', metadata: { scene: 'a\u0000b' } },
    terms: {
      endpoint: 'videos',
      bytesIn: 512,
      attempts: 1,
      priceVersion: 'operator',
      price: '{}',
      most: { videoSeconds: 8 },
    },
    createdAtMs: 1_000,
    deadlineAtMs: 3_600_000,
    deletedAtMs: undefined,
    callbackUrl: undefined,
    dueAtMs: 5_000,
    ...given,
  };
  const { attemptId, requestId, tokenId, provider, keyId, upstreamModel: model, createdAtMs: atMs } = task;
  return { task, opening: anOpening({ attemptId, requestId, tokenId, provider, keyId, model, atMs, ...money }) };
}

export const aStep = (given: Partial<TaskStep> = {}): TaskStep => ({
  state: 'in_progress',
  percent: 10,
  ticket: undefined,
  faults: 0,
  dueAtMs: 20_000,
  ...given,
});

export const anEnd = (given: Partial<TaskEnd> = {}): TaskEnd => ({
  state: 'completed',
  guessed: false,
  percent: 100,
  facts: { seconds: 8, fps: 24, width: 1_280, height: 720 },
  results: [{ kind: 'kept', name: 'a.mp4', mediaType: 'video/mp4', bytes: 9 }],
  error: undefined,
  atMs: 9_000,
  expiresAtMs: 90_000,
  dueAtMs: undefined,
  ...given,
});

/** An end because the time was up: looked at again at `dueAtMs`. */
export const aGuess = (given: Partial<TaskEnd> = {}): TaskEnd =>
  anEnd({
    state: 'failed',
    guessed: true,
    percent: 40,
    facts: {},
    results: [],
    error: { code: 1201, message: 'The time was up.' },
    expiresAtMs: undefined,
    dueAtMs: 30_000,
    ...given,
  });

export function aClosing(
  { task }: { readonly task: Pick<NewTask, 'attemptId' | 'requestId' | 'tokenId'> },
  costNano: bigint,
  given: Partial<AttemptClosing> = {},
): AttemptClosing {
  const { requestId, tokenId, attemptId } = task;
  const estimated = given.estimated ?? false;
  const row = aUsageRow({ requestId, tokenId, endpoint: 'videos', stream: false, costNano, estimated });
  return { attemptId, costNano, estimated, atMs: 9_000, row, ...given };
}
