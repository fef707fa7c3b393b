/** Checks whether a provider accepts a key, by a call that no caller influences: its check URL, or its list of models. */

import { formats } from '../../formats/all.ts';
import type { ProviderKey } from '../../settings/config.ts';
import { meaningOf } from '../../upstream/faults/provider-faults.ts';
import { AttemptFailure } from '../../upstream/faults/verdict.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { Provider } from '../assemble.ts';
import type { Authorizer } from '../sign/authorize.ts';

interface KeyProbeParts {
  readonly authorizer: Authorizer;
  /** A key was refused. */
  onRefused(provider: Provider, key: ProviderKey, status: number): void;
  readonly timeoutMs?: number;
}

/** `unknown`: nothing could be called, or the answer proves nothing about the key. */
export type ProbeOutcome = 'works' | 'refused' | 'unknown';

/** Never rejects. */
export type KeyProbe = (provider: Provider, key: ProviderKey) => Promise<ProbeOutcome>;

const probeTimeoutMs = 10_000;
const errorBodyBytesMax = 65_536;

export function createKeyProbe(parts: KeyProbeParts): KeyProbe {
  const timeoutMs = parts.timeoutMs ?? probeTimeoutMs;
  const publicUrls = new WeakMap<Provider, boolean>();

  /** Does it answer without a key as well? Then its answer proves nothing about one. */
  const isPublic = async (provider: Provider, url: string): Promise<boolean> => {
    const known = publicUrls.get(provider);
    if (known !== undefined) return known;
    const signal = AbortSignal.timeout(timeoutMs);
    const reply = await provider.transport({ url, method: 'GET', headers: { 'user-agent': 'weir' }, signal });
    reply.cancel();
    const answers = isSuccess(reply);
    publicUrls.set(provider, answers);
    return answers;
  };

  const ask = async (provider: Provider, key: ProviderKey): Promise<ProbeOutcome> => {
    const url = provider.checkUrl ?? provider.modelsUrl;
    if (url === undefined) return 'unknown';
    const given = await parts.authorizer.headersFor(provider, key, { method: 'GET', url });
    const headers = { ...given, 'user-agent': 'weir' };
    const reply = await provider.transport({ url, method: 'GET', headers, signal: AbortSignal.timeout(timeoutMs) });
    if (isSuccess(reply)) {
      reply.cancel();
      return (await isPublic(provider, url)) ? 'unknown' : 'works';
    }
    const text = Buffer.from(await reply.whole(errorBodyBytesMax)).toString('utf8');
    const { status } = reply;
    const fault = formats[provider.formats[0] ?? 'openai-chat'].readFault(text);
    // A key that may not list models may still serve: only an error about the key itself counts.
    if (meaningOf({ status, fault, header: (name) => reply.header(name) }) !== 'key') return 'unknown';
    parts.onRefused(provider, key, status);
    return 'refused';
  };

  return async (provider, key) => {
    try {
      return await ask(provider, key);
    } catch (cause) {
      // No access token came for the key: nothing of a request was involved.
      const isDead = cause instanceof AttemptFailure && cause.verdict.kind === 'key-dead';
      return isDead ? 'refused' : 'unknown';
    }
  };
}

function isSuccess({ status }: UpstreamReply): boolean {
  return status >= 200 && status < 300;
}
