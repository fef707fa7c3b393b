/** Moderation of operations: texts and images of requests, images and transcripts of replies. */

import { type Reply, WholeReply } from '../../http/reply.ts';
import type { ServiceName } from '../../operations/wire.ts';
import type { OperationBody } from '../operations/operation-body.ts';
import type { Content } from './content.ts';
import type { Moderated, OpenGate } from './gate.ts';
import { notCheckable } from './refusals.ts';
import { contentOfTree, contentsOf, type TreeOptions } from './tree-content.ts';

export interface ModeratedOperation extends Moderated {
  readonly operation: ServiceName;
  readonly body: OperationBody;
  readonly stream: boolean;
}

/** A file is checked in one piece. */
const fileBytesMax = 20_971_520;
const transcribes: ReadonlySet<ServiceName> = new Set(['transcribe', 'translate']);
const makesImages: ReadonlySet<ServiceName> = new Set(['make-image', 'edit-image']);

/** Rejects where the request may not be sent on, or where its result could not be checked. */
export async function checkOperation(gate: OpenGate, given: ModeratedOperation): Promise<void> {
  const { operation, body, stream } = given;
  if (operation === 'make-video' && gate.checksReplies) throw notCheckable('reply', 'a video');
  if (stream && checksResult(gate, operation)) throw notCheckable('reply', 'a stream of pieces');
  // Speech says what the request says, so the request is checked in place of the reply.
  if (!gate.checksRequests && !(gate.checksReplies && operation === 'speak')) return;
  await gate.check(given, 'request', await contentOfBody(body, transcribes.has(operation)));
}

/** Audio cannot be checked before it is transcribed: the transcript is checked in its place. */
function checksResult(gate: OpenGate, operation: ServiceName): boolean {
  if (transcribes.has(operation)) return gate.checksRequests || gate.checksReplies;
  return gate.checksReplies && makesImages.has(operation);
}

/** The reply where it may pass. Rejects where it may not, whether it is new or was kept for an idempotency key. */
export async function checkResult(gate: OpenGate, given: ModeratedOperation, reply: Reply): Promise<Reply> {
  if (!checksResult(gate, given.operation)) return reply;
  const bytes = await reply.bytes();
  await gate.check(given, 'reply', contentOfResult(reply.headers.get('content-type') ?? '', bytes));
  return new WholeReply(bytes, Object.fromEntries(reply.headers), undefined, reply.status);
}

function contentOfResult(contentType: string, bytes: Uint8Array): Content {
  const text = Buffer.from(bytes).toString('utf8');
  if (contentType.includes('json')) return contentOfTree(JSON.parse(text), { imageField: 'url' });
  if (contentType.startsWith('text/') && !contentType.startsWith('text/event-stream')) {
    return contentOfTree({ text });
  }
  return { segments: [], images: [], unreadable: 'something that is no text' };
}

async function contentOfBody(body: OperationBody, transcribesAudio: boolean): Promise<Content> {
  const options: TreeOptions = { transcribesAudio };
  if (body.kind === 'json') return contentOfTree(body.json.tree, options);
  const { fields, files } = body.form;
  const contents = [contentOfTree(Object.fromEntries(fields), options)];
  for (const { mediaType, bytes, filename, whole } of files) {
    contents.push(contentOfTree({ filename }));
    // Audio that is to be transcribed, under whatever type its sender gave it.
    if (transcribesAudio) continue;
    if (bytes > fileBytesMax) contents.push({ segments: [], images: [], unreadable: 'a large file' });
    else {
      const data = Buffer.from(await whole(fileBytesMax)).toString('base64');
      contents.push(contentOfTree({ file: { mimeType: mediaType, data } }));
    }
  }
  return contentsOf(contents);
}
