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

const model = text('One of `GET /v1/models`.');
const stream = flag('True: the reply comes as a stream of events.');
const content = either(text(), list(anyObject, 'Parts: text, images, audio, files.'));
const message = object({ role: text(), content }, ['role']);
const tools = list(anyObject, 'Tools that the model may call, with the schemas of their arguments.');
const imageFile = file('An image, PNG, JPEG or WebP.');
const imageOptions = {
  model,
  prompt: text(),
  n: integer('How many images.'),
  size: text('`1024x1024`, or `auto`.'),
  quality: text(),
  response_format: word('url', 'b64_json'),
  stream,
};
const videoOptions = {
  model,
  prompt: text('Required if neither an image nor a video is sent.'),
  size: text('`1280x720`; or `width` and `height`, or `aspect_ratio`.'),
  width: integer(),
  height: integer(),
  aspect_ratio: text('`16:9`.'),
  fps: integer(),
  seed: integer(),
  n: integer('How many videos.'),
  negative_prompt: text(),
  callback_url: text('Called once the task has ended.'),
  metadata: { type: 'object', additionalProperties: text() },
};
const medium = either(text('A URL, or a data URL.'), anyObject, file('An upload, in a form.'));
const audioForm = {
  file: file('The recording.'),
  model,
  prompt: text(),
  response_format: word('json', 'text', 'srt', 'verbose_json', 'vtt'),
  temperature: number(),
};

export const requestSchemas = {
  ChatRequest: object(
    {
      model,
      messages: list(message),
      stream,
      stream_options: object({ include_usage: flag() }),
      max_completion_tokens: integer(),
      max_tokens: integer(),
      temperature: number(),
      top_p: number(),
      stop: either(text(), list(text())),
      seed: integer(),
      n: integer(),
      tools,
      tool_choice: either(text(), anyObject),
      response_format: anyObject,
      reasoning_effort: text(),
    },
    ['model', 'messages'],
  ),
  CompletionRequest: object(
    {
      model,
      prompt: either(text(), list(text())),
      stream,
      max_tokens: integer(),
      temperature: number(),
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
      max_tokens: integer(),
      stop_sequences: list(text()),
      temperature: number(),
      p: number(),
      k: integer(),
      seed: integer(),
      thinking: anyObject,
    },
    ['model', 'messages'],
  ),
  ResponsesRequest: object(
    {
      model,
      input: either(text(), list(anyObject)),
      instructions: text(),
      previous_response_id: text('Continues an earlier reply, if that was stored.'),
      store: flag(),
      stream,
      tools,
      max_output_tokens: integer(),
      reasoning: anyObject,
      text: anyObject,
    },
    ['model'],
  ),
  MessagesRequest: object(
    {
      model,
      max_tokens: integer(),
      messages: list(message),
      system: either(text(), list(anyObject)),
      stream,
      tools,
      tool_choice: anyObject,
      thinking: anyObject,
      temperature: number(),
      stop_sequences: list(text()),
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
      systemInstruction: anyObject,
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
      dimensions: integer(),
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
      query: text(),
      documents: list(either(text(), anyObject)),
      top_n: integer(),
      return_documents: flag(),
    },
    ['model', 'query', 'documents'],
  ),
  ImageRequest: object(imageOptions, ['prompt']),
  ImageEditForm: object({ ...imageOptions, image: either(imageFile, list(imageFile)), mask: imageFile }, [
    'image',
    'prompt',
  ]),
  ImageEditRequest: object({ ...imageOptions, images: list(anyObject) }, ['images', 'prompt']),
  SpeechRequest: object(
    {
      model,
      input: text(),
      voice: either(text(), anyObject),
      response_format: word('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'),
      speed: number(),
      stream_format: word('audio', 'sse'),
    },
    ['model', 'input', 'voice'],
  ),
  TranscriptionForm: object({ ...audioForm, language: text(), 'timestamp_granularities[]': list(text()), stream }, [
    'model',
    'file',
  ]),
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
