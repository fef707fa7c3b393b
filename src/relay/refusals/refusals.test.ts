import { expect, test } from 'bun:test';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { RequestError, UsageRow } from '../../ledger/ledger.ts';
import { Refusals, type RefusedRequest } from './refusals.ts';

const minute = 60_000;

function bench() {
  const rows: UsageRow[] = [];
  const errors: RequestError[] = [];
  const lines: string[] = [];
  let nowMs = 10 * minute;
  let ids = 0;
  let observed = 0;
  const refusals = new Refusals({
    ledger: { record: (row) => rows.push(row), recordError: (error) => errors.push(error) },
    nowMs: () => nowMs,
    wallMs: () => nowMs,
    observe: ({ model }) => {
      expect(model).toBe('');
      observed += 1;
    },
    info: (message) => lines.push(message),
  });
  const limited = new GatewayError('rate_limited', 'Too many.');
  const refuse = (given: Partial<RefusedRequest> = {}, error: unknown = limited): void => {
    ids += 1;
    const request = { requestId: `req_${ids}`, tokenId: 't', endpoint: 'chat', model: 'm', startedAtMs: nowMs };
    refusals.record({ ...request, ...given }, error);
  };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { rows, errors, lines, refusals, refuse, pass, observed: () => observed };
}

const counts = (rows: readonly UsageRow[]) => rows.filter(({ requests }) => requests !== undefined);

test('a refusal is a row without cost, an error with its message, and a line of the log', () => {
  const { rows, errors, lines, refuse } = bench();
  refuse({ startedAtMs: 10 * minute - 7 }, new GatewayError('model_not_found', 'No such model.'));
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    ...{ requestId: 'req_1', atMs: 10 * minute - 7, tokenId: 't', endpoint: 'chat', model: 'm', provider: '' },
    ...{ status: 404, code: 'model_not_found', attempts: 0, costNano: 0n, totalMs: 7 },
  });
  expect(errors).toMatchObject([
    { requestId: 'req_1', attempt: 0, code: 'model_not_found', message: 'No such model.' },
  ]);
  expect(lines).toEqual(['A request was refused.']);
});

test('an error that knows its token names it, and an error of the program is an internal one', () => {
  const { rows, refuse } = bench();
  refuse({ tokenId: '' }, new GatewayError('token_expired', 'Over.', { tokenId: 'known' }));
  refuse({ tokenId: '' }, new GatewayError('token_unknown', 'Who?'));
  refuse({}, new TypeError('oops'));
  expect(rows.map(({ tokenId, code, status }) => [tokenId, code, status])).toEqual([
    ['known', 'token_expired', 401],
    ['', 'token_unknown', 401],
    ['t', 'internal_error', 500],
  ]);
});

test('above the ceiling of a token the rest of the minute is counted, by endpoint and code', () => {
  const { rows, errors, lines, refusals, refuse, pass, observed } = bench();
  for (let at = 0; at < 100; at += 1) refuse();
  refuse({ endpoint: 'embeddings', model: 'e' });
  refuse({ tokenId: 'other' });
  expect(rows).toHaveLength(61);
  expect(counts(rows)).toEqual([]);
  refusals.flush();
  expect(rows).toHaveLength(61);
  pass(minute);
  refusals.flush();
  expect(
    counts(rows).map(({ requestId, endpoint, model, requests }) => [requestId, endpoint, model, requests]),
  ).toEqual([
    ['req_61', 'chat', 'm', 40],
    ['req_101', 'embeddings', 'e', 1],
  ]);
  expect(errors.at(-2)?.message).toBe('40 requests like this one. Too many.');
  expect(lines.at(-2)).toBe('40 requests were refused.');
  expect(observed()).toBe(102);
  refusals.flush();
  expect(rows).toHaveLength(63);
});

test('a new minute has room again, and a shutdown writes what was counted', () => {
  const { rows, refusals, refuse, pass } = bench();
  for (let at = 0; at < 61; at += 1) refuse();
  pass(minute);
  refuse();
  expect(rows).toHaveLength(62);
  for (let at = 0; at < 62; at += 1) refuse();
  refusals.flush(true);
  expect(counts(rows).map(({ requests }) => requests)).toEqual([1, 3]);
});

test('counted requests of several models name none', () => {
  const { rows, refusals, refuse } = bench();
  for (let at = 0; at < 63; at += 1) refuse({ model: `m${at}` });
  refusals.flush(true);
  expect(counts(rows).map(({ model, requests }) => [model, requests])).toEqual([['', 3]]);
});

test('however many tokens and endpoints, the rows of a minute are bounded and none is uncounted', () => {
  const { rows, refusals, refuse } = bench();
  for (let at = 0; at < 5_000; at += 1) refuse({ tokenId: `t${at}` });
  expect(rows).toHaveLength(600);
  refusals.flush(true);
  expect(counts(rows).length).toBeLessThanOrEqual(1_001);
  expect(rows.reduce((sum, { requests = 1 }) => sum + requests, 0)).toBe(5_000);
});
