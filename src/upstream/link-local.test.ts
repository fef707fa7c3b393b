import { expect, test } from 'bun:test';
import { isLinkLocal, refuseLinkLocal } from './link-local.ts';
import { createWaysOut } from './ways-out.ts';

test.each([
  ['169.254.169.254', true],
  ['169.254.0.1', true],
  ['[fe80::1]', true],
  ['fe80::1%eth0', true],
  ['FEBF::1', true],
  ['::ffff:169.254.169.254', true],
  ['::ffff:a9fe:a9fe', true],
  ['::169.254.169.254', true],
  ['100.100.100.200', true],
  ['fd00:ec2::254', true],
  ['fd00:0ec2:0:0:0:0:0:254', true],
  ['127.0.0.1', false],
  ['10.0.0.1', false],
  ['168.254.169.254', false],
  ['::1', false],
  ['::ffff:127.0.0.1', false],
  ['fd00::1', false],
  ['fec0::1', false],
  ['169.254.169.254.example.org', false],
])('%s', (address, expected) => {
  expect(isLinkLocal(address)).toBe(expected);
});

test('a connection there is refused before it is made', () => {
  expect(() => refuseLinkLocal('metadata.example', '169.254.169.254')).toThrow(/metadata\.example leads to 169\.254/);
  expect(() => refuseLinkLocal('here', '127.0.0.1')).not.toThrow();
});

test('a guarded way out asks the same server as any other, but never there', async () => {
  const egress = { proxy: { http: undefined, https: undefined }, noProxy: [], ca: undefined };
  const ways = createWaysOut({ connectTimeoutMs: 500, egress });
  const { transport } = ways.of({ guarded: true });
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') });
  const ask = (url: string) =>
    transport({ url, method: 'GET', headers: {}, signal: AbortSignal.timeout(2_000) }).then(({ status }) => status);
  try {
    expect(await ask(`http://127.0.0.1:${server.port}/`)).toBe(200);
    expect(await ask(`http://localhost:${server.port}/`)).toBe(200);
    const refused = ask('http://169.254.169.254/latest/meta-data');
    expect(refused).rejects.toMatchObject({ code: 'ERR_ADDRESS_REFUSED' });
    await refused.catch(() => undefined);
    expect(ways.of({ guarded: true })).toBe(ways.of({ guarded: true }));
    expect(ways.of({}).transport).not.toBe(transport);
  } finally {
    ways.close();
    await server.stop(true);
  }
});
