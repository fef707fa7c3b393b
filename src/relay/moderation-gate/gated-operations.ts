/** Operations that are no conversation at the gate: their texts and pictures before, their pictures and transcripts after. */

import type { ServiceName } from '../../operations/wire.ts';
import type { OperationBody } from '../operations/operation-body.ts';
import type { Content } from './content.ts';
import type { Judged, OpenGate } from './gate.ts';
import { unjudgeable } from './refusals.ts';
import { contentOfTree, contentsOf, type TreeOptions } from './tree-content.ts';

export interface JudgedOperation extends Judged {
  readonly operation: ServiceName;
  readonly body: OperationBody;
  readonly stream: boolean;
}

/** A file is shown to the judge in one piece. */
const fileBytesMax = 20_971_520;
const hears: ReadonlySet<ServiceName> = new Set(['transcribe', 'translate']);
const paints: ReadonlySet<ServiceName> = new Set(['make-image', 'edit-image']);

/** Rejects where the request may not be sent on, or where its result could not be judged. */
export async function judgeOperation(gate: OpenGate, given: JudgedOperation): Promise<void> {
  const { operation, body, stream } = given;
  if (operation === 'make-video' && gate.judgesReplies) throw unjudgeable('reply', 'a video');
  if (stream && judgesResult(gate, operation)) throw unjudgeable('reply', 'a stream of pieces');
  // What is spoken is what was asked for, so that the request is judged in the place of the reply.
  if (!gate.judgesRequests && !(gate.judgesReplies && operation === 'speak')) return;
  await gate.judge(given, 'request', await contentOfBody(body, hears.has(operation)));
}

/** Nobody can judge audio before it is written down: the transcript is judged in its place. */
function judgesResult(gate: OpenGate, operation: ServiceName): boolean {
  if (hears.has(operation)) return gate.judgesRequests || gate.judgesReplies;
  return gate.judgesReplies && paints.has(operation);
}

/** The reply where it may pass. Rejects where it may not, whether it is new or was kept for an idempotency key. */
export async function judgeResult(gate: OpenGate, given: JudgedOperation, reply: Response): Promise<Response> {
  if (!judgesResult(gate, given.operation)) return reply;
  const bytes = await reply.arrayBuffer();
  await gate.judge(given, 'reply', contentOfResult(reply.headers.get('content-type') ?? '', bytes));
  return new Response(bytes, { status: reply.status, headers: reply.headers });
}

function contentOfResult(contentType: string, bytes: ArrayBuffer): Content {
  const text = Buffer.from(bytes).toString('utf8');
  if (contentType.includes('json')) return contentOfTree(JSON.parse(text), { pictureField: 'url' });
  if (contentType.startsWith('text/') && !contentType.startsWith('text/event-stream')) {
    return contentOfTree({ text });
  }
  return { segments: [], pictures: [], unreadable: 'something that is no text' };
}

async function contentOfBody(body: OperationBody, hearsAudio: boolean): Promise<Content> {
  const options: TreeOptions = { hearsAudio };
  if (body.kind === 'json') return contentOfTree(body.json.tree, options);
  const { fields, files } = body.form;
  const contents = [contentOfTree(Object.fromEntries(fields), options)];
  for (const { mediaType, bytes, filename, whole } of files) {
    contents.push(contentOfTree({ filename }));
    // Audio that is to be transcribed, under whatever type its sender gave it.
    if (hearsAudio) continue;
    if (bytes > fileBytesMax) contents.push({ segments: [], pictures: [], unreadable: 'a large file' });
    else {
      const data = Buffer.from(await whole(fileBytesMax)).toString('base64');
      contents.push(contentOfTree({ file: { mimeType: mediaType, data } }));
    }
  }
  return contentsOf(contents);
}
