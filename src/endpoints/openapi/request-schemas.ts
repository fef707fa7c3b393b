/** The bodies of requests: the fields that Weir itself reads, and those that almost all callers send. */

import {
  anyObject,
  either,
  file,
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

const model = text('A model ID from `GET /v1/models`.');
const stream = flag('Stream the reply as server-sent events.');
const content = either(text(), list(anyObject, 'Content parts: text, images, audio, files.'));
const message = object({ role: text(), content }, ['role']);
const tools = list(anyObject, 'Tools the model can call, with JSON schemas of their arguments.');
const maxTokens = integer('Maximum number of output tokens.');
const temperature = number('Sampling temperature: higher values are more random.');
const topP = number('Nucleus sampling: only the most likely tokens up to this probability.');
const seed = integer('The same seed and request give similar results, if the provider supports it.');
const stop = { ...either(text(), list(text())), description: 'Sequences at which the model stops.' };
const imageFile = file('An image, PNG, JPEG or WebP.');
const imageOptions = {
  model,
  prompt: text('What the image should show.'),
  n: integer('Number of images.'),
  size: text('`1024x1024`, or `auto`.'),
  quality: text(),
  response_format: word('url', 'b64_json'),
  stream,
};
const videoOptions = {
  model,
  prompt: text('Required unless an image or a video is sent.'),
  size: text('`1280x720`; or `width` and `height`, or `aspect_ratio`.'),
  width: integer(),
  height: integer(),
  aspect_ratio: text('`16:9`.'),
  fps: integer(),
  seed,
  n: integer('Number of videos.'),
  negative_prompt: text(),
  callback_url: text('A URL that is called when the task has ended.'),
  metadata: { type: 'object', additionalProperties: text() },
};
const medium = either(text('A URL, or a data URL.'), anyObject, file('A file, in a form upload.'));
const audioForm = {
  file: file('The audio file.'),
  model,
  prompt: text(),
  response_format: word('json', 'text', 'srt', 'verbose_json', 'vtt'),
  temperature,
};

export const requestSchemas = {
  SubTokenRequest: object(
    {
      name: text('What people see in lists.'),
      expires_in: integer('Seconds until it expires; or `expires_at`.'),
      expires_at: text('`2030-01-31T12:00:00Z`; at most when this token expires.'),
      models: list(text(), 'Model IDs or patterns such as `gpt-*`.'),
      endpoints: list(text()),
      tools: list(text(), 'Tools that providers run, such as `web_search`; empty for none.'),
      budget_usd: { ...either(text(), number()), description: 'USD; this token’s budgets count too.' },
      budget_period: word('total', 'day', 'week', 'month'),
      rpm: integer('Requests per minute.'),
      tpm: integer('Model tokens per minute.'),
      concurrency: integer('Requests in flight.'),
      labels: list(text()),
      sub_tokens_max: integer('How many smaller tokens it may have itself.'),
    },
    ['name'],
  ),
  ChatRequest: object(
    {
      model,
      messages: list(message),
      stream,
      stream_options: object({ include_usage: flag() }),
      max_completion_tokens: maxTokens,
      max_tokens: maxTokens,
      temperature,
      top_p: topP,
      stop,
      seed,
      n: integer('Number of replies.'),
      tools,
      tool_choice: either(text(), anyObject),
      response_format: { ...anyObject, description: 'JSON mode or a JSON schema for the reply.' },
      reasoning_effort: text('How much the model reasons: `low`, `medium`, `high`, ….'),
    },
    ['model', 'messages'],
  ),
  CompletionRequest: object(
    {
      model,
      prompt: either(text(), list(text())),
      stream,
      max_tokens: maxTokens,
      temperature,
      suffix: text(),
    },
    ['model', 'prompt'],
  ),
  CohereChatRequest: object(
    {
      model,
      messages: list(message),
      stream,
      documents: list(either(text(), anyObject)),
      tools,
      tool_choice: word('REQUIRED', 'NONE'),
      strict_tools: flag(),
      response_format: anyObject,
      max_tokens: maxTokens,
      stop_sequences: list(text(), 'Sequences at which the model stops.'),
      temperature,
      p: topP,
      k: integer(),
      seed,
      thinking: anyObject,
    },
    ['model', 'messages'],
  ),
  ResponsesRequest: object(
    {
      model,
      input: either(text(), list(anyObject)),
      instructions: text('The system prompt.'),
      previous_response_id: text('Continue an earlier response, if it was stored.'),
      store: flag('Store the response, if the operator allows it.'),
      stream,
      tools,
      max_output_tokens: maxTokens,
      reasoning: anyObject,
      text: anyObject,
    },
    ['model'],
  ),
  MessagesRequest: object(
    {
      model,
      max_tokens: maxTokens,
      messages: list(message),
      system: { ...either(text(), list(anyObject)), description: 'The system prompt.' },
      stream,
      tools,
      tool_choice: anyObject,
      thinking: anyObject,
      temperature,
      stop_sequences: list(text(), 'Sequences at which the model stops.'),
    },
    ['model', 'max_tokens', 'messages'],
  ),
  CountRequest: object({ model, messages: list(message), system: either(text(), list(anyObject)), tools }, [
    'model',
    'messages',
  ]),
  GenerateRequest: object(
    {
      contents: list(object({ role: text(), parts: list(object({ text: text() })) }, ['parts'])),
      systemInstruction: { ...anyObject, description: 'The system prompt.' },
      tools,
      generationConfig: anyObject,
      safetySettings: list(anyObject),
    },
    ['contents'],
  ),
  EmbedContentRequest: object({ content: object({ parts: list(anyObject) }), outputDimensionality: integer() }, [
    'content',
  ]),
  BatchEmbedRequest: object({ requests: list(schemaRef('EmbedContentRequest')) }, ['requests']),
  EmbeddingRequest: object(
    {
      model,
      input: either(text(), list(text()), list(integer()), list(list(integer()))),
      dimensions: integer('Length of the vectors, if the model supports it.'),
      encoding_format: word('float', 'base64'),
    },
    ['model', 'input'],
  ),
  CohereEmbedRequest: object(
    {
      model,
      texts: list(text()),
      inputs: list(anyObject),
      images: list(text('A data URL; for models of Cohere only.')),
      input_type: text(),
      embedding_types: list(text('`float` and `base64` everywhere, others for models of Cohere only.')),
      output_dimension: integer(),
      truncate: word('NONE', 'START', 'END'),
    },
    ['model'],
  ),
  ModerationRequest: object({ model, input: either(text(), list(text()), list(anyObject)) }, ['input']),
  RerankRequest: object(
    {
      model,
      query: text('What the documents are compared with.'),
      documents: list(either(text(), anyObject)),
      top_n: integer('Return the top N documents.'),
      return_documents: flag(),
    },
    ['model', 'query', 'documents'],
  ),
  ImageRequest: object(imageOptions, ['prompt']),
  ImageEditForm: object(
    {
      ...imageOptions,
      image: either(imageFile, list(imageFile)),
      mask: file('Transparent where the image can change.'),
    },
    ['image', 'prompt'],
  ),
  ImageEditRequest: object({ ...imageOptions, images: list(anyObject) }, ['images', 'prompt']),
  SpeechRequest: object(
    {
      model,
      input: text('The text to speak.'),
      voice: either(text('A voice of the model, such as `alloy`.'), anyObject),
      response_format: word('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'),
      speed: number('From 0.25 to 4; 1 is normal.'),
      stream_format: word('audio', 'sse'),
    },
    ['model', 'input', 'voice'],
  ),
  TranscriptionForm: object(
    {
      ...audioForm,
      language: text('Language of the audio, as a two-letter code.'),
      'timestamp_granularities[]': list(text()),
      stream,
    },
    ['model', 'file'],
  ),
  TranslationForm: object(audioForm, ['model', 'file']),
  VideoRequest: object({
    ...videoOptions,
    duration: number('Seconds.'),
    image: medium,
    images: list(medium),
    last_frame: medium,
    video: medium,
  }),
  OfficialVideoRequest: object({ ...videoOptions, seconds: either(text(), number()), input_reference: medium }),
  SecretRequest: object({ session: anyObject, expires_after: anyObject }),
} as const satisfies Readonly<Record<string, Schema>>;
