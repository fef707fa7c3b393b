/** The rows of all other paths: video tasks, live conversations, models, health and metrics. */

import { generateCarriers } from '../conversations/generate-content.ts';
import { socketCarriers } from '../conversations/responses-session.ts';
import { modelCarriers } from '../models.ts';
import type { Operation } from './operations.ts';

const asked = { family: 'chat', passages: ['token'], permissions: ['bearer', 'api-key'] } as const;
const inChat = { family: 'chat', passages: ['token', 'body', 'model'], permissions: ['bearer', 'api-key'] } as const;
const paging = {
  limit: 'How many, 100 at most.',
  after: 'The id after which the page begins.',
  order: '`asc` or `desc`.',
};
const videoTypes = ['video/mp4', 'video/webm', 'video/quicktime'];

/** The same tasks in two shapes. */
const families = [
  {
    path: '/v1/video/generations',
    name: 'Video',
    request: 'VideoRequest',
    reply: 'VideoTask',
    list: 'VideoTaskList',
  },
  {
    path: '/v1/videos',
    name: 'OfficialVideo',
    request: 'OfficialVideoRequest',
    reply: 'OfficialVideo',
    list: 'OfficialVideoList',
  },
] as const;

const videos: readonly Operation[] = families.flatMap(({ path, name, request, reply, list }): Operation[] => [
  {
    ...inChat,
    route: `POST ${path}`,
    id: `order${name}`,
    tag: 'Video tasks',
    summary: 'Create a video task; the reply is the task, at once.',
    body: { json: request, form: request },
    reply,
  },
  {
    ...asked,
    route: `GET ${path}`,
    id: `list${name}`,
    tag: 'Video tasks',
    summary: 'This token’s tasks.',
    query: paging,
    reply: list,
  },
  {
    ...asked,
    route: `GET ${path}/{id}`,
    id: `show${name}`,
    tag: 'Video tasks',
    summary: 'The state of a task. A failed one is a 200 whose body says why.',
    reply,
  },
  {
    ...asked,
    route: `DELETE ${path}/{id}`,
    id: `drop${name}`,
    tag: 'Video tasks',
    summary: 'Drop a task.',
    reply: 'Deleted',
  },
  {
    ...asked,
    route: `GET ${path}/{id}/content`,
    id: `fetch${name}`,
    tag: 'Video tasks',
    summary: 'The video itself, whole or a range of it; with a token, or at the signed URL of the task.',
    permissions: ['bearer', 'api-key', 'signature'],
    query: { index: 'Which one, if there are several; from 0.' },
    media: videoTypes,
  },
]);

export const furtherRows: readonly Operation[] = [
  ...videos,
  {
    ...asked,
    route: 'GET /v1/video/callback_secret',
    id: 'callbackSecret',
    tag: 'Video tasks',
    summary: 'The secret that messages to this token’s `callback_url` are signed with.',
    reply: 'CallbackSecret',
  },
  {
    ...asked,
    route: 'POST /v1/video/hooks/{id}/{signature}',
    id: 'videoHook',
    tag: 'Video tasks',
    summary: 'Callback of a provider: makes Weir poll the task.',
    passages: ['token', 'body'],
    permissions: ['nothing'],
    reply: 'HookReply',
  },
  {
    ...asked,
    route: 'GET /v1/realtime',
    id: 'realtime',
    tag: 'Realtime',
    summary: 'A live conversation over a WebSocket.',
    permissions: socketCarriers,
    query: { model: 'One of `GET /v1/models`.', intent: '`transcription`, for a session without replies.' },
    socket: true,
  },
  ...(['client_secrets', 'sessions'] as const).map(
    (name): Operation => ({
      ...asked,
      route: `POST /v1/realtime/${name}`,
      id: name === 'sessions' ? 'realtimeSession' : 'clientSecret',
      tag: 'Realtime',
      summary: 'A short-lived credential by which a browser opens a live conversation.',
      passages: ['token', 'body'],
      body: { json: 'SecretRequest' },
      reply: name === 'sessions' ? 'LiveSession' : 'ClientSecret',
    }),
  ),
  {
    ...asked,
    route: 'GET /v1/models',
    id: 'models',
    tag: 'Models',
    summary:
      'The models that this token may use, in the caller’s format: the version header selects the messages format, the place of the credential the content-generation format.',
    permissions: modelCarriers,
    query: { limit: 'How many, in the messages format.', pageSize: 'How many, in the content-generation format.' },
    reply: 'ModelList',
  },
  {
    ...asked,
    route: 'GET /v1/models/{id...}',
    id: 'model',
    tag: 'Models',
    summary: 'One model.',
    permissions: modelCarriers,
    reply: 'Model',
  },
  {
    ...asked,
    route: 'GET /v1beta/models',
    id: 'generateModels',
    tag: 'Models',
    summary: 'The models that this token may use, in the content-generation format.',
    family: 'generate',
    permissions: generateCarriers,
    query: { pageSize: 'How many.', pageToken: 'The `nextPageToken` of the page before.' },
    reply: 'GenerateModelList',
  },
  {
    ...asked,
    route: 'GET /v1beta/models/{id...}',
    id: 'generateModel',
    tag: 'Models',
    summary: 'One model, in the content-generation format.',
    family: 'generate',
    permissions: generateCarriers,
    reply: 'GenerateModel',
  },
  ...(['healthz', 'readyz'] as const).map(
    (name): Operation => ({
      route: `GET /${name}`,
      id: name,
      tag: 'Operation',
      summary: name === 'healthz' ? 'Liveness.' : 'Readiness (503 if not ready).',
      family: 'chat',
      passages: [],
      permissions: ['nothing'],
      reply: 'Health',
    }),
  ),
  {
    ...asked,
    route: 'GET /metrics',
    id: 'metrics',
    tag: 'Operation',
    summary: 'Numbers for Prometheus; on the machine itself without a token.',
    permissions: ['bearer', 'nothing'],
    media: ['text/plain'],
  },
  {
    route: 'GET /openapi.json',
    id: 'description',
    tag: 'Operation',
    summary: 'This description.',
    family: 'chat',
    passages: [],
    permissions: ['nothing'],
    reply: 'Description',
  },
];
