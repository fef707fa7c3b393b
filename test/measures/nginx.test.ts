/**
 * Behind nginx with its default settings, which buffers replies and uses an older HTTP to the upstream, a
 * token arrives when it was sent.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formats } from '../end-to-end/chaos/client.ts';
import { scriptText } from '../fake-upstream/script.ts';
import { callers } from '../harness/callers.ts';
import { needing } from '../harness/needs.ts';
import { freePort } from '../harness/ports.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { judge, judgeLeast, median } from './figures.ts';

const { afterAll, beforeAll, test } = needing('nginx');

const program = Bun.which('nginx') ?? Bun.which('nginx', { PATH: '/usr/sbin:/usr/local/sbin:/opt/homebrew/bin' });

const deltas = 4;
const paceMs = 250;
const streams = 5;

let upstream: RunningUpstream;
let weir: RunningWeir;
let nginx: Bun.Subprocess | undefined;
let proxied = '';
const folder = mkdtempSync(join(tmpdir(), 'weir-chaos-nginx-'));
beforeAll(async () => {
  if (program === null) return;
  upstream = await startUpstream();
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
  await until(answers, 10_000, 'nginx');
}, 30_000);
afterAll(async () => {
  nginx?.kill();
  await nginx?.exited;
  await weir?.remove();
  await upstream?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Nothing about the proxy but where it leads: all that is set is where files go that would need other rights. */
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

test.each(formats)('%s: the first token comes when it was sent', async (format) => {
  const all = (url: string) => Promise.all(Array.from({ length: streams }, () => arrival(format, url)));
  const [behind, direct] = await Promise.all([all(proxied), all(weir.url)]);
  const laterMs = median(behind.map(({ firstMs }) => firstMs)) - median(direct.map(({ firstMs }) => firstMs));
  const spreadMs = median(behind.map(({ firstMs, lastMs }) => lastMs - firstMs));
  judge(`${format}: first token behind nginx, later than without it`, laterMs, 100, 'ms');
  // Held back, the first would have come together with the last.
  judgeLeast(`${format}: last token after the first`, spreadMs, (deltas - 1) * paceMs * 0.8, 'ms');
}, 30_000);

interface Arrival {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** When the first and the last of the words came, from the moment of asking. */
async function arrival(format: (typeof formats)[number], url: string): Promise<Arrival> {
  const caller = callers.find((each) => each.format === format);
  if (caller === undefined) throw new Error(`no caller has the format ${format}`);
  const options = { model: 'gpt-4.1', stream: true };
  const startedAt = performance.now();
  const reply = await fetch(`${url}${format === 'gemini-generate' ? '/v1beta' : '/v1'}${caller.path(options)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(caller.body([scriptText({ deltas, paceMs, mark: 'word' })], options)),
  });
  const decoder = new TextDecoder();
  const times: number[] = [];
  let text = '';
  for await (const piece of reply.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    while (text.includes(`word.${times.length} `)) times.push(performance.now() - startedAt);
  }
  const [first] = times;
  const last = times[deltas - 1];
  if (first === undefined || last === undefined) throw new Error(`not all words came: ${text}`);
  return { firstMs: first, lastMs: last };
}
