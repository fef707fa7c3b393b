/** The mistakes in a file that describes an organization: all of them, each with its key, its line and what to do. */

import type { z } from 'zod';
import { nearestName } from '../../config/nearest-name.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';

export type Path = readonly (string | number)[];

interface Mistake {
  readonly path: Path;
  /** What is wrong and what is allowed, without the key. */
  readonly message: string;
  /** Where it is not that of the path. */
  readonly line?: number;
}

/** Collects mistakes instead of stopping at the first. */
export class Mistakes {
  readonly list: Mistake[] = [];

  add(path: Path, message: string, line?: number): void {
    const isKnown = this.list.some((other) => pathText(other.path) === pathText(path));
    if (!isKnown) this.list.push(line === undefined ? { path, message } : { path, message, line });
  }

  /** The checked value, or undefined and its mistakes. */
  check<Schema extends z.ZodType>(schema: Schema, value: unknown, path: Path): z.output<Schema> | undefined {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    for (const issue of result.error.issues) {
      const at = [...path, ...(issue.path as Path)];
      if (issue.code === 'unrecognized_keys') {
        const known = keysAt(schema, issue.path);
        for (const key of issue.keys) this.add([...at, key], unknownKey(key, known));
      } else this.add(at, issue.message);
    }
    return undefined;
  }

  /** The value, where a service of the admin interface does not refuse it; a refusal names the field at fault. */
  take<Value>(path: Path, work: () => Value, pathOf: (param: string) => Path = () => path): Value | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const { param, message } = error;
      this.add(pathOf(param), message.startsWith(`${param}: `) ? message.slice(param.length + 2) : message);
      return undefined;
    }
  }
}

export function unknownKey(key: string, known: readonly string[]): string {
  return `is not a known key${suggestion(key, known) || '.'} Known: ${known.join(', ')}`;
}

export function suggestion(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

export function pathText(path: Path): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');
}

/** The keys that the strict object at this place of a schema knows. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = schema;
  for (const step of [...path, undefined]) {
    at = inner(at);
    if (step === undefined) break;
    const { shape, element, valueType } = at as Partial<Record<'shape' | 'element' | 'valueType', unknown>>;
    at = shape === undefined ? (element ?? valueType) : Reflect.get(shape as object, step);
  }
  return Object.keys(((at ?? {}) as { readonly shape?: object }).shape ?? {});
}

/** What optional, nullable and transformed schemas are made of. */
function inner(schema: unknown): unknown {
  let at = schema as
    | {
        readonly def?: {
          readonly innerType?: unknown;
          readonly in?: unknown;
          readonly out?: unknown;
          readonly type?: string;
        };
      }
    | undefined;
  for (;;) {
    const { innerType, in: input, out, type } = at?.def ?? {};
    const next =
      innerType ?? (type === 'pipe' ? ((input as typeof at)?.def?.type === 'transform' ? out : input) : undefined);
    if (next === undefined) return at;
    at = next as typeof at;
  }
}
