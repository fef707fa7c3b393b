/** The rows of all other paths: video tasks, realtime sessions, models, health and metrics. */

import { generateCarriers } from '../conversations/generate-content.ts';
import { socketCarriers } from '../conversations/responses-session.ts';
import { modelCarriers } from '../models.ts';
import { agentRows } from './agent-operations.ts';
import type { Operation } from './operations.ts';
import { ownTokenRows } from './own-token-operations.ts';

const asked = { family: 'chat', passages: ['token'], permissions: ['bearer', 'api-key'] } as const;
const inChat = { family: 'chat', passages: ['token', 'body', 'model'], permissions: ['bearer', 'api-key'] } as const;
const paging = {
  limit: 'Tasks per page, at most 100.',
  after: 'The ID of the last task of the previous page.',
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
    summary: 'Create a video task; returns immediately.',
    body: { json: request, form: request },
    reply,
  },
  {
    ...asked,
    route: `GET ${path}`,
    id: `list${name}`,
    tag: 'Video tasks',
    summary: 'List the video tasks of this token.',
    query: paging,
    reply: list,
  },
  {
    ...asked,
    route: `GET ${path}/{id}`,
    id: `show${name}`,
    tag: 'Video tasks',
    summary: 'Get task status. A failed task is a 200 with the reason in its body.',
    reply,
  },
  {
    ...asked,
    route: `DELETE ${path}/{id}`,
    id: `drop${name}`,
    tag: 'Video tasks',
    summary: 'Cancel or delete a video task.',
    reply: 'Deleted',
  },
  {
    ...asked,
    route: `GET ${path}/{id}/content`,
    id: `fetch${name}`,
    tag: 'Video tasks',
    summary: 'Download a video with a token or the task’s signed URL. Byte ranges are supported.',
    permissions: ['bearer', 'api-key', 'signature'],
    query: { index: 'Which video, starting at 0, if the task has several.' },
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
    summary: 'Get the secret that signs calls to this token’s `callback_url`.',
    reply: 'CallbackSecret',
  },
  {
    ...asked,
    route: 'POST /v1/video/hooks/{id}/{signature}',
    id: 'videoHook',
    tag: 'Video tasks',
    summary: 'Receive a provider’s webhook; Weir then polls the task.',
    passages: ['token', 'body'],
    permissions: ['nothing'],
    reply: 'HookReply',
  },
  {
    ...asked,
    route: 'GET /v1/realtime',
    id: 'realtime',
    tag: 'Realtime',
    summary: 'Open a realtime session over a WebSocket.',
    permissions: socketCarriers,
    query: {
      model: 'A model ID from `GET /v1/models`.',
      intent: '`transcription` for a session that only transcribes.',
    },
    socket: true,
  },
  ...(['client_secrets', 'sessions'] as const).map(
    (name): Operation => ({
      ...asked,
      route: `POST /v1/realtime/${name}`,
      id: name === 'sessions' ? 'realtimeSession' : 'clientSecret',
      tag: 'Realtime',
      summary: 'Create a short-lived client secret for a realtime session in a browser.',
      passages: ['token', 'body'],
      body: { json: 'SecretRequest' },
      reply: name === 'sessions' ? 'LiveSession' : 'ClientSecret',
    }),
  ),
  ...ownTokenRows,
  ...agentRows,
  {
    ...asked,
    route: 'GET /v1/models',
    id: 'models',
    tag: 'Models',
    summary:
      'List the models this token can use. The version header or the credential’s header selects the reply format.',
    permissions: modelCarriers,
    query: {
      limit: 'Models per page, in the messages format.',
      pageSize: 'Models per page, in the content-generation format.',
    },
    reply: 'ModelList',
  },
  {
    ...asked,
    route: 'GET /v1/models/{id...}',
    id: 'model',
    tag: 'Models',
    summary: 'Get a model.',
    permissions: modelCarriers,
    reply: 'Model',
  },
  {
    ...asked,
    route: 'GET /v1beta/models',
    id: 'generateModels',
    tag: 'Models',
    summary: 'List the models this token can use, in the content-generation format.',
    family: 'generate',
    permissions: generateCarriers,
    query: { pageSize: 'Models per page.', pageToken: 'The `nextPageToken` of the previous page.' },
    reply: 'GenerateModelList',
  },
  {
    ...asked,
    route: 'GET /v1beta/models/{id...}',
    id: 'generateModel',
    tag: 'Models',
    summary: 'Get a model, in the content-generation format.',
    family: 'generate',
    permissions: generateCarriers,
    reply: 'GenerateModel',
  },
  ...(['healthz', 'readyz'] as const).map(
    (name): Operation => ({
      route: `GET /${name}`,
      id: name,
      tag: 'Health and metrics',
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
    tag: 'Health and metrics',
    summary: 'Prometheus metrics. No token is needed from the same machine.',
    permissions: ['bearer', 'nothing'],
    media: ['text/plain'],
  },
  {
    route: 'GET /openapi.json',
    id: 'description',
    tag: 'Health and metrics',
    summary: 'Get this OpenAPI document.',
    family: 'chat',
    passages: [],
    permissions: ['nothing'],
    reply: 'Description',
  },
];
