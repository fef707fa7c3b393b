/** One valid event of each type of OpenAI's Realtime API, written from its reference (read 2026-11-16). */

const item = {
  id: 'item_1',
  object: 'realtime.item',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [
    { type: 'output_text', text: 'Hi' },
    { type: 'output_audio', transcript: 'Hi' },
  ],
};
const asked = {
  id: 'item_0',
  object: 'realtime.item',
  type: 'message',
  status: 'completed',
  role: 'user',
  content: [{ type: 'input_text', text: 'Good morning' }, { type: 'input_audio' }],
};
const called = { id: 'item_2', type: 'function_call', name: 'clock', call_id: 'call_1', arguments: '{}' };

const response = {
  id: 'resp_1',
  object: 'realtime.response',
  status: 'completed',
  status_details: { type: 'completed' },
  output: [item, called],
  conversation_id: 'conv_1',
  output_modalities: ['audio'],
  max_output_tokens: 'inf',
  audio: { output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'alloy' } },
  metadata: { order: '7' },
  usage: {
    total_tokens: 30,
    input_tokens: 20,
    output_tokens: 10,
    input_token_details: {
      cached_tokens: 4,
      text_tokens: 12,
      audio_tokens: 8,
      image_tokens: 0,
      cached_tokens_details: { text_tokens: 4, audio_tokens: 0, image_tokens: 0 },
    },
    output_token_details: { text_tokens: 2, audio_tokens: 8 },
  },
};

const session = {
  type: 'realtime',
  object: 'realtime.session',
  id: 'sess_1',
  model: 'gpt-realtime',
  instructions: 'Be brief.',
  output_modalities: ['audio'],
  max_output_tokens: 4096,
  tools: [{ type: 'function', name: 'clock', description: 'tells the time', parameters: {} }],
  tool_choice: 'auto',
  truncation: 'auto',
  tracing: null,
  audio: {
    input: {
      format: { type: 'audio/pcm', rate: 24_000 },
      transcription: { model: 'whisper-1', language: 'en' },
      noise_reduction: { type: 'near_field' },
      turn_detection: {
        type: 'server_vad',
        threshold: 0.5,
        prefix_padding_ms: 300,
        silence_duration_ms: 200,
        create_response: true,
        interrupt_response: true,
        idle_timeout_ms: null,
      },
    },
    output: { format: { type: 'audio/pcmu' }, voice: 'alloy', speed: 1 },
  },
};
const transcribing = {
  type: 'transcription',
  object: 'realtime.transcription_session',
  id: 'sess_2',
  include: ['item.input_audio_transcription.logprobs'],
  audio: { input: { format: { type: 'audio/pcma' }, turn_detection: { type: 'semantic_vad', eagerness: 'auto' } } },
};

const transcription = 'conversation.item.input_audio_transcription';
const ofItem = { item_id: 'item_1' };
const ofOutput = { ...ofItem, response_id: 'resp_1', output_index: 0 };
const ofContent = { ...ofOutput, content_index: 0 };
const placed = { item, previous_item_id: null };
const tokens = { type: 'tokens', input_tokens: 3, output_tokens: 2, total_tokens: 5 };

const events: readonly (readonly [type: string, fields: object])[] = [
  ['session.created', { session }],
  ['session.updated', { session: transcribing }],
  ['conversation.created', { conversation: { id: 'conv_1', object: 'realtime.conversation' } }],
  ['conversation.item.created', placed],
  ['conversation.item.added', { item: asked, previous_item_id: 'item_9' }],
  ['conversation.item.done', placed],
  ['conversation.item.retrieved', { item: called }],
  ['conversation.item.deleted', ofItem],
  ['conversation.item.truncated', { ...ofItem, content_index: 0, audio_end_ms: 900 }],
  [`${transcription}.delta`, { ...ofItem, content_index: 0, delta: 'Good' }],
  [`${transcription}.completed`, { ...ofItem, content_index: 0, transcript: 'Good morning', usage: tokens }],
  [
    `${transcription}.segment`,
    { ...ofItem, content_index: 0, id: 's', speaker: 'A', start: 0, end: 1.5, text: 'Good' },
  ],
  [
    `${transcription}.failed`,
    { ...ofItem, content_index: 0, error: { type: 'server_error', code: 'x', message: 'no words' } },
  ],
  ['input_audio_buffer.cleared', {}],
  ['input_audio_buffer.committed', { ...ofItem, previous_item_id: null }],
  ['input_audio_buffer.speech_started', { ...ofItem, audio_start_ms: 100 }],
  ['input_audio_buffer.speech_stopped', { ...ofItem, audio_end_ms: 900 }],
  ['input_audio_buffer.timeout_triggered', { ...ofItem, audio_start_ms: 100, audio_end_ms: 900 }],
  ['output_audio_buffer.started', { response_id: 'resp_1' }],
  ['output_audio_buffer.stopped', { response_id: 'resp_1' }],
  ['output_audio_buffer.cleared', { response_id: 'resp_1' }],
  ['response.created', { response: { ...response, status: 'in_progress', output: [] } }],
  ['response.output_item.added', { response_id: 'resp_1', output_index: 0, item }],
  ['response.content_part.added', { ...ofContent, part: { type: 'audio', transcript: '' } }],
  ['response.output_text.delta', { ...ofContent, delta: 'Hi' }],
  ['response.output_text.done', { ...ofContent, text: 'Hi' }],
  ['response.output_audio.delta', { ...ofContent, delta: 'AAAA' }],
  ['response.output_audio.done', ofContent],
  ['response.output_audio_transcript.delta', { ...ofContent, delta: 'Hi' }],
  ['response.output_audio_transcript.done', { ...ofContent, transcript: 'Hi' }],
  ['response.function_call_arguments.delta', { ...ofOutput, call_id: 'call_1', delta: '{}' }],
  ['response.function_call_arguments.done', { ...ofOutput, call_id: 'call_1', name: 'clock', arguments: '{}' }],
  ['response.mcp_call_arguments.delta', { ...ofOutput, delta: '{}' }],
  ['response.mcp_call_arguments.done', { ...ofOutput, arguments: '{}' }],
  ['response.mcp_call.in_progress', { ...ofItem, output_index: 0 }],
  ['response.mcp_call.completed', { ...ofItem, output_index: 0 }],
  ['response.mcp_call.failed', { ...ofItem, output_index: 0 }],
  ['response.content_part.done', { ...ofContent, part: { type: 'text', text: 'Hi' } }],
  ['response.output_item.done', { response_id: 'resp_1', output_index: 0, item }],
  ['response.done', { response }],
  ['rate_limits.updated', { rate_limits: [{ name: 'tokens', limit: 100, remaining: 90, reset_seconds: 1.5 }] }],
  ['mcp_list_tools.in_progress', ofItem],
  ['mcp_list_tools.completed', ofItem],
  ['mcp_list_tools.failed', ofItem],
  ['error', { error: { type: 'invalid_request_error', code: 'x', message: 'no', param: null, event_id: 'e' } }],
];

export const realtimeSamples: readonly object[] = [
  ...events.map(([type, fields], index) => ({ type, event_id: `event_${index}`, ...fields })),
  { type: 'input_audio_buffer.dtmf_event_received', event: '9', received_at: 1_770_000_000 },
];
