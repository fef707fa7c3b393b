/** Reads the fields of a form: which are there once, which may repeat, and which are unknown. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { invalid } from '../field-checks.ts';
import type { FormField, FormFile, WireBody } from '../wire.ts';

type Value = FormField['value'];

interface KnownFields {
  readonly once: ReadonlySet<string>;
  /** Without their brackets. */
  readonly lists: ReadonlySet<string>;
}

export class FormFields {
  readonly #values = new Map<string, Value[]>();

  constructor(body: WireBody) {
    if (body.kind !== 'form') {
      throw new GatewayError('content_type_unsupported', 'This endpoint takes a form (`multipart/form-data`).');
    }
    for (const { name, value } of body.fields) {
      const values = this.#values.get(name);
      if (values === undefined) this.#values.set(name, [value]);
      else values.push(value);
    }
  }

  /** Undefined where it is absent; two of them are refused, because either could be meant. */
  text(name: string): string | undefined {
    const value = this.#once(name);
    if (typeof value === 'object') throw invalid(name, 'must be text, not a file');
    return value;
  }

  file(name: string): FormFile | undefined {
    const value = this.#once(name);
    if (typeof value === 'string') throw invalid(name, 'must be a file with its content, not text');
    return value;
  }

  /** A list is written `name[]`, and by some clients `name` or `name[0]`. */
  texts(name: string): string[] {
    return this.#spellings(name).flatMap((spelling) =>
      (this.#values.get(spelling) ?? []).map((value) => {
        if (typeof value === 'object') throw invalid(spelling, 'must be text, not a file');
        return value;
      }),
    );
  }

  /** All fields but these, each with all its values, in the order in which they came. */
  others({ once, lists }: KnownFields): Record<string, readonly Value[]> | undefined {
    const left = [...this.#values].filter(([name]) => !once.has(name) && !lists.has(bare(name)));
    return left.length === 0 ? undefined : Object.fromEntries(left);
  }

  #once(name: string): Value | undefined {
    const values = this.#values.get(name) ?? [];
    if (values.length > 1) throw invalid(name, 'must be there once');
    return values[0];
  }

  #spellings(name: string): string[] {
    return [...this.#values.keys()].filter((spelling) => bare(spelling) === name);
  }
}

/** Only these are extras of a form: whatever else an object holds was not read from one. */
export function writtenBack(fields: Readonly<Record<string, unknown>>): FormField[] {
  return Object.entries(fields).flatMap(([name, values]) =>
    Array.isArray(values) ? values.filter(isValue).map((value) => ({ name, value })) : [],
  );
}

function isValue(value: unknown): value is Value {
  return typeof value === 'string' || (typeof value === 'object' && value !== null && 'open' in value);
}

function bare(name: string): string {
  return name.replace(/\[\d*\]$/, '');
}
