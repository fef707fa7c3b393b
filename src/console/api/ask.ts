/** How the console asks Weir: JSON both ways on our own origin, and a failure that says what happened and under which request id. */

interface AskOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
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
    throw new AskError('', { status: 0, code: 'unreachable' });
  });
  const text = await response.text();
  const value: unknown = parse(text);
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
