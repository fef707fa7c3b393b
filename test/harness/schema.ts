/** Validates replies and events against the published schemas where that folder lies beside the project. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const file = join(import.meta.dir, '../../../shared/schemas/openai.schema.json');

export type SchemaName =
  | 'CreateChatCompletionResponse'
  | 'CreateChatCompletionStreamResponse'
  | 'CreateCompletionResponse'
  | 'CreateEmbeddingRequest'
  | 'CreateEmbeddingResponse'
  | 'CreateModerationRequest'
  | 'CreateModerationResponse'
  | 'CreateSpeechRequest'
  | 'CreateSpeechResponseStreamEvent'
  | 'CreateTranscriptionResponseJson'
  | 'CreateTranscriptionResponseStreamEvent'
  | 'CreateTranscriptionResponseVerboseJson'
  | 'Response'
  | 'ResponseStreamEvent'
  | 'ImagesResponse'
  | 'ImageGenStreamEvent'
  | 'ImageEditStreamEvent'
  | 'ListModelsResponse'
  | 'Model'
  | 'RealtimeServerEvent'
  | 'ErrorResponse';

const validator = existsSync(file) ? load() : undefined;
if (validator === undefined)
  console.warn('The published schemas are not beside the project: replies are not validated against them.');

/** Throws what is wrong; does nothing where the schemas are absent. */
export function expectValid(name: SchemaName, value: unknown): void {
  const validate = validator?.getSchema(`openai#/$defs/${name}`);
  if (validate === undefined) {
    if (validator !== undefined) throw new Error(`no schema ${name}`);
    return;
  }
  if (validate(value) !== true)
    throw new Error(
      `not a ${name}: ${JSON.stringify(validate.errors?.slice(0, 5))} in ${JSON.stringify(value).slice(0, 600)}`,
    );
}

function load(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  for (const format of ['int64', 'float', 'binary', 'unixtime', 'decimal']) ajv.addFormat(format, true);
  ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')) as object, 'openai');
  return ajv;
}
