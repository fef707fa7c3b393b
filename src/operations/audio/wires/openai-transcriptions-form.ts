/**
 * OpenAI transcription and translation forms: reads them, and names the field of every mistake.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { defined, isObject } from '../../../conversation/json-tree.ts';
import { invalid, missing } from '../../field-checks.ts';
import { type TranscribeRequest, transcriptFormats } from '../../transcribe.ts';
import type { FormFile, OperationFacts, WireBody } from '../../wire.ts';
import { FormFields } from '../form-fields.ts';
import type { AudioLength } from '../length/audio-length.ts';
import { oneOf } from '../named-words.ts';

/** JSON in which the speakers are distinguished. */
export const diarized = 'diarized_json';

const common = ['file', 'model', 'prompt', 'response_format', 'temperature'];
const translationFields = { once: new Set(common), lists: new Set<string>() };
const transcriptionFields = {
  once: new Set([...common, 'language', 'stream']),
  lists: new Set(['timestamp_granularities']),
};
const granularities = ['segment', 'word'] as const;

/** The least that speech is packed into: 6 kbit/s, the floor of the densest codec that these endpoints take. */
const bytesPerSecondLeast = 750;
/** The least that silence is packed into, by codecs that encode it separately. */
const silentBytesPerSecondLeast = 16;

interface ReadForm {
  readonly request: TranscribeRequest;
  readonly facts: OperationFacts;
}

export function readForm(body: WireBody, name: string, translate: boolean): ReadForm {
  const fields = new FormFields(body);
  const model = fields.text('model');
  if (model === undefined) throw missing('model', 'Name the model to use; `GET /v1/models` lists them.');
  if (model === '') throw invalid('model', 'must not be empty');
  const file = fields.file('file');
  if (file === undefined) throw missing('file', 'Send the audio as a file.');
  if (file.bytes === 0) throw invalid('file', 'must not be empty');
  const formats = translate ? transcriptFormats : ([...transcriptFormats, diarized] as const);
  const format = oneOf('response_format', fields.text('response_format'), formats) ?? 'json';
  const stream = !translate && flag('stream', fields.text('stream'));
  const others = fields.others(translate ? translationFields : transcriptionFields);
  if (!translate) checkOthers(fields);
  refuseFurtherAudio(others ?? {});
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

/** For each second, the most that any provider counts that bills audio by tokens, and more words than a person says in it. */
const audioTokensPerSecond = 32;
const writtenTokensPerSecond = 8;

/** Before the file was read. Its name and type come from the caller and are not trusted. */
function mostUsed(fileBytes: number, prompt = ''): OperationFacts['most'] {
  return mostTranscribed(Math.ceil(fileBytes / bytesPerSecondLeast), Buffer.byteLength(prompt));
}

function mostTranscribed(seconds: number, promptTokens: number): OperationFacts['most'] {
  const audio = seconds * audioTokensPerSecond;
  const input = { total: audio + promptTokens, audio };
  return { seconds, tokens: { input, output: { total: seconds * writtenTokensPerSecond } } };
}

/** A length that was counted is what counts; one that is only claimed can raise it; silence of unknown length is bounded as silence. */
export function lasting(facts: OperationFacts, { bytes }: FormFile, length: AudioLength): OperationFacts {
  const spoken = Math.ceil(bytes / bytesPerSecondLeast);
  const silent = Math.ceil(bytes / silentBytesPerSecondLeast);
  const claimed = length.seconds === undefined ? undefined : Math.max(1, Math.ceil(length.seconds));
  const unclaimed = length.packsSilence ? silent : spoken;
  const seconds = length.exact ? (claimed ?? unclaimed) : Math.max(spoken, claimed ?? unclaimed);
  const promptTokens = (facts.most.tokens?.input.total ?? 0) - (facts.most.seconds ?? 0) * audioTokensPerSecond;
  // Where nothing was counted it is charged as the thinnest speech, unless the provider reports its length.
  const uncounted = claimed === undefined ? (length.packsSilence ? spoken : undefined) : seconds;
  const secondsLikely = length.exact ? seconds : uncounted;
  return { ...facts, most: { ...mostTranscribed(seconds, promptTokens), ...defined('secondsLikely', secondsLikely) } };
}

export function audioIn(body: WireBody): FormFile | undefined {
  return body.kind === 'form' ? new FormFields(body).file('file') : undefined;
}

function granularitiesOf(fields: FormFields): TranscribeRequest['granularities'] {
  const named = fields.texts('timestamp_granularities');
  const read = named.flatMap((word) => oneOf('timestamp_granularities[]', word, granularities) ?? []);
  return [...new Set(read)];
}

/** Other places of audio, which some servers read instead of the file that was measured. */
const elsewhere: ReadonlySet<string> = new Set([
  ...['url', 'uri', 'fileurl', 'fileuri', 'fileid', 'audiourl', 'audio', 'sourceurl', 'cloudstorageurl'],
]);

function refuseFurtherAudio(others: Readonly<Record<string, readonly unknown[]>>): void {
  for (const [name, values] of Object.entries(others)) {
    const folded = name.toLowerCase().replaceAll(/[^a-z]/g, '');
    if (!elsewhere.has(folded) && values.every((value) => typeof value === 'string')) continue;
    throw invalid(name, 'cannot be sent beside `file`, which holds the audio');
  }
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
