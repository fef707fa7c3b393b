/** Reads the body of a request as a form or as JSON. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { isObject } from '../conversation/json-tree.ts';
import type { WireBody } from '../operations/wire.ts';
import type { SandboxRequest } from './options.ts';

export async function readBody({ body, headers }: SandboxRequest): Promise<WireBody> {
  const contentType = headers['content-type'] ?? '';
  const bytes = await bytesOf(body);
  if (contentType.startsWith('multipart/')) return readForm(bytes, contentType);
  let tree: unknown;
  try {
    tree = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new GatewayError('json_malformed', 'The body is not valid JSON.');
  }
  if (!isObject(tree)) throw new GatewayError('json_malformed', 'The body is not a JSON object.');
  return { kind: 'json', tree };
}

async function bytesOf(body: SandboxRequest['body']): Promise<Uint8Array<ArrayBuffer>> {
  if (body === undefined) return new Uint8Array(0);
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  const whole = new Uint8Array(body.bytes);
  let at = 0;
  for await (const piece of body.open()) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

async function readForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<WireBody> {
  const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData().catch(badForm);
  const fields = await Promise.all(
    Array.from(form as Iterable<[string, string | File]>, async ([name, value]) => {
      if (typeof value === 'string') return { name, value };
      const content = new Uint8Array(await value.arrayBuffer());
      const file = {
        field: name,
        filename: value.name,
        mediaType: value.type,
        bytes: content.length,
        async *open() {
          yield content;
        },
      };
      return { name, value: file };
    }),
  );
  return { kind: 'form', fields };
}

function badForm(): never {
  throw new GatewayError('field_invalid', 'The form cannot be read.');
}
