/** How the libraries of each format name what an operation does, as data. */

import type { ApiOperation } from './openapi.ts';

type Body = Readonly<Record<string, unknown>>;

export interface LibraryCall {
  readonly library: 'chat' | 'messages' | 'generate' | 'cohere';
  /** As TypeScript spells it. */
  readonly call: string;
  readonly reply: 'value' | 'stream' | 'file';
  /** The name of a reply that is kept. */
  readonly file?: string;
  /** Where the library takes the body in another shape than its wire has. */
  readonly body?: (body: Body, language: 'python' | 'typescript') => Body;
}

const chatCalls: Readonly<Record<string, string>> = {
  'POST /v1/chat/completions': 'chat.completions.create',
  'POST /v1/completions': 'completions.create',
  'POST /v1/responses': 'responses.create',
  'GET /v1/responses/{id}': 'responses.retrieve',
  'DELETE /v1/responses/{id}': 'responses.delete',
  'POST /v1/responses/{id}/cancel': 'responses.cancel',
  'GET /v1/responses/{id}/input_items': 'responses.inputItems.list',
  'POST /v1/responses/input_tokens': 'responses.inputTokens.count',
  'POST /v1/responses/compact': 'responses.compact',
  'POST /v1/embeddings': 'embeddings.create',
  'POST /v1/moderations': 'moderations.create',
  'POST /v1/images/generations': 'images.generate',
  'POST /v1/images/edits': 'images.edit',
  'POST /v1/audio/speech': 'audio.speech.create',
  'POST /v1/audio/transcriptions': 'audio.transcriptions.create',
  'POST /v1/audio/translations': 'audio.translations.create',
  'POST /v1/videos': 'videos.create',
  'GET /v1/videos': 'videos.list',
  'GET /v1/videos/{id}': 'videos.retrieve',
  'DELETE /v1/videos/{id}': 'videos.delete',
  'GET /v1/videos/{id}/content': 'videos.downloadContent',
  'POST /v1/realtime/client_secrets': 'realtime.clientSecrets.create',
  'GET /v1/models': 'models.list',
  'GET /v1/models/{id}': 'models.retrieve',
};

const files: Readonly<Record<string, string>> = {
  'POST /v1/audio/speech': 'speech.mp3',
  'GET /v1/videos/{id}/content': 'video.mp4',
};

const messageCalls: Readonly<Record<string, string>> = {
  'POST /v1/messages': 'messages.create',
  'POST /v1/messages/count_tokens': 'messages.countTokens',
};

const cohereCalls: Readonly<Record<string, string>> = {
  'POST /v2/chat': 'chat',
  'POST /v2/embed': 'embed',
  'POST /v2/rerank': 'rerank',
};

const generateCalls: Readonly<Record<string, string>> = {
  generateContent: 'generateContent',
  streamGenerateContent: 'generateContentStream',
  countTokens: 'countTokens',
  embedContent: 'embedContent',
  batchEmbedContents: 'embedContent',
};

export function libraryCallOf(operation: ApiOperation): LibraryCall | undefined {
  const { id } = operation;
  const chat = chatCalls[id];
  const file = files[id];
  if (chat !== undefined) {
    return {
      library: 'chat',
      call: chat,
      reply: file === undefined ? 'value' : 'file',
      ...(file !== undefined && { file }),
    };
  }
  const message = messageCalls[id];
  if (message !== undefined) return { library: 'messages', call: message, reply: 'value' };
  const cohere = cohereCalls[id];
  if (cohere !== undefined) return { library: 'cohere', call: cohere, reply: 'value', body: camelNames };
  return generateCallOf(operation);
}

/** That library names the model beside the contents, and embeds any number of them with one call. */
function generateCallOf({ path, fields }: ApiOperation): LibraryCall | undefined {
  const action = /^\/v1beta\/models\/\{model\}:(\w+)$/.exec(path)?.[1] ?? '';
  const call = generateCalls[action];
  if (call === undefined) return undefined;
  const model = fields.find(({ name, place }) => name === 'model' && place === 'path')?.example ?? '';
  return {
    library: 'generate',
    call: `models.${call}`,
    reply: action.startsWith('stream') ? 'stream' : 'value',
    body: ({ contents = ['Hello'] }) => ({ model, contents }),
  };
}

/** In TypeScript that library writes fields in its own way. */
function camelNames(body: Body, language: 'python' | 'typescript'): Body {
  if (language === 'python') return body;
  const camel = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [camel(name), value]));
}
