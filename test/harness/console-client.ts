/** A signed-in user of the console: keeps its session cookie and calls the admin API as the console's pages do. */

import { setUpPath } from '../../src/admin/contracts/contract.ts';
import type { RunningWeir } from './weir.ts';

export interface ConsoleReply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON, else a text; undefined where there is none. */
  readonly body: unknown;
}

export interface CallOptions {
  readonly body?: unknown;
  /** In the place of what a page of our own would send; a null leaves the header out. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

export class ConsoleClient {
  readonly #url: string;
  readonly #origin: string;
  /** `name=value`, as it goes back. */
  cookie = '';

  constructor({ url }: Pick<RunningWeir, 'url'>, origin = url) {
    this.#url = url;
    this.#origin = origin;
  }

  async call(method: string, path: string, { body, headers = {} }: CallOptions = {}): Promise<ConsoleReply> {
    const sent = new Headers({ origin: this.#origin });
    if (this.cookie !== '') sent.set('cookie', this.cookie);
    const takesBody = ['POST', 'PUT', 'PATCH'].includes(method);
    if (takesBody) sent.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) sent.delete(name);
      else sent.set(name, value);
    }
    const text = takesBody ? (typeof body === 'string' ? body : JSON.stringify(body ?? {})) : undefined;
    const reply = await fetch(`${this.#url}/console/api${path}`, {
      method,
      headers: sent,
      ...(text !== undefined && { body: text }),
    });
    const setCookie = reply.headers.get('set-cookie');
    if (setCookie !== null) this.cookie = setCookie.includes('Max-Age=0') ? '' : (setCookie.split(';', 1)[0] ?? '');
    const read = await reply.text();
    const isJson = reply.headers.get('content-type')?.includes('json') === true;
    return {
      status: reply.status,
      headers: reply.headers,
      body: read === '' ? undefined : isJson ? JSON.parse(read) : read,
    };
  }

  get = (path: string, options?: CallOptions): Promise<ConsoleReply> => this.call('GET', path, options);
  post = (path: string, body?: unknown, options?: CallOptions): Promise<ConsoleReply> =>
    this.call('POST', path, { ...options, body });

  signIn(name: string, password: string, options?: CallOptions): Promise<ConsoleReply> {
    return this.post('/session', { name, password }, options);
  }
}

export const codeOf = ({ body }: ConsoleReply): string =>
  (body as { error?: { code?: string } } | undefined)?.error?.code ?? '';

/** The codes of all set-up links that the process has printed. */
export function setUpCodes(output: string): string[] {
  return [...output.matchAll(new RegExp(`${setUpPath}#([A-Za-z0-9_-]+)`, 'g'))].map(([, code]) => code ?? '');
}
