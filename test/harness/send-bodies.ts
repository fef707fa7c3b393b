/** A thread that sends one body over and over, on a few connections of its own, until it gets a message to stop. */

import { connect } from 'node:net';

declare const self: Worker;

export interface SendOrder {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly body: Uint8Array;
  readonly connections: number;
}

let stopped = false;

self.onmessage = ({ data }: MessageEvent<SendOrder | 'stop'>) => {
  if (data === 'stop') stopped = true;
  else void send(data).then((statuses) => self.postMessage(statuses));
};

async function send(order: SendOrder): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  await Promise.all(
    Array.from({ length: order.connections }, async () => {
      while (!stopped) {
        const status = await once(order);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    }),
  );
  return statuses;
}

/** Sends all of it, also where the answer comes first, as an attacker would. */
function once({ host, port, token, body }: SendOrder): Promise<string> {
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: weir',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ].join('\r\n');
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    let status = '';
    let isSent = false;
    const end = (): void => {
      if (!isSent || status === '') return;
      socket.destroy();
      resolve(status);
    };
    socket.on('connect', () => {
      socket.write(`${head}\r\n\r\n`);
      socket.write(body, () => {
        isSent = true;
        end();
      });
    });
    socket.on('data', (bytes: Buffer) => {
      status ||= /^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1'))?.[1] ?? 'none';
      end();
    });
    socket.on('error', () => resolve(status || 'error'));
    socket.on('close', () => resolve(status || 'closed'));
  });
}
