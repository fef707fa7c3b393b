/** What the fields of operations can do, whatever the operation: none of these names a further model. Files are no fields. */

import { type FieldTable, fieldsOf, type RequestFields } from './field-table.ts';
import { routingFields } from './routing-fields.ts';

/** Texts that are embedded, ranked, judged or drawn come in lists and objects of many shapes. */
const content = 'input inputs query documents prompt texts contents content';

const table: FieldTable = {
  ...routingFields,
  ...fieldsOf('opaque', `${content} metadata chunking_strategy image_url mask`),
  ...fieldsOf(
    'plain',
    'model user n size quality style response_format background moderation output_format output_compression seed',
    'partial_images stream negative_prompt aspect_ratio image images input_fidelity dimensions encoding_format',
    'output_dimension output_dtype embedding_types embedding_type input_type truncate truncation task normalized',
    'late_chunking top_n top_k return_documents max_chunks_per_doc max_tokens_per_doc rank_fields instruct',
    'instructions speed stream_format language temperature timestamp_granularities include known_speaker_names',
    'known_speaker_references word_timestamps diarize num_speakers format sample_rate file url title taskType',
    'task_type outputDimensionality output_dimensionality autoTruncate priority width height steps num_inference_steps',
    'guidance_scale cfg_scale strength watermark prompt_extend safety_tolerance prompt_upsampling safety_identifier',
    'complexity frame_count frame_duration_ms markup keywords languages seconds',
  ),
  input_reference: fieldsOf('plain', 'file_id image_url'),
  // Another model draws it.
  svg: { model: 'model', reasoning: fieldsOf('plain', 'effort') },
  voice: fieldsOf('plain', 'id'),
  requests: {
    ...fieldsOf('plain', 'taskType task_type title outputDimensionality output_dimensionality'),
    content: 'opaque',
    model: 'model',
  },
};

/** Of an order for a video: what is for one provider alone, by the provider's name. Everything else is written from neutral fields. */
export const providerFields: RequestFields = {
  table: { ...routingFields, model: 'plain' },
  hostedIn: () => [],
  withoutFee: new Set(),
};

export const operationFields: RequestFields = { table, hostedIn: () => [], withoutFee: new Set() };
