/**
 * Enums that arrive as their numbers: the wire's JSON allows both, and Google's older libraries send numbers.
 * google.ai.generativelanguage.v1beta, https://github.com/googleapis/googleapis (read 2026-11-15).
 */

/** By number, from zero on. */
export const schemaTypes = [
  'TYPE_UNSPECIFIED',
  'STRING',
  'NUMBER',
  'INTEGER',
  'BOOLEAN',
  'ARRAY',
  'OBJECT',
  'NULL',
] as const;

export const callingModes = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'] as const;

export const outputModalities = ['MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'AUDIO'] as const;

export const finishReasons = [
  'FINISH_REASON_UNSPECIFIED',
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'OTHER',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MALFORMED_FUNCTION_CALL',
  'IMAGE_SAFETY',
  'UNEXPECTED_TOOL_CALL',
] as const;

/** The word of a number; anything else as it is. */
export function enumWord(value: unknown, words: readonly string[]): unknown {
  return typeof value === 'number' ? (words[value] ?? value) : value;
}
