/** Behind nginx with default settings, which buffers replies and uses HTTP/1.0, a token arrives when it was sent. */

import { expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callers } from '../../harness/callers.ts';
import {
  chatDelta,
  chatUsage,
  type HoldingUpstream,
  startHoldingUpstream,
  writtenStream,
} from '../../harness/holding-upstream.ts';
import { needing } from '../../harness/needs.ts';
import { freePort } from '../../harness/ports.ts';
import { until } from '../../harness/until.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';
import { formats } from './client.ts';

const { afterAll, beforeAll, test } = needing('nginx');

const program = Bun.which('nginx') ?? Bun.which('nginx', { PATH: '/usr/sbin:/usr/local/sbin:/opt/homebrew/bin' });

let upstream: HoldingUpstream;
let weir: RunningWeir;
let nginx: Bun.Subprocess | undefined;
let proxied = '';
let answered = 0;
const folder = mkdtempSync(join(tmpdir(), 'weir-chaos-nginx-'));
beforeAll(async () => {
  if (program === null) return;
  upstream = startHoldingUpstream();
  weir = await startWeir({
    yaml: {
      providers: { up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] } },
    },
  });
  const port = await freePort();
  proxied = `http://127.0.0.1:${port}`;
  await Bun.write(join(folder, 'nginx.conf'), configuration(port, weir.url));
  nginx = Bun.spawn([program, '-p', folder, '-c', join(folder, 'nginx.conf')], { stdout: 'ignore', stderr: 'inherit' });
  const answers = async () => (await fetch(`${proxied}/healthz`).catch(() => undefined))?.status === 200;
  await until(answers, 60_000, 'nginx');
}, 300_000);
afterAll(async () => {
  nginx?.kill();
  await nginx?.exited;
  await weir?.remove();
  await upstream?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Only the upstream is configured; the other settings move files to writable folders. */
function configuration(port: number, url: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
    daemon off;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    pid ${folder}/nginx.pid;
    error_log ${folder}/error.txt warn;
    events {}
    http {
      access_log off;
      ${places.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n      ')}
      server {
        listen 127.0.0.1:${port};
        location / { proxy_pass ${url}; }
      }
    }
  `;
}

test.each(formats)('%s: a token arrives before the next was sent', async (format) => {
  const caller = callers.find((each) => each.format === format);
  if (caller === undefined) throw new Error(`no client for ${format}`);
  const options = { model: 'gpt-4.1', stream: true };
  const asked = fetch(`${proxied}${format === 'gemini-generate' ? '/v1beta' : '/v1'}${caller.path(options)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(caller.body(['Say it.'], options)),
  });
  await until(() => upstream.requests.length > answered);
  answered = upstream.requests.length;
  const stream = writtenStream();
  upstream.requests.at(-1)?.answer(stream.reply);
  stream.write(chatDelta('word.0 '));
  const reader = (await asked).body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  // The next one is written only after one has arrived: a buffered reply would never come.
  for (let word = 0; word < 4; word++) {
    while (!text.includes(`word.${word} `)) {
      const read = await reader?.read();
      if (read === undefined || read.done) throw new Error(`not all words came: ${text}`);
      text += decoder.decode(read.value, { stream: true });
    }
    stream.write(chatDelta(`word.${word + 1} `));
  }
  stream.write(chatDelta('', 'stop'), chatUsage(1, 5));
  stream.done();
  expect(text).toContain('word.3 ');
  await reader?.cancel();
});
