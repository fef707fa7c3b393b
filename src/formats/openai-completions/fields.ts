/** OpenAI Completions, what the fields of a request can do. https://platform.openai.com/docs/api-reference/completions/create (read 2026-11-19). */

import { fieldsOf, type RequestFields } from '../fields/field-table.ts';
import { fields as chatFields, settings } from '../openai-chat/fields.ts';

export const fields: RequestFields = {
  ...chatFields,
  table: { ...settings, ...fieldsOf('plain', 'suffix echo best_of'), prompt: 'opaque' },
};
