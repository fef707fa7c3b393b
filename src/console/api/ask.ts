/** How the console asks Weir: JSON both ways on our own origin, and a failure that says what happened and under which request id. */

interface AskOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** False for the sign-out: whose session has ended need not sign in for it. */
  readonly signsInAgain?: boolean;
}

/** Told how calls went. */
interface AskListener {
  answered(): void;
  /** Nobody answered, or a proxy in front of Weir says that it is away. */
  unanswered(): void;
  /** True once someone signed in again, so that the call is made once more. */
  sessionEnded(): Promise<boolean>;
}

let listener: AskListener | undefined;

/** One for the page, set before anything is asked. */
export function listenToAsks(next: AskListener): void {
  listener = next;
}

/** What the admin interface or the network refused. `status` is 0 where nobody answered. */
export class AskError extends Error {
  override readonly name = 'AskError';
  readonly status: number;
  readonly code: string;
  readonly param: string;
  readonly requestId: string;

  constructor(
    message: string,
    facts: { readonly status: number; readonly code: string; readonly param?: string; readonly requestId?: string },
  ) {
    super(message);
    this.status = facts.status;
    this.code = facts.code;
    this.param = facts.param ?? '';
    this.requestId = facts.requestId ?? '';
  }
}

export async function ask<Answer>(path: string, options: AskOptions = {}): Promise<Answer> {
  for (;;) {
    try {
      return await askOnce<Answer>(path, options);
    } catch (error) {
      const isEnded = error instanceof AskError && error.code === 'sign_in_required';
      if (!isEnded || options.signsInAgain === false || (await listener?.sessionEnded()) !== true) throw error;
    }
  }
}

/** For calls of the public interface. */
export function noteUnanswered(): void {
  listener?.unanswered();
}

/** What proxies answer where the server behind them is away. */
const awayStatuses: readonly number[] = [502, 503, 504];

async function askOnce<Answer>(path: string, options: AskOptions): Promise<Answer> {
  const hasBody = options.body !== undefined;
  const request: RequestInit = {
    method: options.method ?? (hasBody ? 'POST' : 'GET'),
    headers: { accept: 'application/json', ...(hasBody && { 'content-type': 'application/json' }) },
    credentials: 'same-origin',
    ...(hasBody && { body: JSON.stringify(options.body) }),
    ...(options.signal && { signal: options.signal }),
  };
  const response = await fetch(path, request).catch((cause: unknown) => {
    if (options.signal?.aborted === true) throw cause;
    listener?.unanswered();
    throw new AskError('', { status: 0, code: 'unreachable' });
  });
  const text = await response.text();
  const value: unknown = parse(text);
  if (value === undefined && awayStatuses.includes(response.status)) listener?.unanswered();
  else listener?.answered();
  if (response.ok) return value as Answer;
  throw errorOf(value, response);
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf(value: unknown, response: Response): AskError {
  const error = fieldsOf(fieldsOf(value)['error']);
  return new AskError(textOf(error['message']) || `${response.status} ${response.statusText}`, {
    status: response.status,
    code: textOf(error['code']) || `http_${response.status}`,
    param: textOf(error['param']),
    requestId: response.headers.get('x-request-id') ?? '',
  });
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
