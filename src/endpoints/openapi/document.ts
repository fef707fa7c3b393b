/** The description of the public API as an OpenAPI 3.1 document. */

import { credentialSubprotocol } from '../../access/credential.ts';
import { versionHeaders } from '../../formats/anthropic-messages/version.ts';
import { otherAddresses } from '../../formats/other-paths.ts';
import { adminKeyScheme, adminOperations } from './admin-operations.ts';
import { adminSchemas } from './admin-schemas.ts';
import { errorResponses, errorSchemas, errorsOf } from './errors.ts';
import { exampleOf, pathModelOf } from './examples.ts';
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
/** Made once, when the description is first asked for. */
const admin = { operations: adminOperations(), schemas: adminSchemas() };

const schemes: Readonly<Record<Exclude<Permission, 'nothing'>, object>> = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token issued by this Weir. Works for every path.' },
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
  'x-request-id': 'The ID of this request in Weir’s console and log.',
  'x-weir-provider': 'The provider that served it.',
  'x-weir-attempts': 'How many attempts were made.',
  'x-weir-cost-usd': 'Cost in USD, if known before the body is sent; absent if the model has no price.',
  'x-weir-cost-source':
    'Set if the cost is not exact: `guess` (another provider’s price of the same model, or one without a unit that is not known), `estimate` (the provider reported no usage), or both.',
  'x-weir-losses':
    'Fields of the request that the provider’s format does not have, and of a whole reply that the client’s does not have.',
  'x-weir-restored': 'Reasoning that the client left out of earlier turns and that Weir put back for the model.',
  deprecation: 'The date from which the provider deprecates the model, if announced (RFC 9745).',
  sunset: 'The date on which the provider shuts the model down, if announced (RFC 8594).',
} as const;

const callHeaders = {
  'Idempotency-Key': 'Requests with the same key run and are charged once.',
  'x-weir-strict':
    '`true`: reject the request if the provider does not support one of its fields, instead of dropping the field.',
  'x-weir-losses':
    '`true`: name what of a streamed reply the client’s format does not have, in a comment before the end of the stream.',
  'x-weir-explain': '`true`: return the route of the request instead of sending it. The token needs permission.',
} as const;

const info = `A model gateway: keep your client library, point it at this URL and use a token of this Weir.

A stream is \`text/event-stream\`; its events are those of the format. A failure before the first event is a status with the error object of the
path's family. After it comes one error event of the format and the end, never an invented finish.

The chat, responses and operations endpoints are also served below ${otherAddresses.map((place) => `\`${place}\``).join(', ')} and
without \`/v1\`; a deployment in the path is the model. What is below \`/v1beta\` is below \`/v1alpha\` too.

The operations below \`/admin/v1\` are the admin API: what the console can do, with an admin key in the place of a token.`;

export function openApiDocument({ origin, version }: DocumentFacts): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Weir', version, description: info },
    servers: [{ url: origin }],
    tags: [...new Set([...publicOperations, ...admin.operations].map(({ tag }) => tag))].map((name) => ({ name })),
    paths: pathsOf(),
    components: {
      securitySchemes: { ...schemes, adminKey: adminKeyScheme },
      headers: Object.fromEntries(
        Object.entries(headerNames).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
      ),
      responses: errorResponses,
      schemas: { ...requestSchemas, ...replySchemas, ...errorSchemas, ...admin.schemas },
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
  for (const { path, method, operation } of admin.operations) paths[path] = { ...paths[path], [method]: operation };
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
    ...(body !== undefined && { requestBody: { required: true, content: bodyContent(id, body) } }),
    responses: { ...successOf(operation), ...errorsOf(family, passages) },
  };
}

/** An example of what is uploaded names files, which JSON cannot hold. */
function bodyContent(id: string, { json, form }: NonNullable<Operation['body']>): Record<string, object> {
  const example = exampleOf(id);
  const given = (name: string) => ({ schema: schemaRef(name), ...(example !== undefined && { example }) });
  const isUpload = form !== undefined && form !== json;
  return {
    ...(json !== undefined && { 'application/json': isUpload ? { schema: schemaRef(json) } : given(json) }),
    ...(form !== undefined && { 'multipart/form-data': given(form) }),
  };
}

function parametersOf({ query = {}, family, passages, route }: Operation, path: string): object {
  const text = { schema: { type: 'string' } };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    ...text,
    ...(name === 'model' && { description: 'A model ID from `GET /v1/models`.', example: pathModelOf(path) }),
  }));
  const inQuery = Object.entries(query).map(([name, description]) => ({ name, in: 'query', description, ...text }));
  const names = {
    ...(passages.includes('model') && route.startsWith('POST ') ? callHeaders : {}),
    ...(family === 'messages' &&
      Object.fromEntries(versionHeaders.map((name) => [name, 'A version date; any value is accepted.']))),
  };
  const inHeader = Object.entries(names).map(([name, description]) => ({ name, in: 'header', description, ...text }));
  const parameters = [...inPath, ...inQuery, ...inHeader];
  return parameters.length === 0 ? {} : { parameters };
}

function successOf({ reply, event, media = [], socket, passages }: Operation): Record<string, object> {
  if (socket === true) {
    const upgrade = { description: 'The connection is upgraded to a WebSocket.' };
    return { '101': upgrade, '426': { $ref: '#/components/responses/Error' } };
  }
  const content = {
    ...(reply !== undefined && { 'application/json': { schema: schemaRef(reply) } }),
    ...(event !== undefined && {
      'text/event-stream': {
        schema: {
          type: 'string',
          description: 'Server-sent events; `x-event-schema` is the schema of each event’s data.',
        },
        'x-event-schema': schemaRef(event),
      },
    }),
    ...Object.fromEntries(media.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
  };
  const names = passages.includes('model') ? Object.keys(headerNames) : ['x-request-id'];
  const headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  return { '200': { description: 'Success.', headers, content } };
}
