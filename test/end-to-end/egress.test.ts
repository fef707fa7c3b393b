/** An egress proxy and a provider with a private certificate: what uses the proxy, what does not, no password shown. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from '../harness/certificates.ts';
import { png } from '../harness/operation-calls.ts';
import { type ScriptedProxy, startProxy } from '../harness/proxy.ts';
import { SocketClient } from '../harness/socket-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, runWeir, startWeir } from '../harness/weir.ts';

const password = 'canary-proxy-w0rd';
const folder = mkdtempSync(join(tmpdir(), 'weir-egress-'));
const caFile = join(folder, 'ca.pem');
const { ca, tls } = makeCertificates(['provider.example', 'images.example', 'localhost']);
writeFileSync(caFile, ca);

const imageModel = 'gemini-2.5-flash-image';
const paths: string[] = [];
let upstream: Bun.Server<undefined>;
let images: ReturnType<typeof Bun.serve>;
let proxy: ScriptedProxy;
/** Its proxy and certificates come from the environment, and serve all but two of its providers. */
let shared: RunningWeir;
/** The proxy of its environment refuses the password; a provider has its own. */
let apart: RunningWeir;

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
  [shared, apart] = await Promise.all([
    startWeir({
      env: {
        WEIR_LOG_LEVEL: 'debug',
        https_proxy: proxyUrl(),
        HTTP_PROXY: proxyUrl(),
        NO_PROXY: 'excluded.example',
        WEIR_EGRESS_CA_FILE: caFile,
        WEIR_EGRESS_ALLOWED_NETWORKS: '127.0.0.1',
      },
      yaml: {
        providers: {
          up: at('provider.example', { models: ['m', 'm-realtime'] }),
          excluded: at('excluded.example'),
          none: at('provider.example', { proxy: 'none' }),
          here: at('localhost'),
          images: at('images.example', { kind: 'gemini', models: [imageModel] }),
        },
      },
    }),
    startWeir({
      env: { WEIR_LOG_LEVEL: 'debug', WEIR_EGRESS_PROXY: proxyUrl('canary-wrong-w0rd') },
      yaml: {
        providers: {
          own: at('provider.example', { proxy: proxyUrl(), ca_file: caFile }),
          wrong: at('provider.example', { ca_file: caFile }),
          untrusted: at('provider.example', { proxy: proxyUrl() }),
        },
      },
    }),
  ]);
}, 300_000);
beforeEach(() => {
  for (const seen of [proxy.asked, proxy.heads, paths]) seen.splice(0);
});
afterAll(async () => {
  await Promise.all([shared?.remove(), apart?.remove()]);
  proxy.stop();
  await Promise.all([upstream.stop(true), images.stop(true)]);
  rmSync(folder, { recursive: true });
});

const proxyUrl = (word = password): string => proxy.url.replace('//', `//user:${word}@`);

const at = (host: string, more: object = {}): object => ({
  kind: 'openai',
  base_url: `https://${host}:${upstream.port}/v1`,
  key: 'sk-provider',
  models: ['m'],
  ...more,
});

async function say(weir: RunningWeir, provider: string): Promise<string> {
  const reply = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: `${provider}/m`, messages: [{ role: 'user', content: 'hi' }] }),
  });
  return `${reply.status} ${await reply.text()}`;
}

const tunnel = (host = 'provider.example'): string => `CONNECT ${host}:${upstream.port} HTTP/1.1`;

describe('a provider is reached through', () => {
  test('the proxy of the usual variable, and doctor too', async () => {
    expect(await say(shared, 'up')).toContain('200 {"id"');
    expect(proxy.asked).toEqual([tunnel()]);
    const WEIR_CONFIG = join(folder, 'one.yaml');
    writeFileSync(WEIR_CONFIG, JSON.stringify({ providers: { up: at('provider.example') } }));
    const doctor = await runWeir(['doctor'], { ...shared.environment, WEIR_CONFIG });
    expect(doctor.stdout).toMatch(/provider up\s+ok\s+1 models/);
    expect(doctor.stdout).toContain(`http://user:***@localhost:${proxy.port}`);
    expect(doctor.stdout).not.toContain(password);
    expect(proxy.asked).toEqual([tunnel(), tunnel()]);
  });

  test('its own proxy with its own certificates', async () => {
    expect(await say(apart, 'own')).toContain('200 {"id"');
    expect(proxy.asked).toEqual([tunnel()]);
  });

  test('a tunnel for live conversations as well', async () => {
    const client = new SocketClient(`${shared.base}/realtime?model=m-realtime`, { token: shared.token });
    await client.opened;
    await until(() => client.events.length > 0, 60_000, 'the first event');
    expect(client.events[0]?.type).toBe('session.created');
    expect([proxy.asked, paths]).toEqual([[tunnel()], ['/v1/realtime']]);
    client.socket.close();
  });
});

describe('the proxy is not used', () => {
  test('if the host is excluded, or the provider is set to none', async () => {
    // Both connect directly, where the name does not resolve.
    for (const provider of ['excluded', 'none']) expect(await say(shared, provider)).toContain('503 ');
    expect(await say(shared, 'here')).toContain('200 {"id"');
    expect(proxy.heads).toEqual([]);
  });

  test('for URLs of a caller, which Weir checks and fetches itself', async () => {
    // This model needs the bytes of an image, so Weir fetches the caller's URL.
    const edit = async (url: string): Promise<string> => {
      const reply = await fetch(`${shared.base}/images/edits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${shared.token}`, 'content-type': 'application/json' },
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
    expect([proxy.asked, paths]).toEqual([[tunnel('images.example')], [`/v1/models/${imageModel}:generateContent`]]);
  });
});

describe('a failure of the proxy or of TLS', () => {
  test('is provider_unavailable to the caller, does not count against the key, and shows no password', async () => {
    const shown: string[] = [];
    for (const provider of ['wrong', 'untrusted']) {
      const reply = await say(apart, provider);
      expect(reply).toMatch(/^503 .*could not be reached/);
      shown.push(reply);
    }
    expect(paths).toEqual([]);
    expect(proxy.heads.filter((head) => head.includes(btoa('user:canary-wrong-w0rd')))).not.toEqual([]);
    for (const words of [['doctor'], ['doctor', '--json']]) {
      const { stdout, stderr, code } = await apart.command(...words);
      expect(code).toBe(1);
      shown.push(stdout, stderr);
    }
    expect(shown.join('\n')).toMatch(/provider wrong\s+broken.*provider untrusted\s+broken/s);
    const metrics = await (await fetch(`${apart.url}/metrics`)).text();
    for (const provider of ['wrong', 'untrusted']) {
      expect(metrics).toMatch(
        new RegExp(
          `weir_attempts_total\\{provider="${provider}",model=".*",outcome="failed",verdict="target-down"\\} 1\n`,
        ),
      );
      expect(metrics).toContain(`weir_key_state{provider="${provider}",key="`);
      expect(metrics).not.toMatch(new RegExp(`weir_key_state\\{provider="${provider}".*\\} [2345]`));
    }
    const everything = [...shown, metrics, apart.output(), shared.output()].join('\n');
    for (const form of [password, 'canary-wrong-w0rd', btoa(`user:${password}`), btoa('user:canary-wrong-w0rd')]) {
      expect(everything).not.toContain(form);
    }
    // Of `own`, by each doctor.
    expect(paths).toEqual(['/v1/models', '/v1/models']);
  });
});
