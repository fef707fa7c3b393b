/** Sends bodies to the collector: https://opentelemetry.io/docs/specs/otlp/#otlphttp (read 2026-11-17). One line per outage. */

import type { TelemetryConfig } from '../../settings/config.ts';
import type { Transport } from '../../upstream/transport.ts';
import type { Logger } from '../logger.ts';
import type { Signal } from './records.ts';

/** `again`: worth another try after some time. `refused`: this body will never be accepted. */
type Sent = 'sent' | 'again' | 'refused';

interface CollectorOptions {
  readonly config: Pick<TelemetryConfig, 'endpoint' | 'headers' | 'gzip' | 'timeoutMs'>;
  readonly contentType: string;
  readonly transport: Transport;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  nowMs(): number;
  random(): number;
}

/** The statuses that the protocol names as worth a retry. */
const retried: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const backoffMsMin = 1_000;
const backoffMsMax = 60_000;
const replyBytesMax = 65_536;
const shownMax = 200;

export class Collector {
  readonly #options: CollectorOptions;
  readonly #headers: Readonly<Record<string, string>>;
  #failures = 0;
  #notBeforeMs = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#headers = Object.freeze({
      'user-agent': 'weir',
      ...lowerCased(options.config.headers),
      'content-type': options.contentType,
      ...(options.config.gzip && { 'content-encoding': 'gzip' }),
    });
  }

  /** Away, and its time has not come yet: nothing is sent. */
  get isResting(): boolean {
    return this.#options.nowMs() < this.#notBeforeMs;
  }

  async send(signal: Signal, plain: Uint8Array<ArrayBuffer>, limitMs = this.#options.config.timeoutMs): Promise<Sent> {
    const { config, transport } = this.#options;
    const body = config.gzip ? Bun.gzipSync(plain) : plain;
    const url = `${config.endpoint}/v1/${signal}`;
    try {
      const timeout = AbortSignal.timeout(Math.min(limitMs, config.timeoutMs));
      const reply = await transport({ url, method: 'POST', headers: this.#headers, body, signal: timeout });
      const said = await reply.whole(replyBytesMax);
      if (reply.status >= 200 && reply.status <= 299) return this.#answered();
      if (retried.has(reply.status)) return this.#away(`status ${reply.status}`, reply.header('retry-after'));
      return this.#refused(signal, reply.status, said);
    } catch (cause) {
      return this.#away(cause, undefined);
    }
  }

  #answered(): Sent {
    if (this.#failures > 0) this.#options.logger.info('The OpenTelemetry collector accepts exports again.');
    this.#failures = 0;
    this.#notBeforeMs = 0;
    return 'sent';
  }

  #away(cause: unknown, retryAfter: string | undefined): Sent {
    const { nowMs, random, logger, config } = this.#options;
    this.#failures++;
    const backoffMs = Math.min(backoffMsMax, backoffMsMin * 2 ** Math.min(this.#failures - 1, 10));
    this.#notBeforeMs = nowMs() + (retryAfterMs(retryAfter) ?? backoffMs * (0.5 + random() / 2));
    if (this.#failures > 1) return 'again';
    const message = 'The OpenTelemetry collector does not accept exports. Requests are not affected; it is retried.';
    logger.warn(message, { collector: config.endpoint, cause });
    return 'again';
  }

  /** Also counts as an outage for the log: a wrong path or a refused header refuses every export. */
  #refused(signal: Signal, status: number, said: Uint8Array): Sent {
    const { logger, config } = this.#options;
    this.#failures++;
    if (this.#failures > 1) return 'refused';
    const text = new TextDecoder().decode(said.subarray(0, shownMax));
    const message = 'The OpenTelemetry collector refused an export, which is dropped. Check its URL and headers.';
    logger.warn(message, { collector: config.endpoint, signal, status, said: text });
    return 'refused';
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Seconds, or a date. */
function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const asked = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), backoffMsMax);
}
