/** Signed URLs: of a finished video, and of the webhook that a provider may call. */

import type { Signing } from '../../secrets/signing.ts';

export class SignedAddresses {
  readonly #signing: Signing;
  readonly #baseUrl: () => string;

  /** `baseUrl` is where people reach Weir, without `/v1`. */
  constructor(signing: Signing, baseUrl: () => string) {
    this.#signing = signing;
    this.#baseUrl = baseUrl;
  }

  /** Stable for as long as the video can be fetched, so that players and caches recognize it. */
  contentUrl(taskId: string, index: number, expiresAtMs: number): string {
    const expires = Math.ceil(expiresAtMs / 1_000);
    const signature = this.#signing.sign(`content\n${taskId}\n${index}\n${expires}`);
    const which = index === 0 ? '' : `index=${index}&`;
    return `${this.#baseUrl()}/v1/video/generations/${taskId}/content?${which}expires=${expires}&signature=${signature}`;
  }

  /** Is this URL's signature valid and not expired? */
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
