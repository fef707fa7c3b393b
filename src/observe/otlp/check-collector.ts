/** Whether a collector accepts exports: an empty one, which every collector answers. */

import type { TelemetryConfig } from '../../settings/config.ts';
import type { Transport } from '../../upstream/transport.ts';
import { Collector } from './collector.ts';

/** Undefined where it does; else why not. */
export async function checkCollector(config: TelemetryConfig, transport: Transport): Promise<string | undefined> {
  let fault = 'no answer';
  const note = (_: string, { cause, status }: Readonly<Record<string, unknown>> = {}): void => {
    const shown = cause instanceof Error ? cause.message : cause;
    fault = status === undefined ? String(shown) : `status ${status}`;
  };
  const isJson = config.protocol === 'http/json';
  const collector = new Collector({
    ...{ config: { ...config, gzip: false }, contentType: isJson ? 'application/json' : 'application/x-protobuf' },
    ...{ transport, logger: { warn: note, info: note }, nowMs: Date.now, random: Math.random },
  });
  const sent = await collector.send('traces', new TextEncoder().encode(isJson ? '{}' : ''));
  return sent === 'sent' ? undefined : fault;
}
