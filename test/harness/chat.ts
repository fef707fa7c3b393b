/** The shortest call of the chat endpoint, as a plain HTTP client makes it, and the reading of its reply. */

import { type Script, scriptText } from '../fake-upstream/script.ts';

export interface Target {
  readonly base: string;
  readonly token: string;
}

export interface ErrorBody {
  readonly error: { readonly message: string; readonly type: string; readonly param: string; readonly code: string };
}

/** A chat body whose message tells the scripted provider what to do. */
export function scripted(script: Script, fields: object = {}): Record<string, unknown> {
  return { model: 'gpt-4.1', messages: [{ role: 'user', content: scriptText(script) }], ...fields };
}

/** Sends a value as JSON, or a text exactly as it is. */
export function post(target: Target, body: unknown, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers({ authorization: `Bearer ${target.token}`, 'content-type': 'application/json' });
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${target.base}/chat/completions`, { method: 'POST', body: text, ...init, headers });
}

/** Reads an error reply and insists on the envelope: four fields, each a string. */
export async function errorOf(reply: Response): Promise<ErrorBody['error']> {
  const text = await reply.text();
  const { error } = JSON.parse(text) as Partial<ErrorBody>;
  for (const field of ['message', 'type', 'param', 'code'] as const)
    if (typeof error?.[field] !== 'string') throw new Error(`error.${field} is not a string in ${text.slice(0, 500)}`);
  return error as ErrorBody['error'];
}

/** The data lines of an event stream; comments are left out. */
export function dataOf(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
}
