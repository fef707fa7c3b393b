import { afterAll, expect, test } from 'bun:test';
import { startCollector } from '../../../test/harness/collector.ts';
import { loadConfig } from '../../config/load.ts';
import { createEgressRoutes } from '../../upstream/egress-routes.ts';
import { checkCollector } from './check-collector.ts';

const collector = startCollector();
const egress = { proxy: { http: undefined, https: undefined }, noProxy: [], ca: undefined };
const routes = createEgressRoutes({ connectTimeoutMs: 5_000, egress });
afterAll(async () => {
  routes.close();
  await collector.stop();
});

function check(endpoint: string, more: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
  const environment = { WEIR_TELEMETRY_ENDPOINT: endpoint, ...more };
  const { telemetry } = loadConfig({ environment, workingFolder: '/srv', readFile: () => undefined });
  if (telemetry === undefined) throw new Error('telemetry is off');
  return checkCollector(telemetry, routes.of({}).transport);
}

test('a collector that accepts an empty export is well, in both encodings', async () => {
  expect(await check(collector.url)).toBeUndefined();
  expect(await check(collector.url, { WEIR_TELEMETRY_PROTOCOL: 'http/json' })).toBeUndefined();
  expect(collector.requests.map(({ path }) => path)).toEqual(['/v1/traces', '/v1/traces']);
});

test('one that refuses or is away says why', async () => {
  for (const status of [401, 404, 503]) {
    collector.answer = { status };
    expect(await check(collector.url)).toBe(`status ${status}`);
  }
  expect(await check('http://127.0.0.1:9')).toBeTruthy();
});
