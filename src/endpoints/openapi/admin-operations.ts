/** The operations of the admin interface, as the description writes them: below `/admin/v1`, with an admin key. */

import { z } from 'zod';
import { describedRoutes } from '../../admin/description/described-routes.ts';
import type {
  FileContent,
  JsonContent,
  KeyRouteName,
  QueryParameter,
  RouteDescription,
} from '../../admin/description/route-description.ts';
import { keyRoutes } from '../../admin/keys/key-routes.ts';
import { scopeOf } from '../../admin/keys/scopes.ts';
import { admittedTo } from '../../admin/role-table.ts';
import { namedRef } from './admin-schemas.ts';
import { adminCodes, adminErrors } from './errors.ts';
import { list, type Schema } from './schema.ts';

export const adminKeyScheme = {
  type: 'http',
  scheme: 'bearer',
  description: 'An admin key: `weir_admin_…`. Each operation names the scope that it needs.',
} as const;

interface AdminOperation {
  readonly path: string;
  readonly method: string;
  readonly tag: string;
  readonly operation: object;
}

const pathMeanings: Readonly<Record<string, string>> = {
  id: 'The ID.',
  accountId: 'The ID of an account.',
  name: 'The name.',
  index: 'Which one, from 0.',
};

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'A write with the same key is done once; its reply is given again for a day.',
  schema: { type: 'string' },
};

const names = (Object.keys(describedRoutes) as KeyRouteName[]).filter((name) => keyRoutes.includes(name));

export const adminOperations = (): readonly AdminOperation[] =>
  names.map((name) => {
    const [method = '', path = ''] = name.replace('/console/api/', '/admin/v1/').split(' ');
    const description: RouteDescription = describedRoutes[name];
    const tag = `Admin: ${wordsOf(description.call.split('.')[0] ?? '')}`;
    return { path, method: method.toLowerCase(), tag, operation: operationOf(name, path, tag, description) };
  });

/** `alertChannels` as `alert channels`. */
const wordsOf = (text: string): string => text.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function operationOf(name: KeyRouteName, path: string, tag: string, described: RouteDescription): object {
  const { call, summary, description, body, reply, paging } = described;
  const isWrite = !name.startsWith('GET ');
  const parameters = [...parametersOf(path, described), ...(isWrite ? [idempotencyHeader] : [])];
  return {
    operationId: `admin.${call}`,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: [{ adminKey: [] }],
    'x-weir-scope': scopeOf(name),
    'x-weir-roles': admittedTo(name),
    'x-weir-error-codes': adminCodes(isWrite),
    ...(paging !== undefined && { 'x-weir-paging': paging }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: jsonContent(body) } }),
    responses: { ...successOf(reply), ...adminErrors(isWrite) },
  };
}

function parametersOf(path: string, { query = {} }: RouteDescription): readonly object[] {
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathMeanings[name],
    schema: { type: 'string' },
  }));
  return [...inPath, ...Object.entries(query).map(queryParameter)];
}

function queryParameter([name, { description, schema, required, repeated }]: readonly [string, QueryParameter]) {
  const one = hasName(schema) ? namedRef(schema) : schema;
  return {
    name,
    in: 'query',
    description,
    ...(required === true && { required }),
    schema: repeated === true ? list(one) : one,
  };
}

const hasName = (schema: QueryParameter['schema']): schema is z.ZodType => schema instanceof z.ZodType;

const jsonContent = ({ schema, example }: JsonContent) => ({
  'application/json': { schema: namedRef(schema), example },
});

const fileContent = ({ file, rows }: FileContent): Readonly<Record<string, { readonly schema: Schema }>> => ({
  ...Object.fromEntries(Object.entries(file).map(([type, schema]) => [type, { schema }])),
  ...(rows !== undefined && { 'application/json': { schema: list(namedRef(rows)) } }),
});

function successOf(reply: RouteDescription['reply']): Readonly<Record<string, object>> {
  const headers = { 'x-request-id': { $ref: '#/components/headers/x-request-id' } };
  if (reply === undefined) return { '204': { description: 'Done.', headers } };
  const content = 'file' in reply ? fileContent(reply) : jsonContent(reply);
  return { '200': { description: 'Success.', headers, content } };
}
