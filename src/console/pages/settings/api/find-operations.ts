/** The operations that a search finds: by path, summary and the names and descriptions of their fields. */

import type { ApiFamily, ApiOperation } from './openapi.ts';

export interface FoundOperation extends ApiOperation {
  /** Fields by which it was found, where its path and its summary alone would not do. */
  readonly foundFields: readonly string[];
}

interface FoundFamily {
  readonly name: string;
  readonly operations: readonly FoundOperation[];
}

const fieldsShownMax = 4;

/** Every word must be found somewhere. */
export function findOperations(families: readonly ApiFamily[], text: string): readonly FoundFamily[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return families.flatMap(({ name, operations }) => {
    const found = operations.flatMap((operation) => {
      const fields = foundIn(operation, name, words);
      return fields === undefined ? [] : [{ ...operation, foundFields: fields }];
    });
    return found.length === 0 ? [] : [{ name, operations: found }];
  });
}

function foundIn(operation: ApiOperation, family: string, words: readonly string[]): readonly string[] | undefined {
  const { method, path, summary, description, fields } = operation;
  const head = `${method} ${path} ${summary} ${description} ${family}`.toLowerCase();
  const missing = words.filter((word) => !head.includes(word));
  const holds = (word: string) =>
    fields.filter(({ name, description: about }) => `${name} ${about}`.toLowerCase().includes(word));
  if (missing.some((word) => holds(word).length === 0)) return undefined;
  const names = missing.flatMap(holds).map(({ name }) => name);
  return [...new Set(names)].slice(0, fieldsShownMax);
}
