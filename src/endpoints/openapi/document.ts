/** The description of the public API as an OpenAPI 3.1 document. */

import { credentialSubprotocol } from '../../access/credential.ts';
import { versionHeaders } from '../../formats/anthropic-messages/version.ts';
import { otherAddresses } from '../../formats/other-paths.ts';
import { errorResponses, errorSchemas, errorsOf } from './errors.ts';
import { furtherRows } from './further-operations.ts';
import { type Operation, operationRows, type Permission } from './operations.ts';
import { replySchemas } from './reply-schemas.ts';
import { requestSchemas } from './request-schemas.ts';
import { schemaRef } from './schema.ts';

export interface DocumentFacts {
  /** Weir's public URL, without `/v1`. */
  readonly origin: string;
  readonly version: string;
}

export const publicOperations: readonly Operation[] = [...operationRows, ...furtherRows];

const schemes: Readonly<Record<Exclude<Permission, 'nothing'>, object>> = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token that this Weir issued. Counts everywhere.' },
  'x-api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' },
  'api-key': { type: 'apiKey', in: 'header', name: 'api-key' },
  'x-goog-api-key': { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
  'query-key': { type: 'apiKey', in: 'query', name: 'key' },
  subprotocol: {
    type: 'apiKey',
    in: 'header',
    name: 'Sec-WebSocket-Protocol',
    description: `For browsers, which cannot set headers: \`${credentialSubprotocol}<token>\` beside the sub-protocol itself.`,
  },
  signature: {
    type: 'apiKey',
    in: 'query',
    name: 'signature',
    description: 'Part of a signed URL that Weir returned.',
  },
};

const headerNames = {
  'x-request-id': 'The id of this request in Weir’s console and log.',
  'x-weir-provider': 'The provider that served it.',
  'x-weir-attempts': 'How many candidates were tried.',
  'x-weir-cost-usd': 'What it cost, where that is known before the body; absent where no price is known.',
  'x-weir-cost-source':
    'Where the cost is not exact: `guess` (another provider’s price of the same model), `estimate` (the provider reported no usage), or both.',
  'x-weir-losses': 'Fields of the request that the provider does not support.',
  deprecation:
    'Where the model’s provider has announced its end: since when or from when on it is deprecated (RFC 9745).',
  sunset: 'Where its provider has said when: the day on which the model is shut down (RFC 8594).',
} as const;

const callHeaders = {
  'Idempotency-Key': 'A request that is sent twice with the same key is done and charged once.',
  'x-weir-strict':
    '`true`: a request with a field that the provider does not support is refused instead of sent without it.',
  'x-weir-explain': '`true`: returns the route of the request instead of sending it; the token must be allowed to.',
} as const;

const info = `A model gateway: keep your client library, point it at this URL and use a token of this Weir.

A stream is \`text/event-stream\`; its events are those of the format. A failure before the first event is a status with the error object of the
path's family. After it comes one error event of the format and the end, never an invented finish.

The paths of the chat, responses and operations endpoints are also found below ${otherAddresses.map((place) => `\`${place}\``).join(', ')} and
without \`/v1\`; a deployment in the path is the model. What is below \`/v1beta\` is below \`/v1alpha\` too.`;

export function openApiDocument({ origin, version }: DocumentFacts): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Weir', version, description: info },
    servers: [{ url: origin }],
    tags: [...new Set(publicOperations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: pathsOf(),
    components: {
      securitySchemes: schemes,
      headers: Object.fromEntries(
        Object.entries(headerNames).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
      ),
      responses: errorResponses,
      schemas: { ...requestSchemas, ...replySchemas, ...errorSchemas },
    },
  };
}

function pathsOf(): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of publicOperations) {
    const [method = '', pattern = ''] = operation.route.split(' ');
    for (const path of operation.paths ?? [pattern.replaceAll('...}', '}')]) {
      paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(operation, path) };
    }
  }
  return paths;
}

function operationOf(operation: Operation, path: string): object {
  const { id, tag, summary, permissions, family, passages, body } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    security: permissions.map((permission) => (permission === 'nothing' ? {} : { [permission]: [] })),
    ...parametersOf(operation, path),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: {
          ...(body.json !== undefined && { 'application/json': { schema: schemaRef(body.json) } }),
          ...(body.form !== undefined && { 'multipart/form-data': { schema: schemaRef(body.form) } }),
        },
      },
    }),
    responses: { ...successOf(operation), ...errorsOf(family, passages) },
  };
}

function parametersOf({ query = {}, family, passages, route }: Operation, path: string): object {
  const text = { schema: { type: 'string' } };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, ...text }));
  const inQuery = Object.entries(query).map(([name, description]) => ({ name, in: 'query', description, ...text }));
  const names = {
    ...(passages.includes('model') && route.startsWith('POST ') ? callHeaders : {}),
    ...(family === 'messages' && Object.fromEntries(versionHeaders.map((name) => [name, 'A date; any is taken.']))),
  };
  const inHeader = Object.entries(names).map(([name, description]) => ({ name, in: 'header', description, ...text }));
  const parameters = [...inPath, ...inQuery, ...inHeader];
  return parameters.length === 0 ? {} : { parameters };
}

function successOf({ reply, event, media = [], socket, passages }: Operation): Record<string, object> {
  if (socket === true) {
    const upgrade = { description: 'The connection is a WebSocket from here on.' };
    return { '101': upgrade, '426': { $ref: '#/components/responses/Error' } };
  }
  const content = {
    ...(reply !== undefined && { 'application/json': { schema: schemaRef(reply) } }),
    ...(event !== undefined && {
      'text/event-stream': {
        schema: { type: 'string', description: 'Events; `x-event-schema` is what the data of each is.' },
        'x-event-schema': schemaRef(event),
      },
    }),
    ...Object.fromEntries(media.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
  };
  const names = passages.includes('model') ? Object.keys(headerNames) : ['x-request-id'];
  const headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  return { '200': { description: 'The answer.', headers, content } };
}
