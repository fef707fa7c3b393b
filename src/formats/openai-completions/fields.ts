/** OpenAI Completions, what the fields of a request can do. https://platform.openai.com/docs/api-reference/completions/create (read 2026-11-19). */

import { carries } from '../fields/carried-fields.ts';
import { carried, fieldsOf, type RequestFields } from '../fields/field-table.ts';
import { fields as chatFields, settings } from '../openai-chat/fields.ts';

export const fields: RequestFields = {
  ...chatFields,
  table: {
    ...settings,
    ...fieldsOf('plain', 'suffix echo best_of'),
    prompt: 'opaque',
    [carried]: carries(
      'model prompt stream stream_options echo max_tokens n stop temperature top_p top_k seed presence_penalty ' +
        'frequency_penalty logit_bias logprobs user',
      {
        keepsOthers: true,
        inside: { stream_options: { [carried]: carries('include_usage include_obfuscation') } },
      },
    ),
  },
};
