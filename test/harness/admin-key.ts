/** A program that calls the admin API with an admin key. */

import type { CallOptions, ConsoleReply } from './console-client.ts';
import type { RunningWeir } from './weir.ts';

export class KeyClient {
  readonly #url: string;
  readonly #key: string;

  constructor({ url }: Pick<RunningWeir, 'url'>, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async call(method: string, path: string, { body, headers = {} }: CallOptions = {}): Promise<ConsoleReply> {
    const sent = new Headers({ authorization: `Bearer ${this.#key}` });
    const takesBody = ['POST', 'PUT', 'PATCH'].includes(method);
    if (takesBody) sent.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) sent.delete(name);
      else sent.set(name, value);
    }
    const text = takesBody ? JSON.stringify(body ?? {}) : undefined;
    const reply = await fetch(`${this.#url}/admin/v1${path}`, { method, headers: sent, ...(text && { body: text }) });
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
}
