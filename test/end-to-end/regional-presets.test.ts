/**
 * Regional presets and coding plans, configured by their variables only: each is reached at its own host and path with its
 * own key, and no key goes to the host of the preset that it resembles. A proxy leads all hosts to one provider here.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from '../harness/certificates.ts';
import { type ScriptedProxy, startProxy } from '../harness/proxy.ts';
import { answerTo } from '../harness/taking-provider.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const hosts = ['api.moonshot.cn', 'api.kimi.com', 'api.minimaxi.com', 'api.z.ai', 'tokenhub.tencentmaas.com'];
const folder = mkdtempSync(join(tmpdir(), 'weir-regions-'));
const caFile = join(folder, 'ca.pem');
const { ca, tls } = makeCertificates(hosts);
writeFileSync(caFile, ca);

/** Replies of thinking models in the messages format; in the chat format the thought would be part of the text. */
const thinkingReply = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [
    { type: 'thinking', thinking: 'A thought.', signature: 'seal' },
    { type: 'text', text: 'ok' },
  ],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 9 },
};

/** `host path key`, of conversations only. */
const asked: string[] = [];
let upstream: Bun.Server<undefined>;
let proxy: ScriptedProxy;
let weir: RunningWeir;

beforeAll(async () => {
  upstream = Bun.serve<undefined>({
    port: 0,
    hostname: '127.0.0.1',
    tls,
    fetch(request) {
      const { pathname } = new URL(request.url);
      const answer = pathname.startsWith('/anthropic/') ? thinkingReply : answerTo(pathname);
      if (answer === undefined) return Response.json({ data: [] });
      asked.push([request.headers.get('host'), pathname, request.headers.get('authorization')].join(' '));
      return Response.json(answer);
    },
  });
  proxy = await startProxy({ tunnelsTo: upstream.port ?? 0 });
  weir = await startWeir({
    env: {
      HTTPS_PROXY: proxy.url,
      WEIR_EGRESS_CA_FILE: caFile,
      MOONSHOT_CN_API_KEY: 'sk-moonshot-cn',
      KIMI_API_KEY: 'sk-kimi-plan',
      MINIMAX_CN_API_KEY: 'sk-minimax-cn',
      ZAI_CODING_API_KEY: 'sk-zai-plan',
      TENCENT_TOKENHUB_API_KEY: 'sk-tokenhub',
    },
  });
});
afterAll(async () => {
  await weir.remove();
  proxy.stop();
  await upstream.stop(true);
  rmSync(folder, { recursive: true });
});

const turns = [{ role: 'user', content: 'hi' }];
const bodies = {
  'chat/completions': { messages: turns },
  messages: { messages: turns, max_tokens: 9 },
  responses: { input: 'hi', store: false },
} as const;

async function say(path: keyof typeof bodies, model: string): Promise<string> {
  asked.splice(0);
  const reply = await fetch(`${weir.base}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...bodies[path] }),
  });
  const text = await reply.text();
  expect([model, path, reply.status, text]).toEqual([model, path, 200, expect.stringContaining('ok')]);
  expect(asked.length).toBe(1);
  return text;
}

test.each([
  ['chat/completions', 'moonshot-cn/kimi-k2.6', 'api.moonshot.cn /v1/chat/completions Bearer sk-moonshot-cn'],
  ['messages', 'moonshot-cn/kimi-k2.6', 'api.moonshot.cn /anthropic/v1/messages Bearer sk-moonshot-cn'],
  ['responses', 'moonshot-cn/kimi-k3', 'api.moonshot.cn /v1/responses Bearer sk-moonshot-cn'],
  ['responses', 'moonshot-cn/kimi-k2.6', 'api.moonshot.cn /v1/chat/completions Bearer sk-moonshot-cn'],
  ['messages', 'kimi-coding/kimi-for-coding', 'api.kimi.com /coding/v1/messages Bearer sk-kimi-plan'],
  ['responses', 'kimi-coding/k3', 'api.kimi.com /coding/v1/responses Bearer sk-kimi-plan'],
  ['responses', 'kimi-coding/kimi-for-coding', 'api.kimi.com /coding/v1/messages Bearer sk-kimi-plan'],
  ['chat/completions', 'zai-coding/glm-5.3', 'api.z.ai /api/coding/paas/v4/chat/completions Bearer sk-zai-plan'],
  ['messages', 'zai-coding/glm-5.3', 'api.z.ai /api/anthropic/v1/messages Bearer sk-zai-plan'],
  ['responses', 'tokenhub/hy3', 'tokenhub.tencentmaas.com /v1/responses Bearer sk-tokenhub'],
  ['responses', 'tokenhub/glm-5.3', 'tokenhub.tencentmaas.com /v1/chat/completions Bearer sk-tokenhub'],
  ['messages', 'tokenhub/glm-5.3', 'tokenhub.tencentmaas.com /v1/messages Bearer sk-tokenhub'],
  ['chat/completions', 'minimax-cn/MiniMax-M3', 'api.minimaxi.com /v1/chat/completions Bearer sk-minimax-cn'],
  ['responses', 'minimax-cn/MiniMax-M3', 'api.minimaxi.com /v1/responses Bearer sk-minimax-cn'],
  ['responses', 'minimax-cn/MiniMax-M2.1', 'api.minimaxi.com /anthropic/v1/messages Bearer sk-minimax-cn'],
] as const)('a request to %s for %s goes to %s', async (path, model, place) => {
  await say(path, model);
  expect(asked).toEqual([place]);
});

test('thoughts stay apart from the text where a request is translated', async () => {
  const { output } = JSON.parse(await say('responses', 'minimax-cn/MiniMax-M2.1'));
  expect(output).toMatchObject([
    { type: 'reasoning', summary: [{ text: 'A thought.' }] },
    { type: 'message', content: [{ type: 'output_text', text: 'ok' }] },
  ]);
});

test('no request went to the hosts that these resemble', () => {
  const reached = new Set(proxy.asked.map((line) => /^CONNECT (\S+):443 /.exec(line)?.[1]));
  expect([...reached].filter((host) => host === undefined || !hosts.includes(host))).toEqual([]);
});
