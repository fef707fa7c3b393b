/**
 * Every result of a tool answers a call in the conversation; the original service refuses any other with these
 * words: https://github.com/microsoft/vscode/issues/320060 (read 2026-11-15).
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { list, text } from './wire.ts';

const outputs: ReadonlyMap<unknown, string> = new Map([
  ['function_call_output', 'function call output'],
  ['custom_tool_call_output', 'custom tool call output'],
]);

export function checkCalls(tree: Tree): void {
  const items = list(tree['input']);
  if (!items.some((item) => isObject(item) && outputs.has(item['type']))) return;
  // What a provider stores may hold the call.
  if (text(tree['previous_response_id']) !== undefined) return;
  const called = new Set<unknown>();
  for (const item of items) {
    if (!isObject(item)) continue;
    const { type } = item;
    if (type === 'item_reference') return;
    if (type === 'function_call' || type === 'custom_tool_call') called.add(item['call_id'] ?? item['id']);
    const kind = outputs.get(type);
    if (kind === undefined || called.has(item['call_id'])) continue;
    const id = (text(item['call_id']) ?? '').slice(0, 100);
    throw new GatewayError('field_invalid', `No tool call found for ${kind} with call_id ${id}.`, { param: 'input' });
  }
}
