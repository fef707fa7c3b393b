/** Cohere Chat v2, what the fields of a request can do. https://docs.cohere.com/reference/chat (read 2026-11-19). */

import type { Tree } from '../../conversation/json-tree.ts';
import { carries, carriesByKind } from '../fields/carried-fields.ts';
import { carried, type FieldTable, fieldsOf, type RequestFields } from '../fields/field-table.ts';
import { fields as chatFields, declared } from '../openai-chat/fields.ts';

const byType = ({ type }: Tree): unknown => type;
const document: FieldTable = { [carried]: carries('id data') };

const parts: FieldTable = {
  [carried]: carriesByKind(
    byType,
    { text: 'type text', thinking: 'type thinking', document: 'type document', image_url: 'type image_url' },
    { inside: { document, image_url: { [carried]: carries('url detail') } } },
  ),
};

function turnOf({ role }: Tree): string {
  return role === 'assistant' || role === 'tool' ? role : 'other';
}

export const fields: RequestFields = {
  ...chatFields,
  table: {
    ...chatFields.table,
    ...fieldsOf('plain', 'p k safety_mode strict_tools stop_sequences priority'),
    documents: 'opaque',
    citation_options: fieldsOf('plain', 'mode'),
    thinking: fieldsOf('plain', 'type token_budget'),
    messages: {
      ...fieldsOf('plain', 'role tool_plan tool_call_id'),
      ...fieldsOf('opaque', 'content citations'),
      tool_calls: { ...fieldsOf('plain', 'id type'), function: fieldsOf('plain', 'name arguments') },
      [carried]: carriesByKind(
        turnOf,
        {
          assistant: 'role content tool_calls tool_plan citations',
          tool: 'role content tool_call_id',
          other: 'role content',
        },
        { inside: { content: parts } },
      ),
    },
    [carried]: carries(
      'model messages stream documents tools strict_tools tool_choice response_format max_tokens stop_sequences ' +
        'temperature seed frequency_penalty presence_penalty k p logprobs thinking',
      {
        keepsOthers: true,
        inside: {
          documents: document,
          tools: declared,
          response_format: {
            [carried]: carriesByKind(byType, { text: 'type', json_object: 'type json_schema schema' }),
          },
        },
      },
    ),
  },
};
