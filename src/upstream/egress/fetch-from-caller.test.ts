/** The guard against real sockets and a resolver that lies: nothing but admitted addresses is ever connected to. */

import { afterEach, describe, expect, test } from 'bun:test';
import { until } from '../../../test/harness/scripted-server.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { createEgress, type EgressOptions, type FetchLimits } from './fetch-from-caller.ts';

const opened: { stop(): void }[] = [];
afterEach(() => {
  for (const { stop } of opened.splice(0)) stop();
});

interface Seen {
  readonly port: number;
  connections: number;
  readonly requests: string[];
  open: number;
}

/** Answers each request with the next of the given bytes, the last one again and again. */
function startServer(answers: readonly string[], hostname = '127.0.0.1', port = 0): Seen {
  const seen = { port: 0, connections: 0, requests: [] as string[], open: 0 };
  const listener = Bun.listen({
    hostname,
    port,
    socket: {
      open() {
        seen.connections += 1;
        seen.open += 1;
      },
      close() {
        seen.open -= 1;
      },
      data(socket, bytes) {
        seen.requests.push(bytes.toString('latin1'));
        socket.write(answers[Math.min(seen.requests.length, answers.length) - 1] ?? '');
      },
    },
  });
  seen.port = listener.port;
  opened.push({ stop: () => listener.stop(true) });
  return seen;
}

const media = (body: string, type = 'image/png', ...more: string[]) =>
  `HTTP/1.1 200 OK\r\n${[`content-type: ${type}`, `content-length: ${body.length}`, ...more].join('\r\n')}\r\n\r\n${body}`;
const redirect = (location: string, status = 302) =>
  `HTTP/1.1 ${status} Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;

const onlyHome: EgressOptions = { admitsAddress: (address) => address === '127.0.0.1' };
const limits: FetchLimits = { bytesMax: 1_000, timeoutMs: 2_000, mediaTypes: ['image/*'], param: 'image_url' };

function fetchWith(options: EgressOptions, url: string, given: Partial<FetchLimits> = {}) {
  const egress = createEgress(options);
  opened.push({ stop: () => egress.close() });
  return egress.fetchFromCaller(url, { ...limits, ...given });
}

async function refusal(fetching: Promise<unknown>): Promise<string> {
  const error = await fetching.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({ status: 400, code: 'field_invalid', param: 'image_url' });
  return error instanceof Error ? error.message : '';
}

describe('what is public', () => {
  test('is fetched, without cookies or credentials', async () => {
    const seen = startServer([media('picture', 'Image/PNG; q=1', 'set-cookie: a=b'), media('again')]);
    const egress = createEgress(onlyHome);
    opened.push({ stop: () => egress.close() });
    const url = `http://127.0.0.1:${seen.port}/a?b=c`;
    const fetched = await egress.fetchFromCaller(url, limits);
    expect(Buffer.from(fetched.bytes).toString()).toBe('picture');
    expect(fetched.mediaType).toBe('image/png');
    await egress.fetchFromCaller(url, limits);
    expect(seen.requests[0]).toStartWith('GET /a?b=c HTTP/1.1\r\n');
    for (const request of seen.requests) expect(request).not.toMatch(/cookie|authorization|referer/i);
  });

  test('is asked by its name, which is resolved once per connection', async () => {
    const seen = startServer([media('picture')]);
    const asked: string[] = [];
    const resolveHost = async (host: string) => {
      asked.push(host);
      return ['127.0.0.1'];
    };
    const url = `http://images.example:${seen.port}/`;
    await fetchWith({ ...onlyHome, resolveHost }, url);
    expect(asked).toEqual(['images.example']);
    expect(seen.requests[0]).toContain(`host: images.example:${seen.port}`);
  });
});

describe('what is not public', () => {
  const spellings = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '127%2e0.0.1',
    '１２７.0.0.1',
    '0',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fd00::1]',
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    'localhost',
    'LOCALHOST',
    'localhost.',
  ];
  test.each(spellings)('is refused as http://%s/', async (host) => {
    const seen = startServer([media('secret')]);
    expect(await refusal(fetchWith({}, `http://${host}:${seen.port}/`))).toMatch(/no public address|unusual way/);
    expect(seen.connections).toBe(0);
  });

  test.each(['0x08080808', '134744072', '8.8.2056', '010.8.8.8', '8.8.8.8.'])('is what %s disguises', async (host) => {
    expect(await refusal(fetchWith({}, `http://${host}/`))).toContain('unusual way');
  });

  test('is refused where any of a name’s addresses is', async () => {
    const seen = startServer([media('secret')]);
    const resolveHost = async () => ['93.184.216.34', '127.0.0.1'];
    const message = await refusal(fetchWith({ resolveHost }, `http://both.example:${seen.port}/`));
    expect(message).toContain('no public address');
    expect(seen.connections).toBe(0);
  });

  test('is refused when a name turns to it', async () => {
    const home = startServer([`${media('picture').replace('\r\n', '\r\nconnection: close\r\n')}`]);
    const inner = startServer([media('secret')], '127.0.0.2', home.port);
    const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.1'];
    const egress = createEgress({ ...onlyHome, resolveHost: async () => [answers.shift() ?? '127.0.0.2'] });
    opened.push({ stop: () => egress.close() });
    const url = `http://turning.example:${home.port}/`;
    await egress.fetchFromCaller(url, limits);
    expect(await refusal(egress.fetchFromCaller(url, limits))).toContain('no public address');
    await egress.fetchFromCaller(url, limits);
    expect([home.connections, inner.connections, answers.length]).toEqual([2, 0, 0]);
  });

  test('reads like what does not exist', async () => {
    const missing = async (): Promise<string[]> => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    const hidden = await refusal(fetchWith({ resolveHost: async () => ['10.1.2.3'] }, 'http://db.internal/'));
    expect(await refusal(fetchWith({ resolveHost: missing }, 'http://db.internal/'))).toBe(hidden);
    expect(await refusal(fetchWith({ resolveHost: async () => [] }, 'http://db.internal/'))).toBe(hidden);
    expect(hidden).not.toContain('10.1.2.3');
  });
});

describe('redirects', () => {
  test('are followed up to three, and no further', async () => {
    const seen = startServer([redirect('/1', 301), redirect('/2', 307), redirect('3', 308), media('picture')]);
    const url = `http://127.0.0.1:${seen.port}/a/b`;
    expect(Buffer.from((await fetchWith(onlyHome, url)).bytes).toString()).toBe('picture');
    expect(seen.requests.map((request) => request.split(' ', 2)[1])).toEqual(['/a/b', '/1', '/2', '/3']);
    const loop = startServer([redirect('/again')]);
    expect(await refusal(fetchWith(onlyHome, `http://127.0.0.1:${loop.port}/`))).toContain('more than 3 times');
    expect(loop.requests.length).toBe(4);
  });

  test.each([
    ['a private address', (port: number) => `http://127.0.0.2:${port}/`, 'no public address'],
    ['a name of one', (port: number) => `//inner.example:${port}/`, 'no public address'],
    ['a disguised one', (port: number) => `http://2130706434:${port}/`, 'unusual way'],
    ['a disguised one without a scheme', (port: number) => `//0x7f000002:${port}/`, 'unusual way'],
    ['metadata', () => 'http://169.254.169.254/latest/meta-data', 'no public address'],
    ['another scheme', () => 'file:///etc/passwd', 'neither http nor https'],
    ['a credential', () => 'http://user:word@127.0.0.1/', 'user name or password'],
  ])('to %s are refused', async (_what, locationOf, message) => {
    const inner = startServer([media('secret')], '127.0.0.2');
    const seen = startServer([redirect(locationOf(inner.port))]);
    const options = { ...onlyHome, resolveHost: async () => ['127.0.0.2'] };
    expect(await refusal(fetchWith(options, `http://127.0.0.1:${seen.port}/`))).toContain(message);
    expect([seen.requests.length, inner.connections]).toEqual([1, 0]);
  });
});

describe('caps', () => {
  test.each([
    ['announced', media('x'.repeat(1_001)).slice(0, -1_000)],
    [
      'in chunks',
      `HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ntransfer-encoding: chunked\r\n\r\nffff\r\n${'x'.repeat(1_001)}`,
    ],
  ])('of size: one byte too many, %s', async (_how, answer) => {
    const seen = startServer([answer]);
    expect(await refusal(fetchWith(onlyHome, `http://127.0.0.1:${seen.port}/`))).toContain('more than 1000 bytes');
    await until(() => seen.open === 0);
  });

  test('of size: exactly, and one below', async () => {
    const seen = startServer([media('x'.repeat(1_000)), media('x'.repeat(999))]);
    const url = `http://127.0.0.1:${seen.port}/`;
    expect((await fetchWith(onlyHome, url)).bytes.length).toBe(1_000);
    expect((await fetchWith(onlyHome, url)).bytes.length).toBe(999);
  });

  test.each([
    ['no answer', ''],
    ['an answer that drips', 'HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 10\r\n\r\nx'],
  ])('of time: %s', async (_what, answer) => {
    const seen = startServer([answer]);
    const url = `http://127.0.0.1:${seen.port}/`;
    expect(await refusal(fetchWith(onlyHome, url, { timeoutMs: 50 }))).toContain('within 0.05 s');
    await until(() => seen.open === 0);
  });

  test('of time: also for a resolver that never answers', async () => {
    const resolveHost = () => new Promise<string[]>(() => {});
    expect(await refusal(fetchWith({ ...onlyHome, resolveHost }, 'http://a.example/', { timeoutMs: 50 }))).toContain(
      'within',
    );
  });

  test.each([
    ['text/html', 'text/html, not image/*'],
    ['imagex/png', 'imagex/png'],
    ['', 'no known type'],
  ])('of type: %s', async (type, message) => {
    const seen = startServer([media('x', type)]);
    expect(await refusal(fetchWith(onlyHome, `http://127.0.0.1:${seen.port}/`))).toContain(message);
  });

  test.each([404, 500, 206, 304])('of status: %d', async (status) => {
    const seen = startServer([`HTTP/1.1 ${status} X\r\ncontent-type: image/png\r\ncontent-length: 0\r\n\r\n`]);
    expect(await refusal(fetchWith(onlyHome, `http://127.0.0.1:${seen.port}/`))).toContain(`status ${status}`);
  });

  test('of ports', async () => {
    const seen = startServer([media('x')]);
    const url = `http://127.0.0.1:${seen.port}/`;
    expect(await refusal(fetchWith({ ...onlyHome, portsAllowed: [80, 443] }, url))).toContain(`port ${seen.port}`);
    expect(seen.connections).toBe(0);
    await fetchWith({ ...onlyHome, portsAllowed: [seen.port] }, url);
  });
});

test.each([
  ['ftp://example.com/', 'neither http'],
  ['data:image/png;base64,AA==', 'neither http'],
  ['file:///etc/passwd', 'neither http'],
  ['/etc/passwd', 'not a URL'],
  ['', 'not a URL'],
  ['http://', 'not a URL'],
  ['http://[::1', 'not a URL'],
  ['http://user@example.com/', 'user name'],
  ['http://:word@example.com/', 'user name'],
  ['http://example.com\\@127.0.0.1/', 'no URL may hold'],
  ['http://exam\nple.com/', 'no URL may hold'],
  [' http://example.com/', 'no URL may hold'],
  [`http://example.com/${'x'.repeat(8_192)}`, 'longer than'],
])('%s is refused unseen', async (url, message) => {
  const asked: string[] = [];
  const resolveHost = async (host: string) => {
    asked.push(host);
    return ['127.0.0.1'];
  };
  expect(await refusal(fetchWith({ resolveHost }, url))).toContain(message);
  expect(asked).toEqual([]);
});

test('a caller that leaves ends it with its own reason', async () => {
  const seen = startServer(['']);
  const leaving = new AbortController();
  const fetching = fetchWith(onlyHome, `http://127.0.0.1:${seen.port}/`, { signal: leaving.signal });
  await until(() => seen.requests.length === 1);
  leaving.abort(new Error('gone'));
  await expect(fetching).rejects.toThrow('gone');
  await until(() => seen.open === 0);
});
