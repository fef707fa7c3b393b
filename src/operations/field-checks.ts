/** The checks that every JSON wire makes of a body before anything is spent; each error names the field at fault. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { isObject, type Tree } from '../conversation/json-tree.ts';
import type { WireBody } from './wire.ts';

/** The body as the wire wants it; these wires take JSON and nothing else. */
export function checkedTree(body: WireBody): Tree {
  if (body.kind !== 'json') {
    throw new GatewayError('content_type_unsupported', 'This endpoint takes a JSON body (`application/json`).');
  }
  if (!isObject(body.tree)) throw new GatewayError('json_malformed', 'The body must be a JSON object.');
  return body.tree;
}

/** The same without an error, for readers that run after the check. */
export function treeOf(body: WireBody): Tree {
  return body.kind === 'json' && isObject(body.tree) ? body.tree : {};
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

export function checkedModel(tree: Tree): string {
  const model = checkedModelIfAny(tree);
  if (model === undefined) throw missing('model', 'Name the model to use; `GET /v1/models` lists them.');
  return model;
}

/** Where the caller may leave the choice to Weir. */
export function checkedModelIfAny(tree: Tree): string | undefined {
  const model = tree['model'] ?? undefined;
  if (model === undefined) return undefined;
  if (typeof model !== 'string' || model === '') throw invalid('model', 'must be a non-empty string');
  return model;
}

export function checkText(tree: Tree, name: string): void {
  const value = tree[name] ?? '';
  if (typeof value !== 'string') throw invalid(name, 'must be a string');
}

export function checkFlag(tree: Tree, name: string): void {
  const value = tree[name] ?? false;
  if (typeof value !== 'boolean') throw invalid(name, 'must be true or false');
}

/** `shown` is what the caller calls the field where it lies deeper than the tree's top. */
export function checkedWhole(tree: Tree, name: string, most: number, least = 1, shown = name): number | undefined {
  const value = tree[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw invalid(shown, `must be a whole number from ${least} to ${most}`);
  }
  return value;
}

export function missing(param: string, hint: string): GatewayError {
  return new GatewayError('field_missing', `The field \`${param}\` is missing. ${hint}`, { param });
}

export function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `The field \`${param}\` ${rule}.`, { param });
}

/** A request that the chosen provider's wire does not support, and that would mean something else without the field. */
export function unsupported(param: string, reason: string): GatewayError {
  return new GatewayError('operation_unsupported', reason, { param });
}

/** The caller's fields that have no neutral counterpart; undefined where there are none. */
export function otherFields(tree: Tree, known: ReadonlySet<string>): Record<string, unknown> | undefined {
  const others = Object.entries(tree).filter(([name, value]) => !known.has(name) && isPresent(value));
  return others.length === 0 ? undefined : Object.fromEntries(others);
}
