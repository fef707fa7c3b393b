/**
 * Errors of the chat format: the envelope, the event that ends a broken stream, and a provider's error in this shape.
 */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { ProviderFault } from '../format.ts';
import { errorWords } from '../openai-error-words.ts';

/** All four members are always strings: the specification says so, and strict clients check it. */
function errorObject(error: GatewayError): { message: string; type: string; param: string; code: string } {
  const { type, param, code } = errorWords(error, 'messages');
  return { message: error.message, type, param, code };
}

export function errorBody(error: GatewayError): string {
  return JSON.stringify({ error: errorObject(error) });
}

/** No `[DONE]` follows: to every official library a cleanly ended stream is a success. */
export function errorEvent(error: GatewayError): string {
  return `data: ${errorBody(error)}\n\n`;
}

export function faultOf(error: unknown): ProviderFault {
  if (typeof error === 'string') return { message: error, type: undefined, code: undefined, param: undefined };
  if (!isObject(error)) return { message: '', type: undefined, code: undefined, param: undefined };
  const text = (name: string): string | undefined => {
    const value = error[name];
    if (typeof value === 'number') return String(value);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return { message: text('message') ?? '', type: text('type'), code: text('code'), param: text('param') };
}

/** Providers of this format put the error under `error`, some at the top, one in an array. */
export function readFault(body: string): ProviderFault | undefined {
  let tree: unknown;
  try {
    tree = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (Array.isArray(tree)) tree = tree[0];
  if (!isObject(tree)) return undefined;
  if (tree['error'] !== undefined) return faultOf(tree['error']);
  return faultOf({ message: wordsOf(tree), type: tree['type'], code: codeIn(tree) });
}

/** Some put it in a detail, some in a list of them, and one under a name of its own. */
function wordsOf(tree: Tree): unknown {
  if (tree['message'] !== undefined) return tree['message'];
  if (Array.isArray(tree['errors'])) return tree['errors'][0];
  const detail: unknown = Array.isArray(tree['detail']) ? tree['detail'][0] : tree['detail'];
  return isObject(detail) ? (detail['message'] ?? detail['msg']) : (detail ?? tree['err_msg']);
}

/** A list of errors comes beside the name of their kind. */
function codeIn(tree: Tree): unknown {
  return tree['code'] ?? tree['error_code'] ?? (Array.isArray(tree['errors']) ? tree['name'] : undefined);
}
