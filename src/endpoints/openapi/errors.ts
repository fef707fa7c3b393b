/**
 * The error format of each group of client libraries, and the statuses of each call: both follow from the table of
 * errors.
 */

import { type ErrorCode, errorTable } from '../../conversation/error-table.ts';
import { integer, object, type Schema, schemaRef, text } from './schema.ts';

/** Whose error format a path uses. */
export type Family = 'chat' | 'messages' | 'generate' | 'cohere';

const codes = Object.keys(errorTable) as readonly ErrorCode[];
const codesShown = `Weir's own codes: ${codes.map((code) => `\`${code}\``).join(', ')}. A provider's own code is passed through.`;
const fields = {
  message: text(),
  type: text(),
  param: text('The field that caused the error, or empty.'),
  code: text(codesShown),
};
const needed = ['message', 'type', 'param', 'code'];

export const errorSchemas: Readonly<Record<string, Schema>> = {
  Error: object({ error: object(fields, needed) }, ['error']),
  MessagesError: object(
    { type: { const: 'error' }, error: object({ ...fields, details: { type: 'object' } }, needed), request_id: text() },
    ['type', 'error'],
  ),
  CohereError: object({ id: text(), message: text(), code: fields.code, param: fields.param }, ['id', 'message']),
  GenerateError: {
    description: 'Clients that send a header of this format’s libraries get its error format, others the common one.',
    anyOf: [
      schemaRef('Error'),
      object(
        {
          error: object(
            {
              code: integer('The HTTP status.'),
              message: text(),
              status: text(),
              type: text(),
              param: text(),
              reason: text(codesShown),
            },
            ['code', 'message', 'status'],
          ),
        },
        ['error'],
      ),
    ],
  },
};

const schemaOf: Readonly<Record<Family, string>> = {
  chat: 'Error',
  messages: 'MessagesError',
  generate: 'GenerateError',
  cohere: 'CohereError',
};

export const errorResponses: Readonly<Record<string, object>> = Object.fromEntries(
  Object.values(schemaOf).map((name) => [
    name,
    {
      description: 'The request was rejected or failed; the body has the code and the reason.',
      headers: {
        'x-request-id': { $ref: '#/components/headers/x-request-id' },
        'Retry-After': { description: 'Seconds to wait before a retry.', schema: integer() },
        'x-should-retry': { description: '`false` if the same request would fail again.', schema: text() },
      },
      content: { 'application/json': { schema: schemaRef(name) } },
    },
  ]),
);

/** The stages of a call: authentication, reading the body, calling a provider. */
export type Passage = 'token' | 'body' | 'model';

/** Errors of the console are not part of the public API, and one is never sent: its client has disconnected. */
const statusesOf: Readonly<Record<Passage, readonly ErrorCode[]>> = {
  token: [
    'token_missing',
    'credentials_conflict',
    'endpoint_not_allowed',
    'not_found',
    'store_unavailable',
    'internal_error',
  ],
  body: ['json_malformed', 'body_timeout', 'body_too_large', 'content_type_unsupported', 'gateway_overloaded'],
  model: [
    'model_not_found',
    'budget_spent',
    'idempotency_in_progress',
    'rate_limited',
    'upstream_failed',
    'upstream_timeout',
    'provider_unavailable',
  ],
};

export function errorsOf(family: Family, passages: readonly Passage[]): Readonly<Record<string, object>> {
  return responsesOf(
    family,
    passages.flatMap((passage) => statusesOf[passage].map((code) => errorTable[code].status)),
  );
}

function responsesOf(family: Family, statuses: readonly number[]): Readonly<Record<string, object>> {
  const response = { $ref: `#/components/responses/${schemaOf[family]}` };
  return Object.fromEntries([...new Set(statuses)].sort((a, b) => a - b).map((status) => [String(status), response]));
}

/** Of any call with an admin key, and of writes besides. */
const anyAdminCodes: readonly ErrorCode[] = [
  ...codes.filter((code) => code.startsWith('admin_key_')),
  'address_not_allowed',
  'role_not_allowed',
  'not_found',
  'field_missing',
  'field_invalid',
  'rate_limited',
  'gateway_overloaded',
  'store_unavailable',
  'internal_error',
];
const adminWriteCodes: readonly ErrorCode[] = [
  'json_malformed',
  'content_type_unsupported',
  'body_timeout',
  'body_too_large',
  'header_invalid',
  'idempotency_in_progress',
  'idempotency_key_reused',
  'idempotency_outcome_unknown',
  'storage_limited',
];

export const adminCodes = (isWrite: boolean): readonly ErrorCode[] =>
  isWrite ? [...anyAdminCodes, ...adminWriteCodes] : anyAdminCodes;

export const adminErrors = (isWrite: boolean): Readonly<Record<string, object>> =>
  responsesOf('chat', [401, ...adminCodes(isWrite).map((code) => errorTable[code].status)]);
