/** OpenAI realtime API, what the fields of a client's frames can do. https://platform.openai.com/docs/api-reference/realtime-client-events (read 2026-11-19). */

import { type FieldTable, fieldsOf, type RequestFields } from '../fields/field-table.ts';
import { routingFields } from '../fields/routing-fields.ts';
import { fields as responseFields } from '../openai-responses/fields.ts';

const turnDetection = fieldsOf(
  'plain',
  'type threshold prefix_padding_ms silence_duration_ms create_response interrupt_response idle_timeout_ms eagerness',
);
const format = fieldsOf('plain', 'type rate');
/** Its model is judged where the conversation's own is. */
const transcription = fieldsOf('plain', 'model language prompt delay languages');
const output: FieldTable = { ...fieldsOf('plain', 'voice speed'), format, voice: fieldsOf('plain', 'id') };

/** Of a session, and of a response that sets them for itself. */
const settings: FieldTable = {
  ...routingFields,
  ...fieldsOf(
    'plain',
    'type id object model instructions modalities output_modalities input_audio_format output_audio_format',
    'temperature max_response_output_tokens max_output_tokens speed conversation parallel_tool_calls include expires_at',
    'background',
  ),
  ...fieldsOf('opaque', 'voice tool_choice tracing truncation prompt metadata input client_secret reasoning'),
  tools: 'tools',
  turn_detection: turnDetection,
  input_audio_transcription: transcription,
  input_audio_noise_reduction: fieldsOf('plain', 'type'),
  audio: {
    input: { format, transcription, noise_reduction: fieldsOf('plain', 'type'), turn_detection: turnDetection },
    output,
  },
};

const table: FieldTable = {
  ...routingFields,
  ...fieldsOf('plain', 'type event_id audio previous_item_id item_id content_index audio_end_ms response_id'),
  // What was said or made before.
  item: 'opaque',
  session: settings,
  response: settings,
};

export const frameFields: RequestFields = { ...responseFields, table };
