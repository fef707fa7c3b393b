/** The replies of Weir, in the format of each group of client libraries. */

import {
  anyObject,
  either,
  flag,
  integer,
  list,
  number,
  object,
  type Schema,
  schemaRef,
  text,
  word,
} from './schema.ts';

const usage = object({ prompt_tokens: integer(), completion_tokens: integer(), total_tokens: integer() });
const choice = object({ index: integer(), message: anyObject, finish_reason: { type: ['string', 'null'] } }, ['index']);
const scores = (of: Schema): Schema => ({ type: 'object', additionalProperties: of });

export const replySchemas = {
  OwnToken: object(
    {
      object: text(),
      id: text(),
      name: text(),
      created_at: text(),
      expires_at: { type: ['string', 'null'] },
      models: either(list(text()), { type: 'null' }),
      endpoints: either(list(text()), { type: 'null' }),
      tools: either(list(text()), { type: 'null' }),
      labels: list(text()),
      levels: list(object({ level: text(), id: text(), name: text() }, ['level', 'id', 'name'])),
      limits: anyObject,
      budgets: list(anyObject),
      spend: object({ month_usd: text(), total_usd: text(), unpriced_requests: integer() }),
      sub_tokens_max: integer(),
    },
    ['object', 'id', 'name', 'levels', 'limits', 'budgets', 'spend'],
  ),
  OwnRequest: object(
    {
      object: text(),
      id: text(),
      created_at: text(),
      endpoint: text(),
      model: text(),
      status: integer(),
      error: { type: ['string', 'null'] },
      stream: flag(),
      input_tokens: { type: ['integer', 'null'] },
      output_tokens: { type: ['integer', 'null'] },
      cost_usd: { type: ['string', 'null'] },
      cost_is_estimate: flag(),
      end_user: { type: ['string', 'null'] },
      duration_ms: integer(),
      losses: list(text()),
      reply_losses: list(text()),
    },
    ['object', 'id', 'created_at', 'model', 'status', 'losses', 'reply_losses'],
  ),
  OwnUsage: object(
    {
      object: text(),
      from: text(),
      to: text(),
      data: list(anyObject),
      has_more: flag(),
      last_id: { type: ['string', 'null'] },
      models: list(anyObject),
    },
    ['object', 'data', 'has_more', 'models'],
  ),
  SubToken: object({ object: text(), id: text(), name: text(), hint: text(), token: text('The secret, only here.') }, [
    'object',
    'id',
    'name',
  ]),
  SubTokenList: object({ object: text(), data: list(schemaRef('SubToken')) }, ['object', 'data']),
  ChatReply: object({ id: text(), object: text(), created: integer(), model: text(), choices: list(choice), usage }, [
    'id',
    'object',
    'created',
    'model',
    'choices',
  ]),
  ChatChunk: object(
    {
      id: text(),
      object: text(),
      created: integer(),
      model: text(),
      choices: list(anyObject),
      usage: either(usage, { type: 'null' }),
    },
    ['id', 'choices'],
  ),
  CompletionReply: object(
    { id: text(), object: text(), created: integer(), model: text(), choices: list(anyObject), usage },
    ['id', 'choices'],
  ),
  CohereChatReply: object({ id: text(), finish_reason: text(), message: anyObject, usage: anyObject }, [
    'id',
    'finish_reason',
    'message',
  ]),
  ResponsesReply: object(
    { id: text(), object: text(), status: text(), model: text(), output: list(anyObject), usage: anyObject },
    ['id', 'object', 'output'],
  ),
  Compaction: object({ id: text(), object: text(), created_at: integer(), output: list(anyObject), usage: anyObject }, [
    'id',
    'object',
    'output',
  ]),
  ItemList: object({ object: text(), data: list(anyObject), has_more: flag() }, ['data']),
  Deleted: object({ id: text(), deleted: flag() }),
  MessagesReply: object(
    {
      id: text(),
      type: text(),
      role: text(),
      model: text(),
      content: list(anyObject),
      stop_reason: { type: ['string', 'null'] },
      usage: anyObject,
    },
    ['id', 'type', 'role', 'content', 'usage'],
  ),
  InputTokens: object({ input_tokens: integer() }, ['input_tokens']),
  GenerateReply: object({ candidates: list(anyObject), usageMetadata: anyObject, modelVersion: text() }),
  TotalTokens: object({ totalTokens: integer() }, ['totalTokens']),
  EmbedContentReply: object({ embedding: object({ values: list(number()) }) }, ['embedding']),
  BatchEmbedReply: object({ embeddings: list(object({ values: list(number()) })) }, ['embeddings']),
  EmbeddingReply: object(
    {
      object: text(),
      model: text(),
      data: list(object({ index: integer(), embedding: either(list(number()), text('Base64 of floats.')) })),
      usage,
    },
    ['data', 'model'],
  ),
  CohereEmbedReply: object({ id: text(), embeddings: anyObject, texts: list(text()), meta: anyObject }, [
    'id',
    'embeddings',
  ]),
  ModerationReply: object(
    {
      id: text(),
      model: text(),
      results: list(
        object({ flagged: flag(), categories: scores(flag()), category_scores: scores(number()) }, [
          'flagged',
          'categories',
          'category_scores',
        ]),
      ),
    },
    ['id', 'model', 'results'],
  ),
  RerankReply: object(
    {
      id: text(),
      model: text(),
      results: list(object({ index: integer(), relevance_score: number(), document: anyObject })),
    },
    ['model', 'results'],
  ),
  ImagesReply: object({ created: integer(), data: list(object({ url: text(), b64_json: text() })), usage: anyObject }, [
    'data',
  ]),
  TranscriptionReply: object({ text: text(), duration: number(), segments: list(anyObject), words: list(anyObject) }, [
    'text',
  ]),
  VideoTask: object(
    {
      task_id: text(),
      status: word('queued', 'in_progress', 'completed', 'failed'),
      url: text('The download URL of the video, once the task has completed.'),
      urls: list(text(), 'All download URLs, if there are several videos.'),
      format: text('File format, such as `mp4`.'),
      metadata: object({ duration: number(), fps: integer(), width: integer(), height: integer(), seed: integer() }),
      error: object({ code: integer(), message: text() }, ['code', 'message']),
    },
    ['task_id', 'status'],
  ),
  VideoTaskList: object({ object: text(), data: list(schemaRef('VideoTask')), has_more: flag() }, ['data', 'has_more']),
  OfficialVideo: object(
    {
      id: text(),
      object: text(),
      status: word('queued', 'in_progress', 'completed', 'failed'),
      progress: integer(),
      model: text(),
      created_at: integer(),
    },
    ['id', 'status'],
  ),
  OfficialVideoList: object({ object: text(), data: list(schemaRef('OfficialVideo')), has_more: flag() }, ['data']),
  CallbackSecret: object({ secret: text() }, ['secret']),
  HookReply: object({ received: flag(), challenge: text() }),
  ClientSecret: object({ value: text(), expires_at: integer(), session: anyObject }, ['value', 'expires_at']),
  LiveSession: object({ id: text(), model: text(), client_secret: schemaRef('ClientSecret') }, ['client_secret']),
  ModelList: object({ object: text(), data: list(schemaRef('Model')) }, ['data']),
  Model: object(
    {
      id: text(),
      object: text(),
      created: integer(),
      owned_by: text(),
      context_length: integer(),
      top_provider: object({ context_length: integer(), max_completion_tokens: integer() }),
      architecture: object({ input_modalities: list(text()), output_modalities: list(text()) }),
      supported_parameters: list(text(), 'Parameters that all of its providers accept; only for chat models.'),
    },
    ['id'],
  ),
  GenerateModelList: object({ models: list(schemaRef('GenerateModel')) }, ['models']),
  GenerateModel: object(
    {
      name: text(),
      displayName: text(),
      inputTokenLimit: integer(),
      outputTokenLimit: integer(),
      maxTemperature: number(),
      thinking: flag(),
      supportedGenerationMethods: list(text()),
    },
    ['name'],
  ),
  Health: object({ status: text(), reason: text(), configuration: text() }, ['status']),
  Description: anyObject,
} as const satisfies Readonly<Record<string, Schema>>;
