import { describe, expect, test } from 'bun:test';
import { plainPath, type Route, RouteTable } from './route-table.ts';

const route = (method: Route['method'], path: string): Route => ({
  method,
  path,
  handle: () => new Response(path),
  writeError: () => new Response('error'),
});
const table = new RouteTable([
  route('POST', '/v1/chat/completions'),
  route('GET', '/v1/models'),
  route('GET', '/v1/models/{id...}'),
  route('GET', '/v1/tasks/{id}'),
  route('DELETE', '/v1/tasks/{id}'),
  route('GET', '/v1/tasks/{id}/content'),
]);

describe('finding', () => {
  test.each([
    ['GET', '/v1/models', '/v1/models', {}],
    ['HEAD', '/v1/models', '/v1/models', {}],
    ['GET', '/v1/models/org%2Fx', '/v1/models/{id...}', { id: 'org/x' }],
    ['GET', '/v1/models/org/x', '/v1/models/{id...}', { id: 'org/x' }],
    ['GET', '/v1/tasks/7', '/v1/tasks/{id}', { id: '7' }],
    ['GET', '/v1/tasks/7/content', '/v1/tasks/{id}/content', { id: '7' }],
  ])('%s %s', (method, path, expected, params) => {
    const match = table.find(method, path);
    expect(match.found).toBe('route');
    if (match.found === 'route') expect([match.route.path, match.params]).toEqual([expected, params]);
  });

  test('a wrong method names those that exist', () => {
    const match = table.find('POST', '/v1/tasks/7');
    expect(match.found === 'path' && match.allow).toEqual(['GET', 'DELETE']);
  });

  test.each([
    '/',
    '/v1',
    '/v1/models/',
    '/v1/tasks/',
    '/v1/tasks/7/other',
    '/v1/models/%zz',
  ])('%s is unknown', (path) => {
    expect(table.find('GET', path).found).toBe('nothing');
  });
});

describe('other spellings', () => {
  const read = (path: string) =>
    path.startsWith('/other/') ? { path: `/v1/${path.slice(7)}`, params: { name: 'n' } } : undefined;
  const known = new RouteTable(
    [
      route('POST', '/v1/chat/completions'),
      route('GET', '/v1/models/{id...}'),
      route('GET', '/healthz'),
      route('POST', '/other/{rest...}'),
    ],
    read,
  );

  test.each([
    ['POST', '/other/chat/completions', '/v1/chat/completions', { name: 'n' }],
    ['GET', '/other/models/a/b', '/v1/models/{id...}', { id: 'a/b', name: 'n' }],
    ['POST', '/chat/completions', '/v1/chat/completions', {}],
    ['GET', '/models/a', '/v1/models/{id...}', { id: 'a' }],
  ])('%s %s', (method, path, expected, params) => {
    const match = known.find(method, path);
    expect(match.found === 'route' && [match.route.path, match.params]).toEqual([expected, params]);
  });

  test.each([
    '/v1/healthz',
    '/v1/chat',
    '/chat',
    '/other/chat',
    '/v1/v1/v1/chat/completions',
  ])('%s is unknown', (path) => {
    expect(known.find('POST', path).found).toBe('nothing');
  });

  test.each([
    ['/api/v1/chat/completions', '/v1/chat/completions'],
    ['/v1/chat/completions/chat/completions', '/v1/chat/completions'],
    ['/a/b/healthz', '/healthz'],
    ['/a/b', undefined],
    ['/', undefined],
    [`${'/chat/completions'.repeat(5_000)}/x`, undefined],
  ])('%p ends with %p', (path, end) => {
    expect(known.endOf(path)).toBe(end as string);
  });
});

test.each([
  ['/v1/v1/messages', '/v1/messages'],
  ['/v1/v1beta/models/x:y', '/v1beta/models/x:y'],
  ['/v1/v2/rerank', '/v2/rerank'],
  ['/v1/v1alpha/models', '/v1alpha/models'],
  ['/v1beta/v1beta/models/x:y', '/v1beta/models/x:y'],
  ['/v1beta/v1/models/x:y', '/v1/models/x:y'],
  ['/v1beta/models/x:y', '/v1beta/models/x:y'],
  ['/v1beta/v1things:y', '/v1beta/v1things:y'],
  ['//v1//realtime', '/v1/realtime'],
  ['/v1/models/', '/v1/models'],
  ['/v1/v1things', '/v1/v1things'],
  ['/v1', '/v1'],
  ['/', '/'],
])('%s means %s', (path, plain) => {
  expect(plainPath(path)).toBe(plain);
});
