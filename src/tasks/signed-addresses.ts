/** Addresses that carry their own permission: of a finished video, and of the door that a provider may knock at. */

import { createHmac, timingSafeEqual } from 'node:crypto';

export class SignedAddresses {
  readonly #key: Uint8Array;
  readonly #baseUrl: () => string;

  /** `baseUrl` is where people reach Weir, without `/v1`. */
  constructor(key: Uint8Array, baseUrl: () => string) {
    this.#key = key;
    this.#baseUrl = baseUrl;
  }

  /** The same for as long as the video can be fetched, so that players and caches know it again. */
  contentUrl(taskId: string, index: number, expiresAtMs: number): string {
    const expires = Math.ceil(expiresAtMs / 1_000);
    const signature = this.#sign(`content\n${taskId}\n${index}\n${expires}`);
    const which = index === 0 ? '' : `index=${index}&`;
    return `${this.#baseUrl()}/v1/video/generations/${taskId}/content?${which}expires=${expires}&signature=${signature}`;
  }

  /** Is this the address that was given out, and does it still count? */
  admitsContent(taskId: string, query: URLSearchParams, nowMs: number): boolean {
    const expires = Number(query.get('expires'));
    const index = Number(query.get('index') ?? '0');
    if (!Number.isSafeInteger(expires) || !Number.isSafeInteger(index) || expires * 1_000 <= nowMs) return false;
    return this.#isSigned(`content\n${taskId}\n${index}\n${expires}`, query.get('signature') ?? '');
  }

  hookUrl(taskId: string): string {
    return `${this.#baseUrl()}/v1/video/hooks/${taskId}/${this.#sign(`hook\n${taskId}`)}`;
  }

  admitsHook(taskId: string, signature: string): boolean {
    return this.#isSigned(`hook\n${taskId}`, signature);
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('hex');
  }

  #isSigned(text: string, signature: string): boolean {
    const right = Buffer.from(this.#sign(text));
    const given = Buffer.from(signature);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
