/** Addresses that carry their own permission: of a finished video, and of the door that a provider may knock at. */

import type { Signing } from '../../secrets/signing.ts';

export class SignedAddresses {
  readonly #signing: Signing;
  readonly #baseUrl: () => string;

  /** `baseUrl` is where people reach Weir, without `/v1`. */
  constructor(signing: Signing, baseUrl: () => string) {
    this.#signing = signing;
    this.#baseUrl = baseUrl;
  }

  /** The same for as long as the video can be fetched, so that players and caches know it again. */
  contentUrl(taskId: string, index: number, expiresAtMs: number): string {
    const expires = Math.ceil(expiresAtMs / 1_000);
    const signature = this.#signing.sign(`content\n${taskId}\n${index}\n${expires}`);
    const which = index === 0 ? '' : `index=${index}&`;
    return `${this.#baseUrl()}/v1/video/generations/${taskId}/content?${which}expires=${expires}&signature=${signature}`;
  }

  /** Is this the address that was given out, and does it still count? */
  async admitsContent(taskId: string, query: URLSearchParams, nowMs: number): Promise<boolean> {
    const expires = Number(query.get('expires'));
    const index = Number(query.get('index') ?? '0');
    if (!Number.isSafeInteger(expires) || !Number.isSafeInteger(index) || expires * 1_000 <= nowMs) return false;
    return this.#signing.isSigned(`content\n${taskId}\n${index}\n${expires}`, query.get('signature') ?? '');
  }

  hookUrl(taskId: string): string {
    return `${this.#baseUrl()}/v1/video/hooks/${taskId}/${this.#signing.sign(`hook\n${taskId}`)}`;
  }

  admitsHook(taskId: string, signature: string): Promise<boolean> {
    return this.#signing.isSigned(`hook\n${taskId}`, signature);
  }
}
