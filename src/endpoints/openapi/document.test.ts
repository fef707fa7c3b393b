/** Proves that the description has every public route and nothing else, and is consistent. */

import { describe, expect, test } from 'bun:test';
import Ajv from 'ajv/dist/2020.js';
import { type RouteParts, routeList } from '../route-list.ts';
import { openApiDocument, publicOperations } from './document.ts';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly summary: string;
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: { readonly $ref: string }; readonly example?: object }>
    >;
  };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const made = openApiDocument({ origin: 'https://weir.example', version: '1.2.3' });
// As a client reads it: only what JSON can express.
const document = JSON.parse(JSON.stringify(made)) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** No route does anything while the table is built. */
const routes = routeList({ console: {} } as RouteParts);
const isPage = (path: string): boolean => path === '/' || path.startsWith('/assets/');

describe('routes', () => {
  const described = new Set(publicOperations.map(({ route }) => route));

  test('every public one is described', () => {
    const missing = routes
      .filter(({ path, ownPagesOnly }) => ownPagesOnly !== true && !isPage(path))
      .map(({ method, path }) => `${method} ${path}`)
      .filter((name) => !described.has(name));
    expect(missing).toEqual([]);
  });

  test('every described route exists', () => {
    const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    expect([...described].filter((name) => !known.has(name))).toEqual([]);
  });

  test('nothing of the console is', () => {
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/console'))).toEqual([]);
  });
});

describe('the document', () => {
  test('is OpenAPI 3.1 with the requested URL', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } });
    expect(document.servers).toEqual([{ url: 'https://weir.example' }]);
  });

  test('refers only to what it holds', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(refs.length).toBeGreaterThan(100);
    for (const [, kind = '', name = ''] of refs) expect(document.components[kind]?.[name]).toBeDefined();
    expect(JSON.stringify(document)).not.toMatch(/"\$ref":"(?!#\/components\/)/);
  });

  test('holds only what is referred to', () => {
    const text = JSON.stringify(document);
    const unused = ['schemas', 'responses', 'headers'].flatMap((kind) =>
      Object.keys(document.components[kind] ?? {}).filter((name) => !text.includes(`#/components/${kind}/${name}"`)),
    );
    expect(unused).toEqual([]);
  });

  test('names every operation once, with known tags, schemes and declared parameters', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = new Set(document.tags.map(({ name }) => name));
    const schemes = document.components['securitySchemes'] ?? {};
    for (const { path, operation } of operations) {
      expect(operation.tags.every((tag) => tags.has(tag))).toBe(true);
      expect(operation.security.flatMap((one) => Object.keys(one)).filter((name) => !(name in schemes))).toEqual([]);
      const declared = (operation.parameters ?? []).filter((one) => one.in === 'path').map(({ name }) => name);
      expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''));
    }
  });

  test('has the success reply and the error format of each operation', () => {
    for (const { path, operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect(statuses.some((status) => ['200', '204', '101'].includes(status))).toBe(true);
      const envelope = path.startsWith('/v1/messages')
        ? 'MessagesError'
        : path.startsWith('/v1beta') || path.startsWith('/v1/models/{model}:')
          ? 'GenerateError'
          : path === '/v2/chat' || path === '/v2/embed'
            ? 'CohereError'
            : 'Error';
      const used = new Set(Object.values(operation.responses).flatMap(({ $ref }) => $ref ?? []));
      for (const ref of used) expect(ref).toBe(`#/components/responses/${envelope}`);
      if (operation.security.every((one) => Object.keys(one).length > 0)) expect(statuses).toContain('401');
    }
  });

  test('says in one short sentence what each operation does', () => {
    const summaries = operations.map(({ operation }) => operation.summary);
    for (const summary of summaries) {
      expect(summary).toMatch(/^[A-Z`].{6,}\.$/);
      expect(summary.length).toBeLessThan(120);
    }
    expect(summaries).toContain('Create a chat completion.');
    expect(summaries).toContain('Generate images.');
  });

  test('has an example body for every operation with a body, and it fits its schema', () => {
    const ajv = new Ajv({ strict: false, formats: { binary: true, 'date-time': true, date: true } });
    ajv.addSchema({ $id: 'weir', components: document.components });
    for (const { operation } of operations) {
      const media = Object.values(operation.requestBody?.content ?? {});
      if (media.length === 0) continue;
      const examples = media.filter((one) => one.example !== undefined);
      expect([operation.operationId, examples.length > 0]).toEqual([operation.operationId, true]);
      for (const { schema, example } of examples) {
        const validate = ajv.compile({ $ref: `weir${schema.$ref}` });
        expect([operation.operationId, validate(example), validate.errors]).toEqual([
          operation.operationId,
          true,
          null,
        ]);
      }
    }
  });

  test('has schemas that a validator accepts', () => {
    const ajv = new Ajv({ strict: false, formats: { binary: true, 'date-time': true, date: true } });
    ajv.addSchema({ $id: 'weir', components: document.components });
    for (const name of Object.keys(document.components['schemas'] ?? {})) {
      expect(typeof ajv.compile({ $ref: `weir#/components/schemas/${name}` })).toBe('function');
    }
  });
});
