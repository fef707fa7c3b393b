import { expect, test } from 'bun:test';
import { otherPath } from './other-paths.ts';

test.each([
  ['/openai/v1/chat/completions', '/v1/chat/completions'],
  ['/openai/v1/responses/resp_1', '/v1/responses/resp_1'],
  ['/v1/openai/v1/embeddings', '/v1/embeddings'],
  ['/v1beta/openai/chat/completions', '/v1/chat/completions'],
  ['/v1beta/openai/models', '/v1/models'],
  ['/openai/responses', '/v1/responses'],
  ['/openai/models', '/v1/models'],
  ['/v1alpha/models/m:generateContent', '/v1beta/models/m:generateContent'],
  ['/v1alpha/models', '/v1beta/models'],
  ['/v1/org/m:streamGenerateContent', '/v1/models/org/m:streamGenerateContent'],
  ['/v1/openai/m:generateContent', '/v1/models/openai/m:generateContent'],
  ['/v1beta1/projects/p/locations/l/publishers/google/models/m:countTokens', '/v1/models/m:countTokens'],
  ['/v1beta1/publishers/google/models/m:generateContent', '/v1/models/m:generateContent'],
  ['/v1/projects/p/locations/l/publishers/google/models/m:embedContent', '/v1/models/m:embedContent'],
])('%s means %s', (path, plain) => {
  expect(otherPath(path)).toEqual({ path: plain, params: {} });
});

test.each([
  ['/openai/deployments/gpt-4o/chat/completions', '/v1/chat/completions', 'gpt-4o'],
  ['/v1/openai/deployments/d/audio/speech', '/v1/audio/speech', 'd'],
  ['/openai/deployments/org%2Fx/images/edits', '/v1/images/edits', 'org/x'],
  ['/openai/deployments/org/x/chat/completions', '/v1/chat/completions', 'org/x'],
  ['/openai/deployments/org/x/completions', '/v1/completions', 'org/x'],
])('%s means %s of %s', (path, plain, deployment) => {
  expect(otherPath(path)).toEqual({ path: plain, params: { deployment } });
});

test.each([
  '/',
  '/v1/models/m:generateContent',
  '/v1beta/openai/m:generateContent',
  '/v1/responses/resp_1',
  '/v1/models/openai/gpt',
  '/openai',
  '/openai/',
  '/openai/deployments/%zz/chat/completions',
  '/console/openai/v1/x',
])('%s is left as it is', (path) => {
  expect(otherPath(path)).toBeUndefined();
});
