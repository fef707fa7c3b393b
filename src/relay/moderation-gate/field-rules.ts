/**
 * What field names say about their values, over all wire formats: which hold no text of the caller, which hold images,
 * and which refer to something that only a provider can look up. Every other field is checked.
 */

/** Names and choices of the protocol. Skipped only where the value looks like one: other text in such a field is checked. */
const protocolFields: ReadonlySet<string> = new Set([
  ...['model', 'role', 'type', 'id', 'object', 'status', 'index', 'user', 'seed', 'n', 'k', 'version', 'deployment'],
  ...['event_id', 'call_id', 'item_id', 'tool_call_id', 'tool_use_id', 'previous_item_id', 'response_id', 'session_id'],
  ...['previous_response_id'],
  ...['finish_reason', 'stop_reason', 'service_tier', 'reasoning_effort', 'effort', 'verbosity', 'summary', 'detail'],
  ...[
    'format',
    'mime_type',
    'mimeType',
    'media_type',
    'mediaType',
    'encoding_format',
    'response_format',
    'output_format',
  ],
  ...['tool_choice', 'mode', 'truncation', 'phase', 'quality', 'size', 'voice', 'language', 'style', 'background'],
  ...['aspect_ratio', 'resolution', 'duration', 'seconds', 'moderation', 'input_fidelity', 'syntax', 'ttl', 'strict'],
  ...[
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_retention',
    'stream_format',
    'responseMimeType',
    'input_type',
  ],
  ...[
    'thinkingLevel',
    'threshold',
    'category',
    'task_type',
    'taskType',
    'truncate',
    'timestamp_granularities',
    'include',
  ],
  ...['output_modalities', 'modalities', 'responseModalities', 'conversation', 'eagerness', 'embedding_types'],
]);
const protocolValue = /^[\w.:/@#+-]{1,100}$/;

/** A name or a choice, where one belongs. */
export function isProtocol(field: string, value: string): boolean {
  return protocolFields.has(field) && protocolValue.test(value);
}

/** Made by a provider and opaque to everything else. */
const seals: ReadonlySet<string> = new Set(['signature', 'thoughtSignature', 'thought_signature', 'encrypted_content']);
const base64Text = /^[A-Za-z0-9+/_=-]+$/;

export function isSeal(field: string, value: string): boolean {
  return seals.has(field) && base64Text.test(value);
}

/** Images as a URL, a data URL or bare base64. */
const imageFields: ReadonlySet<string> = new Set([
  ...[
    'image',
    'images',
    'image[]',
    'mask',
    'image_url',
    'imageUrl',
    'b64_json',
    'image_base64',
    'image_data',
    'init_image',
  ],
  ...['input_image', 'input_images', 'reference_image', 'reference_images', 'first_frame_image', 'last_frame_image'],
  ...['first_frame', 'last_frame', 'end_image', 'start_image', 'input_reference', 'image_prompt', 'control_image'],
]);
const otherMedia: Readonly<Record<string, string>> = {
  audio: 'audio',
  audio_url: 'audio',
  audio_data: 'audio',
  input_audio: 'audio',
  video: 'a video',
  video_url: 'a video',
  input_video: 'a video',
  file_data: 'a document',
};
/** Shorter ones are names of things, such as a voice. */
const base64LengthMin = 256;

export type MediaValue =
  | { readonly kind: 'image'; readonly url: string }
  | { readonly kind: 'unreadable'; readonly what: string };

const elsewhere = 'an image that only its provider can look up';

/** What a text in the place of a medium is; nothing where it is no medium. */
export function mediaIn(field: string, value: string): MediaValue | undefined {
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(value);
  const isBytes = (value.length >= base64LengthMin || field === 'b64_json') && base64Text.test(value);
  const other = otherMedia[field];
  if (other !== undefined && (isAddress || isBytes)) return { kind: 'unreadable', what: other };
  if (!imageFields.has(field)) return undefined;
  if (/^https?:\/\/./i.test(value)) return { kind: 'image', url: value };
  if (isAddress) return { kind: 'unreadable', what: elsewhere };
  if (isBytes) return { kind: 'image', url: `data:image/png;base64,${value}` };
  // A name in an image field is a file that the provider keeps.
  return field === 'image_url' ? { kind: 'unreadable', what: elsewhere } : undefined;
}

const file = 'a file that only its provider can look up';
const references: Readonly<Record<string, string>> = {
  file_id: file,
  file_ids: file,
  file_url: file,
  fileUri: file,
  file_uri: file,
  vector_store_ids: 'a collection of files that only its provider can look up',
  container: 'a container that only its provider can look into',
  cachedContent: 'content that only its provider keeps',
  cached_content: 'content that only its provider keeps',
  previous_response_id: 'an earlier reply that only its provider keeps',
  conversation: 'a conversation that only its provider keeps',
  server_url: 'a server that the provider asks by itself',
  connector_id: 'a server that the provider asks by itself',
};

/** What a field points at, in words that follow "it holds"; nothing where it points at nothing. */
export function referenceIn(field: string, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (field === 'prompt') return hasId(value) ? 'a prompt that only its provider keeps' : undefined;
  const what = references[field];
  if (what === undefined) return undefined;
  if (field === 'conversation') return typeof value === 'string' && /^(none|auto)$/.test(value) ? undefined : what;
  if (field === 'container') return typeof value === 'string' || hasId(value) ? what : undefined;
  if (Array.isArray(value) && value.length === 0) return undefined;
  return typeof value === 'string' || Array.isArray(value) ? what : undefined;
}

function hasId(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string';
}

/** Objects whose own names the caller chose: properties of a schema, arguments of a call, variables of a prompt. */
const freeNames: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'args', 'arguments', 'variables', 'partialArgs'],
]);

export function hasFreeNames(field: string): boolean {
  return freeNames.has(field);
}

const schemaWords: ReadonlySet<string> = new Set([
  ...[
    'type',
    'description',
    'properties',
    'items',
    'enum',
    'required',
    'title',
    'default',
    'anyOf',
    'oneOf',
    'allOf',
    'not',
  ],
  ...[
    '$ref',
    '$defs',
    'additionalProperties',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
    'pattern',
    'format',
    'const',
  ],
]);
const fieldName = /^[A-Za-z_$][\w$-]{0,40}$/;

/** Must the name itself be checked? */
export function isJudgedName(name: string, free: boolean): boolean {
  return free ? !schemaWords.has(name) : !fieldName.test(name);
}
