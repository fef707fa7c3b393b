/** URLs from callers: whatever URL a caller names, Weir connects to nothing that is not public or allowed. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { errorOf } from '../harness/chat.ts';
import { settledLedger, totalCostNano } from '../harness/ledger-rows.ts';
import { postTo } from '../harness/operation-calls.ts';
import { type OperationsUpstream, startOperationsUpstream } from '../harness/operations-upstream.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

/** The one address that the second Weir may fetch from; it may not reach the rest of the loopback network. */
const allowed = '127.0.0.2';
/** An image of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);

/** Listens where no connection may arrive, and counts connections. */
interface Canary {
  readonly port: number;
  hits: number;
  stop(): void;
}

function startCanary(hostname: string): Canary {
  const canary = { port: 0, hits: 0, stop: () => listener.stop(true) };
  const listener = Bun.listen({
    hostname,
    port: 0,
    socket: {
      open(socket) {
        canary.hits += 1;
        socket.end('HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 1\r\n\r\nx');
      },
      data() {},
    },
  });
  canary.port = listener.port;
  return canary;
}

let canary: Canary;
let canary6: Canary | undefined;
let upstream: OperationsUpstream;
let closed: RunningWeir;
let open: RunningWeir;
let images: Bun.Server<undefined>;
const fetched: string[] = [];

/** An image, or what the path asks for. */
function serve(request: Request): Response {
  const { pathname, searchParams } = new URL(request.url);
  fetched.push(pathname);
  const to = searchParams.get('to');
  if (to !== null)
    return new Response(null, { status: Number(searchParams.get('status') ?? 302), headers: { location: to } });
  if (pathname === '/page') return new Response('<html>', { headers: { 'content-type': 'text/html' } });
  if (pathname === '/none') return new Response('no', { status: 404 });
  const bytes = pathname === '/large' ? new Uint8Array(20 * 1_024 * 1_024 + 1) : pixel;
  return new Response(bytes, { headers: { 'content-type': 'image/png' } });
}

beforeAll(async () => {
  canary = startCanary('127.0.0.1');
  try {
    canary6 = startCanary('::1');
  } catch {
    console.warn('This machine has no IPv6 loopback: its addresses are tried without a listener behind them.');
  }
  upstream = startOperationsUpstream();
  images = Bun.serve({ hostname: allowed, port: 0, fetch: serve });
  const place = { base_url: upstream.base, key: 'sk-upstream' };
  const yaml = {
    providers: {
      up: { kind: 'openai-chat', ...place, models: ['m', 'by-address'] },
      bytes: { kind: 'gemini', ...place, models: ['gemini-2.5-flash-image'] },
    },
    prices: { m: { image: 1 }, 'by-address': { image: 1 } },
  };
  [closed, open] = await Promise.all([
    startWeir({ yaml }),
    startWeir({ yaml, env: { WEIR_EGRESS_ALLOWED_NETWORKS: `${allowed}/32` } }),
  ]);
});
afterAll(async () => {
  await Promise.all([closed?.remove(), open?.remove(), upstream?.stop(), images?.stop(true)]);
  canary?.stop();
  canary6?.stop();
});
afterEach(() => {
  expect([canary.hits, canary6?.hits ?? 0]).toEqual([0, 0]);
  upstream.reset();
  fetched.length = 0;
});

const edit = (weir: RunningWeir, fields: object, model = 'sandbox-image') =>
  postTo(weir, '/images/edits', { model, prompt: 'make it red', ...fields });
const image = (url: string) => ({ images: [{ image_url: url }] });
const legal = (path = '/a.png') => `http://${allowed}:${images.port}${path}`;

/** Every spelling of an address that is not public, with the canary's port if there is one. */
function forbidden(): string[] {
  const at = (host: string, port = canary.port) => `http://${host}:${port}/a.png`;
  const loopback = ['127.0.0.1', 'localhost', 'LOCALHOST', 'localhost.', '127.1', '2130706433', '0x7f000001', '0x7f.1'];
  const odd = ['0177.0.0.1', '127.0.0.1.', '127%2e0.0.1', '１２７.0.0.1', '0', '0.0.0.0', 'a@127.0.0.1', '127.0.0.3'];
  const six = ['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]'];
  const others = ['10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '169.254.169.254', '[fd00::1]', '[fe80::1]'];
  return [
    ...[...loopback, ...odd].map((host) => at(host)),
    ...six.flatMap((host) => [at(host), at(host, canary6?.port ?? canary.port)]),
    ...others.map((host) => `http://${host}/latest/meta-data/`),
    ...[
      'http://metadata.google.internal/',
      'http://instance-data/',
      'https://127.0.0.1/',
      `https://localhost:${canary.port}/`,
    ],
    ...[`http://example.com\\@127.0.0.1:${canary.port}/`, `http://127.0.0.1:${canary.port}#@example.com/`],
    ...[
      `http://no-such-name.invalid:${canary.port}/`,
      'http://broadcasthost/',
      'http://255.255.255.255/',
      'http://224.0.0.1/',
    ],
  ];
}

describe('URLs that are not public', () => {
  test('are 400, name their field, and nothing connects to them', async () => {
    const addresses = forbidden();
    expect(addresses.length).toBeGreaterThan(40);
    for (const address of addresses) {
      const reply = await edit(closed, image(address));
      const { code, param } = await errorOf(reply);
      expect([address, reply.status, code, param]).toEqual([address, 400, 'field_invalid', 'images[0].image_url']);
      expect([address, canary.hits]).toEqual([address, 0]);
    }
  }, 300_000);

  test.each([
    ['a bare text', { image: `http://127.0.0.1/` }, 'image'],
    ['a list of texts', { images: ['http://127.0.0.1/'] }, 'images[0]'],
    ['the chat format’s nesting', { images: [{ image_url: { url: 'http://127.0.0.1/' } }] }, 'images[0].image_url'],
    [
      'the mask',
      {
        images: [{ image_url: `data:image/png;base64,${pixel.toString('base64')}` }],
        mask: { image_url: 'http://127.0.0.1/' },
      },
      'mask.image_url',
    ],
  ])('are refused in every field: %s', async (_, fields, param) => {
    const reply = await edit(closed, fields);
    expect([reply.status, (await errorOf(reply)).param]).toEqual([400, param]);
  });

  test('are refused beside the network that is allowed', async () => {
    for (const address of forbidden())
      expect([address, (await edit(open, image(address))).status]).toEqual([address, 400]);
  }, 300_000);

  test('are refused if an allowed URL redirects to them', async () => {
    const port = canary.port;
    const targets = [
      ...[
        `http://127.0.0.1:${port}/`,
        `http://localhost:${port}/`,
        `//127.0.0.1:${port}/`,
        `http://2130706433:${port}/`,
      ],
      ...[`http://[::1]:${canary6?.port ?? port}/`, 'http://169.254.169.254/latest/', 'file:///etc/passwd'],
      ...[`http://0x7f000001:${port}/`, `https://127.0.0.1:${port}/`, `http://user@127.0.0.1:${port}/`],
    ];
    for (const target of targets)
      for (const status of [301, 302, 303, 307, 308]) {
        const address = legal(`/go?status=${status}&to=${encodeURIComponent(target)}`);
        const reply = await edit(open, image(address));
        const { param } = await errorOf(reply);
        expect([target, status, reply.status, param]).toEqual([target, status, 400, 'images[0].image_url']);
      }
    expect(fetched.every((path) => path === '/go')).toBe(true);
    expect(fetched.length).toBe(targets.length * 5);
  });

  test('cost nothing and open no attempt', async () => {
    await until(async () => (await settledLedger(closed)).usage.length > 40);
    const { usage, attempts } = await settledLedger(closed);
    expect(totalCostNano(usage)).toBe(0n);
    expect(attempts).toEqual([]);
  });
});

describe('an allowed URL', () => {
  test('is fetched for a provider that fetches nothing itself', async () => {
    const reply = await edit(open, { ...image(legal()), response_format: 'b64_json' });
    const { data } = (await reply.json()) as { data: { b64_json: string }[] };
    expect([reply.status, data[0]?.b64_json.slice(0, 8)]).toEqual([200, 'iVBORw0K']);
    expect(fetched).toEqual(['/a.png']);
    expect((await edit(open, image(legal(`/go?to=${encodeURIComponent(legal('/b.png'))}`)))).status).toBe(200);
    expect(fetched).toEqual(['/a.png', '/go', '/b.png']);
  });

  test('is not fetched if the operator allowed nothing', async () => {
    expect((await edit(closed, image(legal()))).status).toBe(400);
    expect(fetched).toEqual([]);
  });

  test.each([
    ['/page', 'text/html'],
    ['/none', '404'],
    ['/large', '20971520'],
  ])('without an image within limits is a 400: %s', async (path, why) => {
    const reply = await edit(open, image(legal(path)));
    const { param, message } = await errorOf(reply);
    expect([reply.status, param]).toEqual([400, 'images[0].image_url']);
    expect(message).toContain(why);
  });

  test('is fetched for a provider whose wire takes only bytes, which gets them', async () => {
    await (await edit(open, image(legal()), 'gemini-2.5-flash-image')).text();
    expect(fetched).toEqual(['/a.png']);
    const [entry, ...others] = upstream.entries;
    expect(others).toEqual([]);
    expect(new TextDecoder().decode(entry?.body)).toContain(pixel.toString('base64'));
    upstream.reset();
    const refused = await edit(open, image(`http://127.0.0.1:${canary.port}/`), 'gemini-2.5-flash-image');
    expect([refused.status, (await errorOf(refused)).param]).toEqual([400, 'images[0].image_url']);
    expect(upstream.entries).toEqual([]);
  });
});

describe('if the provider takes URLs', () => {
  test('they are passed on untouched and nothing is fetched', async () => {
    for (const address of [`http://127.0.0.1:${canary.port}/a.png`, legal(), 'https://example.com/a.png']) {
      upstream.reset();
      const body = JSON.stringify({ model: 'm', prompt: 'x', ...image(address), extra: 1 });
      expect((await postTo(closed, '/images/edits', body)).status).toBe(200);
      expect(upstream.entries.map((entry) => new TextDecoder().decode(entry.body))).toEqual([body]);
    }
    expect(fetched).toEqual([]);
  });

  test('those to be moderated too', async () => {
    const part = { type: 'image_url', image_url: { url: `http://127.0.0.1:${canary.port}/a.png` } };
    const body = JSON.stringify({ model: 'm', input: [part] });
    expect((await postTo(closed, '/moderations', body)).status).toBe(200);
    expect(upstream.entries.map((entry) => new TextDecoder().decode(entry.body))).toEqual([body]);
    expect((await postTo(closed, '/moderations', { model: 'sandbox-moderate', input: [part] })).status).toBeLessThan(
      500,
    );
  });
});

describe('a provider that answers with a URL', () => {
  const make = (weir: RunningWeir, prompt: string, response_format?: string) =>
    postTo(weir, '/images/generations', { model: 'by-address', prompt, ...(response_format && { response_format }) });

  test('has it fetched if the caller wants the image itself', async () => {
    const reply = await make(open, legal(), 'b64_json');
    expect(((await reply.json()) as { data: object[] }).data).toEqual([{ b64_json: pixel.toString('base64') }]);
    expect(reply.headers.get('x-weir-losses')).toBeNull();
    expect(fetched).toEqual(['/a.png']);
  });

  test('has it passed on if the caller does not', async () => {
    for (const format of [undefined, 'url']) {
      const reply = await make(open, legal(), format);
      expect(((await reply.json()) as { data: object[] }).data).toEqual([{ url: legal() }]);
    }
    expect(fetched).toEqual([]);
  });

  test('cannot make Weir connect to what is not public; the image is charged, and its URL stays', async () => {
    for (const address of [`http://127.0.0.1:${canary.port}/`, 'http://169.254.169.254/', legal('/page')]) {
      const reply = await make(open, address, 'b64_json');
      expect(((await reply.json()) as { data: object[] }).data).toEqual([{ url: address }]);
      expect(reply.headers.get('x-weir-losses')).toContain('b64_json');
      expect(Number(reply.headers.get('x-weir-cost-usd'))).toBe(1);
    }
  });
});
