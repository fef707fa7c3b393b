/** Every route that an admin key may call is described, and its examples are what its schemas say. */

import { describe, expect, test } from 'bun:test';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { usageBoundWords, usageListWords, usagePageWords } from '../../admin/contracts/analytics-contract.ts';
import { describedRoutes } from '../../admin/description/described-routes.ts';
import type { KeyRouteName, RouteDescription } from '../../admin/description/route-description.ts';
import { isOpenToKeys, keyRoutes } from '../../admin/keys/key-routes.ts';
import { type AdminRouteName, roleTable } from '../../admin/role-table.ts';
import { openApiDocument } from './document.ts';

interface Content {
  readonly schema: { readonly $ref?: string };
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
  readonly 'x-weir-scope': string;
  readonly 'x-weir-error-codes': readonly string[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const made = openApiDocument({ origin: 'https://weir.example', version: '1' });
const document = JSON.parse(JSON.stringify(made)) as Document;
const routes = Object.entries(describedRoutes) as [KeyRouteName, RouteDescription][];

const operationOf = (name: AdminRouteName): Operation | undefined => {
  const [method = '', path = ''] = name.replace('/console/api/', '/admin/v1/').split(' ');
  return document.paths[path]?.[method.toLowerCase()];
};

test('the routes that are open to keys are described, and no others', () => {
  expect(Object.keys(describedRoutes).toSorted()).toEqual([...keyRoutes].toSorted());
  for (const name of Object.keys(roleTable) as AdminRouteName[]) {
    expect([name, operationOf(name) !== undefined]).toEqual([name, isOpenToKeys(name)]);
  }
});

test('every call of the client has one route', () => {
  const calls = routes.map(([, { call }]) => call);
  expect(calls.filter((call, index) => calls.indexOf(call) !== index)).toEqual([]);
  for (const call of calls) expect(call).toMatch(/^[a-z]\w*\.[a-z]\w*$/);
});

test('each names its scope, and writes take an Idempotency-Key', () => {
  expect(operationOf('POST /console/api/tokens')?.['x-weir-scope']).toBe('tokens:write');
  expect(operationOf('GET /console/api/usage/overview')?.['x-weir-scope']).toBe('usage:read');
  for (const [name] of routes) {
    const operation = operationOf(name);
    const isWrite = !name.startsWith('GET ');
    expect(operation?.security).toEqual([{ adminKey: [] }]);
    expect(operation?.['x-weir-scope']).toMatch(isWrite ? /^[a-z-]+:write$/ : /^[a-z-]+:read$/);
    expect(operation?.parameters?.some((one) => one.name === 'Idempotency-Key') ?? false).toBe(isWrite);
    expect(operation?.['x-weir-error-codes'].includes('idempotency_key_reused')).toBe(isWrite);
  }
});

test('usage takes every filter that the console has', () => {
  const words = [...usageListWords, ...usageBoundWords];
  const given = (name: KeyRouteName) => Object.keys((describedRoutes[name] as RouteDescription).query ?? {});
  expect(given('GET /console/api/usage/count').toSorted()).toEqual(words.toSorted());
  const page = [...words, ...usagePageWords, 'top'];
  expect(given('GET /console/api/usage/requests').toSorted()).toEqual(page.toSorted());
});

describe('examples', () => {
  test('are what the routes check, and what they reply', () => {
    for (const [name, { body, reply }] of routes) {
      for (const content of [body, reply]) {
        if (content === undefined || !('schema' in content)) continue;
        const { error } = content.schema.safeParse(content.example);
        expect([name, error?.issues]).toEqual([name, undefined]);
      }
    }
  });

  test('fit the schemas of the document', () => {
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'weir', components: document.components });
    let checked = 0;
    for (const [name] of routes) {
      const operation = operationOf(name);
      for (const content of [operation?.requestBody?.content, operation?.responses['200']?.content]) {
        for (const { schema, example } of Object.values(content ?? {})) {
          if (schema.$ref === undefined) continue;
          const validate = ajv.compile({ $ref: `weir${schema.$ref}` });
          expect([name, validate(example), validate.errors]).toEqual([name, true, null]);
          checked++;
        }
      }
    }
    expect(checked).toBeGreaterThan(90);
  });
});
