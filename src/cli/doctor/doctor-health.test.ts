import { expect, test } from 'bun:test';
import type { ProviderHealthView } from '../../admin/contracts/health-contract.ts';
import { checkHealth } from './doctor-health.ts';

const nowMs = Date.parse('2026-11-16T12:00:00Z');
const provider = (given: Partial<ProviderHealthView>): ProviderHealthView => ({
  ...{ provider: 'up', state: 'healthy', attempts: 0, failed: 0, inFlight: 0, minutes: [] },
  ...given,
});

test('providers that were called have a line with state, figures and the last error; others have none', () => {
  const lastError = {
    at: '2026-11-16T11:57:50Z',
    status: 401,
    code: 'x',
    message: 'Bad\u001b key.',
    model: 'm',
    keyId: 'k',
  };
  const checks = checkHealth(
    [
      provider({ attempts: 7, failed: 0, totalMs: { p50: 80, p95: 200 } }),
      provider({
        provider: 'sick',
        state: 'degraded',
        attempts: 138,
        failed: 57,
        firstTokenMs: { p50: 126, p95: 300 },
      }),
      provider({ provider: 'dead', state: 'key-rejected', lastError }),
      provider({ provider: 'new', state: 'no-data' }),
    ],
    nowMs,
  );
  expect(checks.map(({ name, state, detail }) => `${name} | ${state} | ${detail}`)).toEqual([
    'health up | ok | healthy; 7 attempts in the last hour, 0 failed (0 %); total p50 80 ms, p95 200 ms',
    'health sick | warning | degraded; 138 attempts in the last hour, 57 failed (41.3 %); first token p50 126 ms, p95 300 ms',
    expect.stringMatching(
      /^health dead \| warning \| key rejected; no attempts in the last hour; last error 2 min ago: HTTP 401 Bad\S* key\.$/,
    ),
  ]);
  expect(checks.map(({ detail }) => detail).join('')).not.toContain('\u001b');
});
