/** The published schemas that may lie beside the project; the oracles are compared with them where they do. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { sharedPath } from './recordings.ts';

let loaded: Ajv2020 | undefined;

/** What the published schema of the name finds wrong; nothing where the schemas are absent. */
export function publishedFault(name: string, value: unknown): string | undefined {
  const file = sharedPath('schemas/openai.schema.json');
  if (file === undefined) return undefined;
  loaded ??= load(file);
  const validate = loaded.getSchema(`openai#/$defs/${name}`);
  if (validate === undefined) throw new Error(`no published schema ${name}`);
  if (validate(value) === true) return undefined;
  return `${JSON.stringify(validate.errors?.slice(0, 5))} in ${JSON.stringify(value).slice(0, 600)}`;
}

function load(file: string): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  for (const format of ['int64', 'float', 'binary', 'unixtime', 'decimal']) ajv.addFormat(format, true);
  ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')) as object, 'openai');
  return ajv;
}
