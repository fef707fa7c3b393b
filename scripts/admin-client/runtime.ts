/** How the generated client calls Weir; its text is a part of the client, so it imports nothing. */

export interface WeirAdminOptions {
  /** Where Weir is, such as `https://weir.example`. */
  readonly url: string;
  /** An admin key: `weir_admin_…`. */
  readonly key: string;
  /** How often a call is repeated after a network error, 429 or a temporary failure of the server; 2 by default. */
  readonly retries?: number;
  /** Of one try, until its reply is complete; 60 seconds by default. */
  readonly timeoutMs?: number;
  /** `/admin/v1` by default. */
  readonly basePath?: string;
  /** In the place of the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Of a write; without one each call makes its own, so that its retries are safe. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What Weir refused, or could not do. */
export class WeirError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** Such as `role_not_allowed`; empty where the reply was not Weir's. */
  readonly code: string;
  /** The field or parameter at fault; empty where there is none. */
  readonly param: string;
  /** Weir's log has the request under this ID. */
  readonly requestId: string;

  constructor(message: string, details: Pick<WeirError, 'status' | 'code' | 'param' | 'requestId'>) {
    super(message);
    this.name = 'WeirError';
    this.status = details.status;
    this.code = details.code;
    this.param = details.param;
    this.requestId = details.requestId;
  }
}

type QueryValue = string | number | boolean | readonly string[] | undefined;

export interface Sent {
  readonly body?: object;
  readonly query?: object;
  readonly options: CallOptions | undefined;
}

export interface Call {
  /** The parsed reply; undefined where it has none. */
  json<Reply>(method: string, path: string, sent: Sent): Promise<Reply>;
  /** The reply as it arrives. */
  file(method: string, path: string, sent: Sent): Promise<Response>;
}

const retryWaitMs = { first: 500, most: 8_000, asked: 60_000 } as const;

export function createCall(client: WeirAdminOptions): Call {
  const { retries = 2, timeoutMs = 60_000, basePath = '/admin/v1' } = client;
  const send = client.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
  const root = client.url.replace(/\/+$/, '') + basePath;

  async function request(method: string, path: string, { body, query, options = {} }: Sent): Promise<Response> {
    const headers = new Headers({ authorization: `Bearer ${client.key}`, ...options.headers });
    if (method !== 'GET') headers.set('idempotency-key', options.idempotencyKey ?? crypto.randomUUID());
    const takesBody = method !== 'GET' && method !== 'DELETE';
    if (takesBody) headers.set('content-type', 'application/json');
    const url = root + path + queryText(query);
    for (let tries = 0; ; tries++) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
      const init = { method, headers, signal, ...(takesBody && { body: JSON.stringify(body ?? {}) }) };
      const outcome = await send(url, init).catch((error: unknown) => networkError(error, options.signal));
      if (outcome instanceof Response && outcome.ok) return outcome;
      const waitMs = tries < retries ? waitBefore(outcome, tries) : undefined;
      if (waitMs === undefined) throw outcome instanceof Response ? await errorOf(outcome) : outcome;
      if (outcome instanceof Response) await outcome.body?.cancel();
      await sleep(waitMs, options.signal);
    }
  }

  return {
    async json<Reply>(method: string, path: string, sent: Sent) {
      const response = await request(method, path, sent);
      return (response.status === 204 ? undefined : await response.json()) as Reply;
    },
    file: request,
  };
}

/** Every item of a list, page after page. */
export async function* itemsOf<Item>(
  page: (cursor: string | undefined) => Promise<{ readonly items: readonly Item[]; readonly next: string | undefined }>,
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const { items, next } = await page(cursor);
    yield* items;
    cursor = next;
  } while (cursor !== undefined);
}

function queryText(query: object = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, QueryValue][]) {
    if (value === undefined) continue;
    for (const one of typeof value === 'object' ? value : [value]) words.append(name, String(one));
  }
  return words.size === 0 ? '' : `?${words}`;
}

/** Rethrown where the caller gave up; everything else may be tried again. */
function networkError(error: unknown, given: AbortSignal | undefined): Error {
  given?.throwIfAborted();
  return error instanceof Error ? error : new Error(String(error));
}

/** How long to wait before the next try; undefined where there should be none. */
function waitBefore(outcome: Response | Error, tries: number): number | undefined {
  const backoffMs = Math.min(retryWaitMs.first * 2 ** tries, retryWaitMs.most) * (0.5 + Math.random() / 2);
  if (!(outcome instanceof Response)) return backoffMs;
  const advice = outcome.headers.get('x-should-retry');
  const isTemporary = advice === null ? outcome.status === 429 || outcome.status >= 500 : advice === 'true';
  if (!isTemporary) return undefined;
  const asked = outcome.headers.get('retry-after');
  const askedMs = asked === null ? Number.NaN : Number(asked) * 1_000;
  if (Number.isNaN(askedMs)) return backoffMs;
  return askedMs <= retryWaitMs.asked ? askedMs : undefined;
}

async function errorOf(response: Response): Promise<WeirError> {
  const text = await response.text();
  const { error } = parsed(text) as { error?: { message?: string; code?: string; param?: string } };
  return new WeirError(error?.message ?? (text.slice(0, 500) || `Status ${response.status}.`), {
    status: response.status,
    code: error?.code ?? '',
    param: error?.param ?? '',
    requestId: response.headers.get('x-request-id') ?? '',
  });
}

function parsed(text: string): object {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
