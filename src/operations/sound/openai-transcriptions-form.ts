/** Reads the forms of the chat family's two wires of transcription; whatever is wrong with one is said of its field. */

import { defined, isObject } from '../../conversation/json-tree.ts';
import { invalid, missing } from '../field-checks.ts';
import { type TranscribeRequest, transcriptFormats } from '../transcribe.ts';
import type { OperationFacts, WireBody } from '../wire.ts';
import { FormFields } from './form-fields.ts';
import { oneOf } from './named-words.ts';

/** JSON in which the speakers are told apart. */
export const diarized = 'diarized_json';

const common = ['file', 'model', 'prompt', 'response_format', 'temperature'];
const translationFields = { once: new Set(common), lists: new Set<string>() };
const transcriptionFields = {
  once: new Set([...common, 'language', 'stream']),
  lists: new Set(['timestamp_granularities']),
};
const granularities = ['segment', 'word'] as const;

/**
 * The least that speech is packed into: 6 kbit/s, the floor of the densest codec that these endpoints take. A file cannot sound
 * longer than this says unless it is mostly silence, and what its name and type claim is the caller's word, so it counts for nothing.
 */
const bytesPerSecondLeast = 750;

export interface ReadForm {
  readonly request: TranscribeRequest;
  readonly facts: OperationFacts;
}

export function readForm(body: WireBody, name: string, translate: boolean): ReadForm {
  const fields = new FormFields(body);
  const model = fields.text('model');
  if (model === undefined) throw missing('model', 'Name the model to use; `GET /v1/models` lists them.');
  if (model === '') throw invalid('model', 'must not be empty');
  const file = fields.file('file');
  if (file === undefined) throw missing('file', 'Send the sound as a file.');
  if (file.bytes === 0) throw invalid('file', 'must not be empty');
  const formats = translate ? transcriptFormats : ([...transcriptFormats, diarized] as const);
  const format = oneOf('response_format', fields.text('response_format'), formats) ?? 'json';
  const stream = !translate && flag('stream', fields.text('stream'));
  const others = fields.others(translate ? translationFields : transcriptionFields);
  if (!translate) checkOthers(fields);
  const request: TranscribeRequest = {
    model,
    file,
    translate,
    ...defined('language', translate ? undefined : fields.text('language') || undefined),
    ...defined('prompt', fields.text('prompt') || undefined),
    format: format === diarized ? 'json' : format,
    ...defined('temperature', temperatureOf(fields.text('temperature'))),
    granularities: translate ? [] : granularitiesOf(fields),
    ...(format === diarized ? { speakers: true } : {}),
    stream,
    ...(others === undefined ? {} : { extras: { format: name, fields: others } }),
  };
  return { request, facts: { model, stream, most: mostUsed(file.bytes, request.prompt) } };
}

/** For each second, at the most that those count who bill sound by tokens, and more words than anybody says in it. */
const heardTokensPerSecond = 32;
const writtenTokensPerSecond = 8;

function mostUsed(fileBytes: number, prompt = ''): OperationFacts['most'] {
  const seconds = Math.ceil(fileBytes / bytesPerSecondLeast);
  const heard = seconds * heardTokensPerSecond + Buffer.byteLength(prompt);
  return { seconds, tokens: { input: { total: heard }, output: { total: seconds * writtenTokensPerSecond } } };
}

function granularitiesOf(fields: FormFields): TranscribeRequest['granularities'] {
  const named = fields.texts('timestamp_granularities');
  const read = named.flatMap((word) => oneOf('timestamp_granularities[]', word, granularities) ?? []);
  return [...new Set(read)];
}

/** What no neutral request holds is checked here and passed on as it is. */
function checkOthers(fields: FormFields): void {
  for (const word of fields.texts('include')) if (word === '') throw invalid('include[]', 'must not be empty');
  const strategy = fields.text('chunking_strategy');
  if (strategy === undefined || strategy === 'auto') return;
  if (!isObject(parsed(strategy))) throw invalid('chunking_strategy', 'must be `auto` or a JSON object');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function flag(param: string, value: string | undefined): boolean {
  const word = value?.toLowerCase();
  if (word === undefined || word === 'false') return false;
  if (word === 'true') return true;
  throw invalid(param, 'must be true or false');
}

function temperatureOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const temperature = /^[\d.eE+-]{1,32}$/.test(value) ? Number(value) : Number.NaN;
  if (!(temperature >= 0 && temperature <= 1)) throw invalid('temperature', 'must be a number from 0 to 1');
  return temperature;
}
