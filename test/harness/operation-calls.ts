/** The shortest calls of each endpoint except conversations, as a plain HTTP client makes them. */

import type { Target } from './chat.ts';

export function postTo(target: Target, path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers({ authorization: `Bearer ${target.token}` });
  if (!(body instanceof FormData)) headers.set('content-type', 'application/json');
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
  const sent = body instanceof FormData || typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(target.base + path, { method: 'POST', body: sent, ...init, headers });
}

/** Files are what is not text. */
export function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, `${name}.${value.type.split('/')[1] ?? 'bin'}`);
  }
  return form;
}

export const audioBlob = (bytes = 1_000): Blob => new Blob([new Uint8Array(bytes).fill(1)], { type: 'audio/wav' });
export const png = (bytes = 100): Blob => new Blob([new Uint8Array(bytes).fill(1)], { type: 'image/png' });
