/** OpenAI, Cohere and Weir APIs beside conversations: which reply is validated against which schema. https://platform.openai.com/docs/api-reference (read 2026-11-16) */

import { chatError, chatEvent, chatReply, orderFault as cohereOrderFault } from '../cohere/chat.ts';
import { weirError } from '../openai-errors.ts';
import { endsWithPath, type Oracle, type OracleRequest } from '../oracle.ts';
import { betaSession, clientSecret } from '../realtime/session.ts';
import {
  orderFault as audioOrderFault,
  speechEvent,
  transcriptEvent,
  transcriptionReply,
  translationReply,
} from './audio.ts';
import { cohereEmbed, openaiEmbeddings } from './embeddings.ts';
import { editEvent, generationEvent, orderFault as imagesOrderFault, imagesReply } from './images.ts';
import { moderation } from './moderations.ts';
import { weirRerank } from './rerank.ts';
import { callbackSecret, deletedTask, deletedVideo, video, videoPage, videoTask, videoTaskPage } from './videos.ts';

const error = weirError;

export const operationOracles: readonly Oracle[] = [
  { name: 'openai embeddings', matches: endsWithPath('POST', 'embeddings'), reply: openaiEmbeddings, error },
  { name: 'openai moderations', matches: endsWithPath('POST', 'moderations'), reply: moderation, error },
  { name: 'rerank', matches: endsWithPath('POST', 'rerank'), reply: weirRerank, error },
  {
    name: 'openai image generations',
    matches: endsWithPath('POST', 'images/generations'),
    reply: imagesReply,
    event: generationEvent,
    orderFault: imagesOrderFault,
    error,
  },
  {
    name: 'openai image edits',
    matches: endsWithPath('POST', 'images/edits'),
    reply: imagesReply,
    event: editEvent,
    orderFault: imagesOrderFault,
    error,
  },
  {
    name: 'openai speech',
    matches: endsWithPath('POST', 'audio/speech'),
    event: speechEvent,
    orderFault: audioOrderFault,
    error,
  },
  {
    name: 'openai transcriptions',
    matches: endsWithPath('POST', 'audio/transcriptions'),
    reply: transcriptionReply,
    event: transcriptEvent,
    orderFault: audioOrderFault,
    error,
  },
  { name: 'openai translations', matches: endsWithPath('POST', 'audio/translations'), reply: translationReply, error },
];

export const cohereOracles: readonly Oracle[] = [
  {
    name: 'cohere chat',
    matches: endsWithPath('POST', 'v2/chat'),
    reply: chatReply,
    event: chatEvent,
    orderFault: cohereOrderFault,
    error: chatError,
  },
  { name: 'cohere embed', matches: endsWithPath('POST', 'v2/embed'), reply: cohereEmbed, error: chatError },
];

/** A path below `/v1`, recognized by a pattern. */
const at =
  (method: string, pattern: RegExp) =>
  (request: OracleRequest): boolean =>
    request.method === method && pattern.test(request.path);

export const videoOracles: readonly Oracle[] = [
  { name: 'openai videos', matches: endsWithPath('POST', 'videos'), reply: video, error },
  { name: 'openai video list', matches: endsWithPath('GET', 'videos'), reply: videoPage, error },
  { name: 'openai video', matches: at('GET', /\/videos\/[^/]+$/), reply: video, error },
  { name: 'openai deleted video', matches: at('DELETE', /\/videos\/[^/]+$/), reply: deletedVideo, error },
  { name: 'openai video content', matches: at('GET', /\/videos\/[^/]+\/content$/), error },
  { name: 'video task', matches: endsWithPath('POST', 'video/generations'), reply: videoTask, error },
  { name: 'video task list', matches: endsWithPath('GET', 'video/generations'), reply: videoTaskPage, error },
  { name: 'one video task', matches: at('GET', /\/video\/generations\/[^/]+$/), reply: videoTask, error },
  { name: 'deleted task', matches: at('DELETE', /\/video\/generations\/[^/]+$/), reply: deletedTask, error },
  { name: 'video content', matches: at('GET', /\/video\/generations\/[^/]+\/content$/), error },
  { name: 'callback secret', matches: endsWithPath('GET', 'video/callback_secret'), reply: callbackSecret, error },
];

export const realtimeOracles: readonly Oracle[] = [
  {
    name: 'openai client secret',
    matches: endsWithPath('POST', 'realtime/client_secrets'),
    reply: clientSecret,
    error,
  },
  { name: 'openai beta session', matches: endsWithPath('POST', 'realtime/sessions'), reply: betaSession, error },
  { name: 'realtime handshake', matches: endsWithPath('GET', 'realtime'), error },
];

/** The admin interface: its replies are typed by src/admin/contract.ts, its errors are those of the chat format (docs/errors.md). */
export const adminOracles: readonly Oracle[] = [
  { name: 'admin error', matches: ({ path }) => path.startsWith('/console/api/'), error },
];
