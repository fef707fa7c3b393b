/** Asks in the prompt for the shape of a reply that a model does not support as a field. */

import { reportWords, wordsFor } from '../../../conversation/fit/output.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { BodyChanges } from '../../body-changes.ts';

/** Where the format has it today, or where it had it first. */
export function schemaIn({ output_config: config, output_format: older }: Tree): Tree | undefined {
  const format = isObject(config) ? (config.format ?? older) : older;
  return isObject(format) && format.type === 'json_schema' && isObject(format.schema) ? format.schema : undefined;
}

/** After other changes of the settings of the output. */
export function fitOutput(tree: Tree, changes: BodyChanges): void {
  const schema = schemaIn(tree);
  if (schema === undefined) return;
  const config = changes.get('output_config');
  if (isObject(config) && config.format !== undefined) {
    const { format: _, ...rest } = config;
    if (Object.keys(rest).length > 0) changes.set('output_config', rest);
    else changes.remove('output_config');
  }
  changes.remove('output_format');
  changes.set('system', instructed(changes.exactly('system'), wordsFor(schema)));
  reportWords('output schema', changes.losses);
}

function instructed(system: unknown, words: string): unknown {
  if (Array.isArray(system)) return [...system, { type: 'text', text: words }];
  return typeof system === 'string' && system !== '' ? `${system}\n\n${words}` : words;
}
