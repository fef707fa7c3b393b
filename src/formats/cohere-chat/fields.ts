/** Cohere Chat v2, what the fields of a request can do. https://docs.cohere.com/reference/chat (read 2026-11-19). */

import { fieldsOf, type RequestFields } from '../fields/field-table.ts';
import { fields as chatFields } from '../openai-chat/fields.ts';

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
    },
  },
};
