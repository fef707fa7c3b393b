/** An egress proxy and a provider with a private certificate: what uses the proxy, what does not, no password shown. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from '../harness/certificates.ts';
import { png } from '../harness/operation-calls.ts';
import { type ScriptedProxy, startProxy } from '../harness/proxy.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const password = 'canary-proxy-w0rd';
const folder = mkdtempSync(join(tmpdir(), 'weir-egress-'));
const caFile = join(folder, 'ca.pem');
const { ca, tls } = makeCertificates(['DNS:provider.example', 'DNS:localhost']);
writeFileSync(caFile, ca);

const paths: string[] = [];
let upstream: Bun.Server<undefined>;
let images: ReturnType<typeof Bun.serve>;
let proxy: ScriptedProxy;
const started: RunningWeir[] = [];

beforeAll(async () => {
  upstream = Bun.serve<undefined>({
    port: 0,
    hostname: '127.0.0.1',
    tls,
    fetch(request, server) {
      paths.push(new URL(request.url).pathname);
      if (request.headers.get('upgrade') === 'websocket') {
        return server.upgrade(request) ? undefined : new Response(null, { status: 400 });
      }
      if (request.url.endsWith('/models')) return Response.json({ data: [{ id: 'm' }] });
      if (request.url.endsWith(':generateContent')) {
        const inlineData = { mimeType: 'image/png', data: Buffer.from('made').toString('base64') };
        return Response.json({ candidates: [{ content: { parts: [{ inlineData }] }, finishReason: 'STOP' }] });
      }
      const choice = {
        index: 0,
        message: { role: 'assistant', content: 'hello', refusal: null },
        finish_reason: 'stop',
      };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      return Response.json({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage });
    },
    websocket: {
      open: (socket) => void socket.send(JSON.stringify({ type: 'session.created', session: { id: 's' } })),
      message() {},
    },
  });
  images = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(png()) });
  proxy = await startProxy({ credential: `user:${password}` });
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((weir) => weir.remove()));
  proxy.asked.splice(0);
  proxy.heads.splice(0);
  paths.splice(0);
});
afterAll(async () => {
  proxy.stop();
  await Promise.all([upstream.stop(true), images.stop(true)]);
  rmSync(folder, { recursive: true });
});

const proxyUrl = (word = password): string => proxy.url.replace('//', `//user:${word}@`);

async function start(env: Record<string, string>, more: object = {}, host = 'provider.example'): Promise<RunningWeir> {
  const up = {
    kind: 'openai',
    base_url: `https://${host}:${upstream.port}/v1`,
    key: 'sk-provider',
    models: ['m', 'm-realtime'],
    ...more,
  };
  const weir = await startWeir({ env: { WEIR_LOG_LEVEL: 'debug', ...env }, yaml: { providers: { up } } });
  started.push(weir);
  return weir;
}

async function say(weir: RunningWeir): Promise<string> {
  const reply = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
  });
  return `${reply.status} ${await reply.text()}`;
}

const tunnel = (): string => `CONNECT provider.example:${upstream.port} HTTP/1.1`;

describe('a provider is reached through', () => {
  test('the proxy of the usual variable, and doctor too', async () => {
    const weir = await start({ https_proxy: proxyUrl(), WEIR_EGRESS_CA_FILE: caFile });
    expect(await say(weir)).toContain('200 {"id"');
    expect(proxy.asked).toEqual([tunnel()]);
    const doctor = await weir.command('doctor');
    expect(doctor.stdout).toMatch(/provider up\s+ok\s+1 models/);
    expect(doctor.stdout).toContain(`http://user:***@localhost:${proxy.port}`);
    expect(proxy.asked).toEqual([tunnel(), tunnel()]);
  });

  test('its own proxy with its own certificates', async () => {
    const weir = await start({}, { proxy: proxyUrl(), ca_file: caFile });
    expect(await say(weir)).toContain('200 {"id"');
    expect(proxy.asked).toEqual([tunnel()]);
  });

  test('a tunnel for live conversations as well', async () => {
    const weir = await start({ WEIR_EGRESS_PROXY: proxyUrl(), WEIR_EGRESS_CA_FILE: caFile });
    const client = new SocketClient(`${weir.base}/realtime?model=m-realtime`, { token: weir.token });
    await client.opened;
    while (client.events.length === 0) await Bun.sleep(10);
    expect(client.events[0]?.type).toBe('session.created');
    expect([proxy.asked, paths]).toEqual([[tunnel()], ['/v1/realtime']]);
    client.socket.close();
  });
});

describe('the proxy is not used', () => {
  test('if the host is excluded, or the provider is set to none', async () => {
    const excepted = await start({
      HTTPS_PROXY: proxyUrl(),
      NO_PROXY: 'provider.example',
      WEIR_EGRESS_CA_FILE: caFile,
    });
    const wantsNone = await start({ HTTPS_PROXY: proxyUrl(), WEIR_EGRESS_CA_FILE: caFile }, { proxy: 'none' });
    // Both connect directly, where the name does not resolve.
    for (const weir of [excepted, wantsNone]) expect(await say(weir)).toContain('503 ');
    const here = await start({ HTTPS_PROXY: proxyUrl(), WEIR_EGRESS_CA_FILE: caFile }, {}, 'localhost');
    expect(await say(here)).toContain('200 {"id"');
    expect(proxy.heads).toEqual([]);
  });

  test('for URLs of a caller, which Weir checks and fetches itself', async () => {
    // This model needs the bytes of an image, so Weir fetches the caller's URL.
    const imageModel = 'gemini-2.5-flash-image';
    const weir = await start(
      {
        HTTPS_PROXY: proxyUrl(),
        HTTP_PROXY: proxyUrl(),
        WEIR_EGRESS_CA_FILE: caFile,
        WEIR_EGRESS_ALLOWED_NETWORKS: '127.0.0.1',
      },
      { kind: 'gemini', models: [imageModel] },
    );
    const edit = async (url: string): Promise<string> => {
      const reply = await fetch(`${weir.base}/images/edits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: imageModel, prompt: 'p', images: [{ image_url: url }] }),
      });
      return `${reply.status} ${await reply.text()}`;
    };
    // A name that only the proxy resolves, metadata, and another loopback address: the proxy is not used.
    for (const url of [`http://provider.example:${images.port}/`, 'http://169.254.169.254/', 'http://127.0.0.2/']) {
      expect(await edit(url)).toMatch(/^400 .*no public address/s);
    }
    expect([proxy.heads, paths]).toEqual([[], []]);
    expect(await edit(`http://127.0.0.1:${images.port}/a.png`)).toStartWith('200 ');
    expect([proxy.asked, paths]).toEqual([[tunnel()], [`/v1/models/${imageModel}:generateContent`]]);
  });
});

describe('a failure of the proxy or of TLS', () => {
  test('is provider_unavailable to the caller, does not count against the key, and shows no password', async () => {
    const wrong = await start({ WEIR_EGRESS_PROXY: proxyUrl('canary-wrong-w0rd'), WEIR_EGRESS_CA_FILE: caFile });
    const untrusted = await start({ WEIR_EGRESS_PROXY: proxyUrl() });
    for (const weir of [wrong, untrusted]) {
      const replies = [await say(weir)];
      expect(replies[0]).toMatch(/^503 .*could not be reached/);
      for (const words of [['doctor'], ['doctor', '--json']]) {
        const { stdout, stderr, code } = await weir.command(...words);
        expect(code).toBe(1);
        replies.push(stdout, stderr);
      }
      replies.push(await (await fetch(`${weir.url}/metrics`)).text());
      expect(replies.at(-1)).toContain('weir_attempts_total{provider="up",verdict="target-down"} 1\n');
      expect(replies.at(-1)).toContain('weir_key_state{provider="up",key="');
      expect(replies.at(-1)).not.toMatch(/weir_key_state\{provider="up".*\} [123]/);
      replies.push(weir.output());
      for (const form of [password, 'canary-wrong-w0rd', btoa(`user:${password}`), btoa('user:canary-wrong-w0rd')]) {
        expect(replies.join('\n')).not.toContain(form);
      }
    }
    expect(paths).toEqual([]);
  });
});
