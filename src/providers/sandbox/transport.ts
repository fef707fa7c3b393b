/** The sandbox as a transport: it takes the request that the network would have carried and answers it in this process. */

import type { UpstreamRequest } from '../../upstream/transport.ts';
import type { ProviderPreset } from '../provider.ts';
import { type SandboxModel, sandboxModels } from './models.ts';

export interface SandboxOptions {
  /** Between two deltas; 0 streams as fast as it is read. */
  readonly paceMs: number;
  nowMs(): number;
  newId(): string;
  /** Rejects with the signal's reason when it is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The request that the network would have carried; the sandbox waits in many places, so it wants a signal that all of them know. */
export type SandboxRequest = Omit<UpstreamRequest, 'signal'> & { readonly signal: AbortSignal };

export interface Sandbox {
  readonly preset: ProviderPreset;
  /** Answers the request that the network would have carried. */
  readonly answer: (request: SandboxRequest) => Promise<Response>;
  readonly models: readonly SandboxModel[];
}

const baseUrl = 'sandbox://local/v1';

export const sandboxPreset: ProviderPreset = {
  name: 'sandbox',
  label: 'Sandbox (built in)',
  baseUrl,
  keyVariables: [],
  auth: { style: 'none' },
  formats: { 'openai-chat': '/chat/completions' },
  modelsPath: '/models',
};

type Handler = (request: SandboxRequest, path: string) => Promise<Response>;

interface Route {
  readonly method: UpstreamRequest['method'];
  /** A path below the base address; with a star at its end everything below it. */
  readonly path: string;
  readonly handle: Handler;
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const routes = routesFor(options);
  return {
    preset: sandboxPreset,
    models: sandboxModels,
    answer: async (request) => {
      request.signal.throwIfAborted();
      const path = request.url.startsWith(baseUrl) ? (request.url.slice(baseUrl.length).split('?')[0] ?? '') : '';
      const route = routes.find((one) => one.method === request.method && matches(one.path, path));
      if (route === undefined)
        return new Response('{"error":{"message":"The sandbox has no such path."}}', { status: 404 });
      return route.handle(request, path);
    },
  };
}

/** A handler and its codec are loaded with the first request for them, so that a start pays for nothing it may not use. */
function routesFor(options: SandboxOptions): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/chat/completions',
      handle: async (request) => {
        const [{ handleConversation }, { chatCodec }] = await Promise.all([
          import('./conversation-handler.ts'),
          import('./chat-codec.ts'),
        ]);
        return handleConversation(request, chatCodec, options);
      },
    },
    {
      method: 'GET',
      path: '/models*',
      handle: async (_request, path) => {
        const { handleModels } = await import('./models-handler.ts');
        return handleModels(path);
      },
    },
  ];
}

function matches(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
