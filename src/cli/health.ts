/** `weir health`: calls the health URL of the Weir that runs beside it, for containers, which have no shell and no curl. */

import { connect } from 'node:net';
import { loadProcessConfig } from '../config/load-process-config.ts';
import type { Config } from '../settings/config.ts';
import { type CommandWords, readArguments } from './arguments.ts';
import { exitCodes, type Output, reportMistakes } from './output.ts';

const usage = `Usage: weir health [--ready]

Calls GET /healthz of the Weir that runs on this machine with the same settings. Exit code 0: it is alive.

  --ready   call GET /readyz instead. Exit code 0: it accepts requests.`;

const words: CommandWords = { usage, flags: { ready: 'switch' } };

/** Below the 30 s after which container engines end a health check by themselves. */
const timeoutMs = 5_000;
const reasonCharactersMax = 300;

const output: Output = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

export function health(args: readonly string[]): Promise<number> {
  return reportMistakes(output, async () => {
    const given = readArguments(words, args);
    if (given.help) {
      output.out(`${usage}\n`);
      return exitCodes.done;
    }
    return healthOf(loadProcessConfig(), given.has('ready') ? '/readyz' : '/healthz', output);
  });
}

export async function healthOf({ server }: Pick<Config, 'server'>, path: string, to: Output): Promise<number> {
  if (server.port === 0) {
    to.err('WEIR_PORT is 0, so the port is chosen at start and unknown here. Set a fixed port.\n');
    return exitCodes.failed;
  }
  const url = `http://${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}${path}`;
  try {
    const { status, body } = await get(loopbackOf(server.host), server.port, path);
    if (status === 200) {
      to.out(`${body}\n`);
      return exitCodes.done;
    }
    to.err(`${url} returned ${status}: ${body.slice(0, reasonCharactersMax)}\n`);
  } catch (error) {
    to.err(`${url} did not answer: ${error instanceof Error ? error.message : String(error)}\n`);
  }
  return exitCodes.failed;
}

/** Over a plain socket, because `fetch` would use the proxy of `HTTP_PROXY` for the loopback address too. */
function get(host: string, port: number, path: string): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const chunks: Buffer[] = [];
  const socket = connect({ host, port, timeout: timeoutMs }, () =>
    socket.write(`GET ${path} HTTP/1.0\r\nhost: localhost\r\n\r\n`),
  );
  socket.on('timeout', () => socket.destroy(new Error(`no reply within ${timeoutMs} ms`)));
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', reject);
  socket.on('close', () => {
    const [head = '', body = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n', 2);
    const status = /^HTTP\/1\.\d (\d{3})/.exec(head)?.[1];
    if (status === undefined) reject(new Error('the connection was closed without a reply'));
    else resolve({ status: Number(status), body });
  });
  return promise;
}

/** A listener on all addresses is also on the loopback one. */
function loopbackOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
