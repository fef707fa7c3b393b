/**
 * AssemblyAI Sync transcription: a short wave file in, its transcript in the same reply.
 * https://www.assemblyai.com/docs/api-reference/sync-api/transcribe (read 2026-11-16)
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { Consumption } from '../../consumption.ts';
import type { TranscribeRequest, Transcript } from '../../transcribe.ts';
import type { FormField, FormFile, ProviderWire, WireReply, WrittenRequest } from '../../wire.ts';
import { replyTree } from '../../wire-replies.ts';
import { readTimed } from './assemblyai-transcription.ts';
import { secondsOf } from './openai-transcript-reply.ts';
import { refuseOtherTask } from './openai-transcriptions-provider.ts';

const name = 'assemblyai-sync';

export const assemblyaiSyncProvider: ProviderWire<TranscribeRequest, Transcript> = {
  operation: 'transcribe',
  name,
  writeRequest,
  readReply,
  measure: usedBy,
};

/** The model is a header, everything else about the file a part of JSON beside it. */
function writeRequest(request: TranscribeRequest, model: string): Converted<WrittenRequest> {
  refuseOtherTask(request, false);
  const losses = new LossList();
  losses.addForeign(request.extras, name);
  const { language, prompt } = request;
  if (prompt !== undefined && language !== undefined) losses.add('language', 'is not read beside a prompt');
  if (request.temperature !== undefined) losses.add('temperature', 'is not known to this provider');
  if (request.speakers === true) {
    losses.add('response_format', 'asks for speakers, which this provider does not distinguish');
  }
  const config = {
    ...defined('prompt', prompt),
    ...defined('language_code', prompt === undefined ? language?.toLowerCase().split('-')[0] : undefined),
    ...(wantsTimes(request) && { timestamps: true }),
  };
  const fields: FormField[] = [
    { name: 'audio', value: request.file },
    ...(Object.keys(config).length > 0 ? [{ name: 'config', value: jsonPart(config) }] : []),
  ];
  return { value: { body: { kind: 'form', fields }, headers: { 'x-aai-model': model } }, losses: losses.all };
}

/** Times make the reply later, so they are asked for where the caller wants some. */
function wantsTimes({ format, speakers }: TranscribeRequest): boolean {
  return speakers === true || format === 'verbose_json' || format === 'srt' || format === 'vtt';
}

function jsonPart(tree: Tree): FormFile {
  const bytes = new TextEncoder().encode(JSON.stringify(tree));
  return {
    field: 'config',
    filename: 'config.json',
    mediaType: 'application/json',
    bytes: bytes.length,
    async *open() {
      yield bytes;
    },
  };
}

function readReply(reply: WireReply): Converted<Transcript> {
  const tree = replyTree(reply);
  if (typeof tree['text'] !== 'string') throw new SyntaxError('the reply has no `text`');
  return { value: readTimed(tree, usedBy(tree)), losses: [] };
}

function usedBy(reply: unknown): Consumption {
  const milliseconds = isObject(reply) ? secondsOf(reply['audio_duration_ms']) : undefined;
  return defined('seconds', milliseconds === undefined ? undefined : milliseconds / 1_000);
}
