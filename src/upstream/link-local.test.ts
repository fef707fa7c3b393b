import { expect, test } from 'bun:test';
import { createEgressRoutes } from './egress-routes.ts';
import { createHttpTransport } from './http1/http-transport.ts';
import { isLinkLocal, refuseLinkLocal } from './link-local.ts';

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
  ['fd00:ec2::23', true],
  ['fd20:ce::254', true],
  ['192.0.0.192', true],
  ['168.63.129.16', true],
  ['64:ff9b::a9fe:a9fe', true],
  ['64:ff9b::169.254.169.254', true],
  ['64:ff9b::100.100.100.200', true],
  ['64:ff9b:1::a9fe:a9fe', true],
  ['64:ff9b:1:a9fe:a9:fe00::', true],
  ['64:ff9b:1:2a9:fe:a9fe::', true],
  ['64:ff9b:1:2:a9:fea9:fe00:0', true],
  ['::ffff:0:169.254.169.254', true],
  ['2002:a9fe:a9fe::1', true],
  ['2002:a9fe:1::', true],
  ['2001:0:a9fe:a9fe::', true],
  ['2001:0:1:2:3:4:5601:5601', true],
  ['2001:db8::5efe:169.254.169.254', true],
  ['2001:db8::200:5efe:a9fe:a9fe', true],
  ['64:ff9b::8.8.8.8', false],
  ['64:ff9b:1::8.8.8.8', false],
  ['2002:808:808::1', false],
  ['2001:4860:4860::8888', false],
  ['2606:4700::a9fe:a9fe', false],
  ['192.0.0.193', false],
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

test('a name that leads there is refused at the address that would be connected to', async () => {
  let asked = '';
  const transport = createHttpTransport({
    connectTimeoutMs: 60_000,
    checkAddress: refuseLinkLocal,
    resolveHost: async (host) => {
      asked = host;
      return ['64:ff9b::a9fe:a9fe'];
    },
  });
  const asking = transport({
    url: 'http://innocent.example/',
    method: 'GET',
    headers: {},
    signal: AbortSignal.timeout(60_000),
  });
  await expect(asking).rejects.toMatchObject({ code: 'ERR_ADDRESS_REFUSED' });
  expect(asked).toBe('innocent.example');
  transport.close();
});

test('a connection there is refused before it is made', () => {
  expect(() => refuseLinkLocal('metadata.example', '169.254.169.254')).toThrow(/metadata\.example leads to 169\.254/);
  expect(() => refuseLinkLocal('here', '127.0.0.1')).not.toThrow();
});

test('guarded egress calls the same server as any other, but never a link-local address', async () => {
  const egress = { proxy: { http: undefined, https: undefined }, noProxy: [], ca: undefined };
  const routes = createEgressRoutes({ connectTimeoutMs: 60_000, egress });
  const { transport } = routes.of({ guarded: true });
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') });
  const ask = (url: string) =>
    transport({ url, method: 'GET', headers: {}, signal: AbortSignal.timeout(60_000) }).then(({ status }) => status);
  try {
    expect(await ask(`http://127.0.0.1:${server.port}/`)).toBe(200);
    expect(await ask(`http://localhost:${server.port}/`)).toBe(200);
    const refused = ask('http://169.254.169.254/latest/meta-data');
    expect(refused).rejects.toMatchObject({ code: 'ERR_ADDRESS_REFUSED' });
    await refused.catch(() => undefined);
    expect(routes.of({ guarded: true })).toBe(routes.of({ guarded: true }));
    expect(routes.of({}).transport).not.toBe(transport);
  } finally {
    routes.close();
    await server.stop(true);
  }
});
