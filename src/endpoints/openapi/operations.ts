/**
 * The purpose of each route of the public API: one row per path. The rest of the description follows from these rows.
 */

import type { Carrier } from '../../access/credential.ts';
import { chat } from '../conversations/chat.ts';
import { cohereChatEndpoint } from '../conversations/cohere-chat.ts';
import { compact } from '../conversations/compact.ts';
import { completions } from '../conversations/completions.ts';
import { generateCarriers } from '../conversations/generate-content.ts';
import { messages } from '../conversations/messages.ts';
import { responses } from '../conversations/responses.ts';
import { socketCarriers } from '../conversations/responses-session.ts';
import type { Family, Passage } from './errors.ts';
import type { replySchemas } from './reply-schemas.ts';
import type { requestSchemas } from './request-schemas.ts';

type RequestName = keyof typeof requestSchemas;
type ReplyName = keyof typeof replySchemas;

/** `signature`: the URL itself carries the permission. */
export type Permission = Carrier | 'signature' | 'nothing';

export interface Operation {
  /** As in the route table. */
  readonly route: string;
  /** If one route answers several paths: each as in the description. */
  readonly paths?: readonly string[];
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly permissions: readonly Permission[];
  readonly family: Family;
  readonly passages: readonly Passage[];
  readonly body?: { readonly json?: RequestName; readonly form?: RequestName };
  readonly reply?: ReplyName;
  /** Each event of a stream, if the reply can be one. */
  readonly event?: ReplyName;
  /** Types of a reply that is not JSON. */
  readonly media?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly socket?: boolean;
}

const call: readonly Passage[] = ['token', 'body', 'model'];
const question: readonly Passage[] = ['token'];
const bearer = chat.carriers;
const inChat = { family: 'chat', passages: call, permissions: bearer } as const;
const asked = { family: 'chat', passages: question, permissions: bearer } as const;

const conversations: readonly Operation[] = [
  {
    ...inChat,
    route: `POST ${chat.path}`,
    id: 'chat',
    tag: 'Conversation',
    summary: 'Create a chat completion.',
    body: { json: 'ChatRequest' },
    reply: 'ChatReply',
    event: 'ChatChunk',
  },
  {
    ...inChat,
    route: `POST ${completions.path}`,
    id: 'completions',
    tag: 'Conversation',
    summary: 'Create a completion (legacy).',
    body: { json: 'CompletionRequest' },
    reply: 'CompletionReply',
    event: 'CompletionReply',
  },
  {
    ...inChat,
    family: 'cohere',
    route: `POST ${cohereChatEndpoint.path}`,
    id: 'cohereChat',
    tag: 'Conversation',
    summary: 'Create a chat completion in the Cohere format.',
    permissions: cohereChatEndpoint.carriers,
    body: { json: 'CohereChatRequest' },
    reply: 'CohereChatReply',
    event: 'Description',
  },
  {
    ...inChat,
    route: `POST ${responses.path}`,
    id: 'responses',
    tag: 'Conversation',
    summary: 'Create a response.',
    permissions: responses.carriers,
    body: { json: 'ResponsesRequest' },
    reply: 'ResponsesReply',
    event: 'Description',
  },
  {
    ...asked,
    route: `GET ${responses.path}`,
    id: 'responsesSocket',
    tag: 'Conversation',
    summary: 'Open a WebSocket for responses. Each `response.create` event is one request.',
    permissions: socketCarriers,
    socket: true,
  },
  {
    ...asked,
    route: 'GET /v1/responses/{id}',
    id: 'keptResponse',
    tag: 'Conversation',
    summary: 'Get a stored response.',
    reply: 'ResponsesReply',
  },
  {
    ...asked,
    route: 'DELETE /v1/responses/{id}',
    id: 'deleteResponse',
    tag: 'Conversation',
    summary: 'Delete a stored response.',
    reply: 'Deleted',
  },
  {
    ...asked,
    route: 'POST /v1/responses/{id}/cancel',
    id: 'cancelResponse',
    tag: 'Conversation',
    summary: 'Cancel a response that runs in the background.',
    reply: 'ResponsesReply',
  },
  {
    ...asked,
    route: 'GET /v1/responses/{id}/input_items',
    id: 'responseItems',
    tag: 'Conversation',
    summary: 'List the input items of a stored response.',
    query: {
      limit: 'Items per page.',
      order: '`asc` or `desc`.',
      after: 'The ID of the last item of the previous page.',
    },
    reply: 'ItemList',
  },
  {
    ...inChat,
    route: 'POST /v1/responses/input_tokens',
    id: 'countResponsesInput',
    tag: 'Conversation',
    summary: 'Count the input tokens of a response request.',
    body: { json: 'ResponsesRequest' },
    reply: 'InputTokens',
  },
  {
    ...inChat,
    route: `POST ${compact.path}`,
    id: 'compactResponses',
    tag: 'Conversation',
    summary: 'Compact a conversation into the user’s messages and one item for the rest.',
    permissions: compact.carriers,
    body: { json: 'ResponsesRequest' },
    reply: 'Compaction',
  },
  {
    family: 'messages',
    passages: call,
    permissions: messages.carriers,
    route: `POST ${messages.path}`,
    id: 'messages',
    tag: 'Conversation',
    summary: 'Create a message.',
    body: { json: 'MessagesRequest' },
    reply: 'MessagesReply',
    event: 'Description',
  },
  {
    family: 'messages',
    passages: call,
    permissions: messages.carriers,
    route: 'POST /v1/messages/count_tokens',
    id: 'countMessages',
    tag: 'Conversation',
    summary: 'Count the input tokens of a message request.',
    body: { json: 'CountRequest' },
    reply: 'InputTokens',
  },
];

/** The actions after a model's colon, with their bodies and replies. */
const actions = [
  { word: 'generateContent', summary: 'Generate content.', body: 'GenerateRequest', reply: 'GenerateReply' },
  {
    word: 'streamGenerateContent',
    summary: 'Stream generated content: server-sent events with `alt=sse`, otherwise one JSON array.',
    body: 'GenerateRequest',
    reply: 'GenerateReply',
    event: 'GenerateReply',
  },
  {
    word: 'countTokens',
    summary: 'Count the tokens of a content request.',
    body: 'GenerateRequest',
    reply: 'TotalTokens',
  },
  {
    word: 'embedContent',
    summary: 'Create an embedding of one content.',
    body: 'EmbedContentRequest',
    reply: 'EmbedContentReply',
  },
  {
    word: 'batchEmbedContents',
    summary: 'Create embeddings of several contents.',
    body: 'BatchEmbedRequest',
    reply: 'BatchEmbedReply',
  },
] as const;

const prefixes = { '/v1/models/': 'Stable', '/v1beta/models/': '', '/v1beta/': 'Short' } as const;

const generation: readonly Operation[] = Object.entries(prefixes).flatMap(([prefix, ending]) =>
  actions.map((action): Operation => {
    const streams = 'event' in action;
    return {
      family: 'generate',
      passages: call,
      permissions: generateCarriers,
      route: `POST ${prefix}{id...}`,
      paths: [`${prefix}{model}:${action.word}`],
      id: `${action.word}${ending}`,
      tag: 'Content generation',
      summary: action.summary,
      body: { json: action.body },
      reply: action.reply,
      ...(streams && { event: action.event, query: { alt: '`sse` for server-sent events.' } }),
    };
  }),
);

const operations: readonly Operation[] = [
  {
    ...inChat,
    route: 'POST /v1/embeddings',
    id: 'embeddings',
    tag: 'Operations',
    summary: 'Create embeddings.',
    body: { json: 'EmbeddingRequest' },
    reply: 'EmbeddingReply',
  },
  {
    ...inChat,
    family: 'cohere',
    permissions: ['bearer'],
    route: 'POST /v2/embed',
    id: 'cohereEmbed',
    tag: 'Operations',
    summary: 'Create embeddings in the Cohere format.',
    body: { json: 'CohereEmbedRequest' },
    reply: 'CohereEmbedReply',
  },
  {
    ...inChat,
    route: 'POST /v1/moderations',
    id: 'moderations',
    tag: 'Operations',
    summary: 'Moderate text and images.',
    body: { json: 'ModerationRequest' },
    reply: 'ModerationReply',
  },
  ...(['/v1/rerank', '/v2/rerank'] as const).map(
    (path): Operation => ({
      ...inChat,
      route: `POST ${path}`,
      id: path === '/v1/rerank' ? 'rerank' : 'rerankTwo',
      tag: 'Operations',
      summary: 'Rerank documents by relevance to a query.',
      body: { json: 'RerankRequest' },
      reply: 'RerankReply',
    }),
  ),
  {
    ...inChat,
    route: 'POST /v1/images/generations',
    id: 'makeImage',
    tag: 'Operations',
    summary: 'Generate images.',
    body: { json: 'ImageRequest' },
    reply: 'ImagesReply',
    event: 'Description',
  },
  {
    ...inChat,
    route: 'POST /v1/images/edits',
    id: 'editImage',
    tag: 'Operations',
    summary: 'Edit images.',
    body: { json: 'ImageEditRequest', form: 'ImageEditForm' },
    reply: 'ImagesReply',
    event: 'Description',
  },
  {
    ...inChat,
    route: 'POST /v1/audio/speech',
    id: 'speak',
    tag: 'Operations',
    summary: 'Text to speech.',
    body: { json: 'SpeechRequest' },
    media: ['audio/mpeg', 'audio/ogg', 'audio/aac', 'audio/flac', 'audio/wav', 'audio/pcm'],
    event: 'Description',
  },
  {
    ...inChat,
    route: 'POST /v1/audio/transcriptions',
    id: 'transcribe',
    tag: 'Operations',
    summary: 'Transcribe audio.',
    body: { form: 'TranscriptionForm' },
    reply: 'TranscriptionReply',
    media: ['text/plain'],
    event: 'Description',
  },
  {
    ...inChat,
    route: 'POST /v1/audio/translations',
    id: 'translate',
    tag: 'Operations',
    summary: 'Translate audio into English text.',
    body: { form: 'TranslationForm' },
    reply: 'TranscriptionReply',
    media: ['text/plain'],
  },
  {
    ...asked,
    route: 'GET /v1/results/{id}',
    id: 'result',
    tag: 'Operations',
    summary: 'Download a result from its signed URL.',
    permissions: ['signature'],
    media: ['image/png', 'image/jpeg', 'image/webp', 'application/octet-stream'],
  },
];

export const operationRows: readonly Operation[] = [...conversations, ...generation, ...operations];
