/** What alerts are sent to in tests: a webhook receiver that fails a given number of times, and a real SMTP server. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from './certificates.ts';

interface ReceivedHook {
  readonly path: string;
  readonly id: string;
  readonly signatureFits: boolean;
  readonly body: Readonly<Record<string, unknown>>;
  /** What it was answered. */
  readonly status: number;
}

export interface HookReceiver {
  readonly url: string;
  readonly received: ReceivedHook[];
  /** Known once the channel is made. */
  secret: string;
  /** The next so many are refused. */
  failures: number;
  stop(): Promise<void>;
}

/** As a receiver checks it: id, time and body, with the bytes of the secret. */
function fits(secret: string, headers: Headers, body: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`;
  const expected = createHmac('sha256', key).update(signed).digest();
  return (headers.get('webhook-signature') ?? '').split(' ').some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

export function startHooks(): HookReceiver {
  const received: ReceivedHook[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const text = await request.text();
      const status = hooks.failures > 0 ? 503 : 200;
      if (hooks.failures > 0) hooks.failures--;
      received.push({
        path: new URL(request.url).pathname,
        id: request.headers.get('webhook-id') ?? '',
        signatureFits: fits(hooks.secret, request.headers, text),
        body: JSON.parse(text) as Record<string, unknown>,
        status,
      });
      return new Response(status === 200 ? 'thank you' : 'come back later', { status });
    },
  });
  const hooks: HookReceiver = {
    url: `http://127.0.0.1:${server.port}`,
    received,
    secret: '',
    failures: 0,
    stop: () => server.stop(true),
  };
  return hooks;
}

interface ReceivedMail {
  readonly secure: boolean;
  readonly user: boolean;
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

export interface MailServer {
  readonly port: number;
  /** Of the authority that signed its certificate. */
  readonly caFile: string;
  readonly received: readonly ReceivedMail[];
  stop(): Promise<void>;
}

/** In a process of Node: it offers STARTTLS, and accepts mail of this user only. */
export async function startMail(user: string, password: string): Promise<MailServer> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-mail-'));
  const { ca, tls } = makeCertificates(['localhost', '127.0.0.1']);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const program = join(import.meta.dir, 'smtp-process.mjs');
  const words = [file('key.pem', tls.key), file('cert.pem', tls.cert), user, password];
  const server = Bun.spawn(['node', program, ...words], { stdout: 'pipe', stderr: 'inherit' });
  const received: ReceivedMail[] = [];
  const { promise: port, resolve } = Promise.withResolvers<number>();
  void (async () => {
    let rest = '';
    for await (const piece of server.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const read = JSON.parse(line) as ReceivedMail & { readonly port?: number };
        if (read.port === undefined) received.push(read);
        else resolve(read.port);
      }
    }
  })();
  return {
    port: await port,
    caFile: file('ca.pem', ca),
    received,
    async stop() {
      server.kill();
      await server.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
