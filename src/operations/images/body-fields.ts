/** Reads a field of a body that is JSON or a form, so that the same rules apply to both. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { FormFile, WireBody } from '../wire.ts';

export interface BodyFields {
  readonly kind: 'json' | 'form';
  /** Every name that carries something, in the order of the body. */
  readonly names: readonly string[];
  /** The value as it came; several values of one form field as a list. */
  raw(name: string): unknown;
  text(name: string): string | undefined;
  whole(name: string, least: number, most: number): number | undefined;
  flag(name: string): boolean | undefined;
}

export function fieldsOf(body: WireBody): BodyFields {
  if (body.kind === 'json') return jsonFields(body.tree);
  if (body.kind === 'form') return formFields(body.fields);
  throw new GatewayError('content_type_unsupported', 'Send JSON or a form.');
}

function jsonFields(tree: Readonly<Record<string, unknown>>): BodyFields {
  const raw = (name: string): unknown => (Object.hasOwn(tree, name) ? (tree[name] ?? undefined) : undefined);
  return {
    kind: 'json',
    names: Object.keys(tree).filter((name) => raw(name) !== undefined),
    raw,
    text: (name) => {
      const value = raw(name);
      if (value !== undefined && typeof value !== 'string') throw invalid(name, 'must be text');
      return value;
    },
    whole: (name, least, most) => wholeWithin(name, raw(name), least, most),
    flag: (name) => {
      const value = raw(name);
      if (value !== undefined && typeof value !== 'boolean') throw invalid(name, 'must be true or false');
      return value;
    },
  };
}

function formFields(fields: readonly { readonly name: string; readonly value: string | FormFile }[]): BodyFields {
  const values = new Map<string, (string | FormFile)[]>();
  for (const { name, value } of fields) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  /** Two values of one field are refused, for a provider might take the one that was not checked. */
  const text = (name: string): string | undefined => {
    const [value, second] = values.get(name) ?? [];
    if (second !== undefined) throw invalid(name, 'must be there once');
    if (value !== undefined && typeof value !== 'string') throw invalid(name, 'must be a text, not a file');
    return value;
  };
  return {
    kind: 'form',
    names: [...values.keys()],
    raw: (name) => {
      const all = values.get(name);
      return all === undefined || all.length > 1 ? all : all[0];
    },
    text,
    whole: (name, least, most) => {
      const value = text(name);
      if (value === undefined || value === '') return undefined;
      return wholeWithin(name, /^-?\d{1,16}$/.test(value) ? Number(value) : value, least, most);
    },
    flag: (name) => {
      const value = text(name);
      if (value === undefined || value === '') return undefined;
      if (value !== 'true' && value !== 'false') throw invalid(name, 'must be true or false');
      return value === 'true';
    },
  };
}

function wholeWithin(name: string, value: unknown, least: number, most: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most) {
    throw invalid(name, `must be a whole number from ${least} to ${most}`);
  }
  return value;
}

export function missing(param: string, hint: string): GatewayError {
  return new GatewayError('field_missing', `The field \`${param}\` is missing. ${hint}`, { param });
}

export function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `The field \`${param}\` ${rule}.`, { param });
}
