import { expect, test } from 'bun:test';
import type { Details, LearningLogger } from './logger.ts';
import { countOutageLines } from './outage-lines.ts';

function recorder() {
  const lines: [message: string, details: Details][] = [];
  const write = (message: string, details: Details = {}): void => void lines.push([message, details]);
  const due: (() => void)[] = [];
  const plain: LearningLogger = { debug: write, info: write, warn: write, error: write, hide: () => undefined };
  const logger = countOutageLines(plain, { periodMs: 10_000, later: (work) => void due.push(work) });
  const pass = (): void => {
    for (const work of due.splice(0)) work();
  };
  return { lines, logger, pass };
}

const away = Object.assign(new Error('PostgreSQL is away'), { name: 'StoreUnavailableError' });

test('thousands of refusals in an outage are one line and a count; each kind has its own', () => {
  const { lines, logger, pass } = recorder();
  for (let request = 0; request < 5_000; request += 1) logger.error('No attempt.', { requestId: request, cause: away });
  logger.warn('No tokens.', { cause: away });
  expect(lines.map(([message]) => message)).toEqual(['No attempt.', 'No tokens.']);
  expect(lines[0]?.[1]).toEqual({ requestId: 0, cause: away });
  pass();
  expect(lines.slice(2)).toEqual([['No attempt.', { again: 4_999, seconds: 10, cause: away }]]);
  logger.error('No attempt.', { requestId: 9, cause: away });
  expect(lines).toHaveLength(4);
  pass();
  expect(lines).toHaveLength(4);
});

test('every other line is written as it comes: a request id finds its fault in the log', () => {
  const { lines, logger } = recorder();
  for (const requestId of ['a', 'b', 'c'])
    logger.error('A request failed inside Weir.', { requestId, cause: new Error('bug') });
  for (let index = 0; index < 300; index += 1) logger.info('same');
  expect(lines).toHaveLength(303);
});

test('kinds that are counted are bounded, lines are not lost', () => {
  const { lines, logger } = recorder();
  for (let kind = 0; kind < 250; kind += 1) logger.error(`kind ${kind}`, { cause: away });
  expect(lines).toHaveLength(250);
  logger.error('kind 0', { cause: away });
  logger.error('kind 249', { cause: away });
  expect(lines).toHaveLength(251);
});
