/** Tries a provider with one of its keys: fetches its models, or whatever else costs nothing, and returns exactly what came back. */

import { readListedModels } from '../../formats/read-model-list.ts';
import { createScrubber } from '../../secrets/scrubber.ts';
import type { ProviderKey } from '../../settings/config.ts';
import { AttemptFailure } from '../../upstream/faults/verdict.ts';
import { addressRefused } from '../../upstream/link-local.ts';
import type { Provider } from '../assemble.ts';
import { secretPartsOf } from '../key-forms.ts';
import type { Authorizer } from '../sign/authorize.ts';

export type TrialFault =
  | 'key_refused'
  | 'credit_spent'
  | 'rate_limited'
  | 'path_wrong'
  | 'redirected'
  | 'refused'
  | 'provider_failed'
  | 'not_a_list'
  | 'host_unknown'
  | 'connection_refused'
  | 'tls_failed'
  | 'timed_out'
  | 'proxy_failed'
  | 'address_refused'
  | 'unreachable'
  | 'not_tryable';

export interface Trial {
  readonly latencyMs: number;
  readonly models: readonly string[];
  /** Absent where it went well. */
  readonly fault?: {
    readonly code: TrialFault;
    readonly message: string;
    readonly status?: number;
    readonly body?: string;
  };
}

interface TrialParts {
  readonly authorizer: Authorizer;
  /** Monotonic. */
  nowMs(): number;
  readonly timeoutMs?: number;
  /** What no answer may repeat beside the key. */
  readonly secrets?: readonly string[];
}

const trialTimeoutMs = 10_000;
const listBytesMax = 16_777_216;
const modelsMax = 20_000;
const bodyCharactersMax = 4_000;

export async function tryProvider(provider: Provider, key: ProviderKey, parts: TrialParts): Promise<Trial> {
  const startedAtMs = parts.nowMs();
  const latency = (): number => Math.round(parts.nowMs() - startedAtMs);
  const clean = cleaner([...secretPartsOf(key.value), ...(parts.secrets ?? [])]);
  const url = provider.modelsUrl ?? provider.checkUrl;
  try {
    const signal = AbortSignal.timeout(parts.timeoutMs ?? trialTimeoutMs);
    // Where a token must be fetched with the key, that alone proves it.
    const headers = await parts.authorizer.headersFor(provider, key, { method: 'GET', url: url ?? provider.baseUrl });
    if (url === undefined) {
      return provider.auth.style === 'service-account' ? { latencyMs: latency(), models: [] } : untryable(provider);
    }
    const reply = await provider.transport({ url, method: 'GET', headers, signal });
    const text = Buffer.from(await reply.whole(listBytesMax)).toString('utf8');
    const latencyMs = latency();
    const body = clean(text);
    if (reply.status !== 200) {
      const code = faultOfStatus(reply.status, text);
      const message = `${provider.name} answered ${reply.status}.`;
      return { latencyMs, models: [], fault: { code, message, status: reply.status, body } };
    }
    const models = provider.modelsUrl === undefined ? [] : listIn(text);
    if (models !== undefined) return { latencyMs, models: models.slice(0, modelsMax) };
    const message = `${provider.name} answered, but not with a list of models.`;
    return { latencyMs, models: [], fault: { code: 'not_a_list', message, status: 200, body } };
  } catch (cause) {
    return { latencyMs: latency(), models: [], fault: faultOfThrow(cause, clean) };
  }
}

function untryable({ name }: Provider): Trial {
  const message = `${name} has no list of models, and nothing else that can be asked for nothing.`;
  return { latencyMs: 0, models: [], fault: { code: 'not_tryable', message } };
}

function listIn(text: string): readonly string[] | undefined {
  try {
    return readListedModels(JSON.parse(text))?.map(({ name }) => name);
  } catch {
    return undefined;
  }
}

/** Some providers call a wrong key a bad request. */
function faultOfStatus(status: number, text: string): TrialFault {
  if (status === 401 || status === 403) return 'key_refused';
  if (status === 400 && /api[ _-]?key|credential|unauthori[sz]ed/i.test(text)) return 'key_refused';
  if (status === 402) return 'credit_spent';
  if (status === 404 || status === 405) return 'path_wrong';
  if (status === 407) return 'proxy_failed';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'provider_failed';
  return status >= 300 && status < 400 ? 'redirected' : 'refused';
}

const codes: readonly (readonly [RegExp, TrialFault])[] = [
  [new RegExp(`^${addressRefused}$`), 'address_refused'],
  [/^(ENOTFOUND|EAI_AGAIN|DNSLookupFailed|ERR_DNS)/, 'host_unknown'],
  [/^(ECONNREFUSED|ConnectionRefused)$/, 'connection_refused'],
  [/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ALTNAME/, 'tls_failed'],
  [/TIMEDOUT|Timeout/, 'timed_out'],
  [/PROXY|TUNNEL/, 'proxy_failed'],
];

function faultOfThrow(cause: unknown, clean: (text: string) => string): NonNullable<Trial['fault']> {
  if (cause instanceof AttemptFailure) {
    const { kind, error } = cause.verdict;
    return {
      code: kind === 'key-dead' || kind === 'key-refused' ? 'key_refused' : 'provider_failed',
      message: clean(error.message),
    };
  }
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const name = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const code = codes.find(([pattern]) => pattern.test(name))?.[1] ?? 'unreachable';
  const message = code === 'timed_out' ? 'No answer came in time.' : error.message;
  return { code, message: clean(name === 'Error' || message.includes(name) ? message : `${message} (${name})`) };
}

/** Taken out before the text is cut: half a key is still half a key. */
function cleaner(secrets: readonly string[]): (text: string) => string {
  const scrub = createScrubber(secrets);
  return (text) => {
    const bare = scrub(text);
    return bare.length > bodyCharactersMax ? `${bare.slice(0, bodyCharactersMax)}…` : bare;
  };
}
