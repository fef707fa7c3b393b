/** The sandbox as a transport: it takes the request that the network would have carried and answers it in this process. */

import type { FormatName } from '../formats/format.ts';
import type { OperationName } from '../operations/wire.ts';
import { pathsOf } from '../providers/address.ts';
import { declaredRows } from '../providers/declared-operations.ts';
import {
  chat,
  completions,
  familyOperations,
  generate,
  live,
  messages,
  rerank,
  responses,
} from '../providers/presets/paths.ts';
import type { FormatPath, ProviderRules } from '../providers/provider.ts';
import type { SocketTransport } from '../upstream/socket-transport.ts';
import type { UpstreamRequest } from '../upstream/transport.ts';
import { type SandboxModel, sandboxModels } from './models.ts';
import type { VideoDesk } from './video/video-desk.ts';

export interface SandboxOptions {
  /** Between two deltas; 0 streams as fast as it is read. */
  readonly paceMs: number;
  nowMs(): number;
  newId(): string;
  /** In live conversations, how many seconds of speech are sent in one; 0 sends it as fast as it is read. */
  readonly speechTimesRealTime?: number;
  /** Rejects with the signal's reason when it is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The request that the network would have carried; the sandbox waits in many places, so it wants a signal that all of them know. */
export type SandboxRequest = Omit<UpstreamRequest, 'signal'> & { readonly signal: AbortSignal };

export interface Sandbox {
  readonly preset: ProviderRules;
  /** Answers the request that the network would have carried. */
  readonly answer: (request: SandboxRequest) => Promise<Response>;
  /** Opens the connection that the network would have opened. */
  readonly sockets: SocketTransport;
  readonly models: readonly SandboxModel[];
}

const baseUrl = 'sandbox://local/v1';
const videoPath = '/video/generations';

export const sandboxPreset: ProviderRules = {
  name: 'sandbox',
  label: 'Sandbox (built in)',
  baseUrl,
  keyVariables: [],
  auth: { style: 'none' },
  formats: { ...responses, ...messages, ...generate, ...chat, ...completions },
  operations: {
    ...familyOperations,
    ...rerank,
    ...live,
    'edit-image': { ...familyOperations['edit-image'], fetchesNothing: true },
    'make-video': { wire: 'video-generations', path: videoPath, fetchesNothing: true },
  },
  modelsPath: '/models',
};

/** `name` is what stands in the address at the place of the model's or the task's name. */
type Handler = (request: SandboxRequest, name: string | undefined) => Promise<Response>;

interface Route {
  readonly method: UpstreamRequest['method'];
  /** A path below the base address, where it names a model or a task with a hole for that. */
  readonly path: string;
  readonly handle: Handler;
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const routes = routesFor(options);
  return {
    preset: sandboxPreset,
    models: sandboxModels,
    sockets: async (request, listener) => {
      const { openLive } = await import('./realtime/open-live.ts');
      return openLive(request, listener, options);
    },
    answer: async (request) => {
      request.signal.throwIfAborted();
      const path = request.url.startsWith(baseUrl) ? (request.url.slice(baseUrl.length).split('?')[0] ?? '') : '';
      for (const route of routes) {
        const found = route.method === request.method ? matchPath(route.path, path) : undefined;
        if (found !== undefined) return route.handle(request, found.name);
      }
      return new Response('{"error":{"message":"The sandbox has no such path."}}', { status: 404 });
    },
  };
}

/** A handler and its formats are loaded with the first request for them, so that a start pays for nothing it may not use. */
function routesFor(options: SandboxOptions): readonly Route[] {
  const list: Handler = async (_request, name) => {
    const { handleModels } = await import('./models-handler.ts');
    return handleModels(name);
  };
  const spoken = Object.entries(sandboxPreset.formats) as [FormatName, FormatPath][];
  return [
    ...spoken.flatMap(([format, path]) => conversationRoutes(format, path, options)),
    ...operationNames.map((name) => operationRoute(name, options)),
    ...videoRoutes(options),
    { method: 'GET', path: '/models', handle: list },
    { method: 'GET', path: `/models/${hole}`, handle: list },
  ];
}

function conversationRoutes(format: FormatName, path: FormatPath, options: SandboxOptions): Route[] {
  const templates = typeof path === 'string' ? [path] : pathsOf(path);
  return templates.map((template, index) => ({
    method: 'POST',
    path: template.split('?')[0] ?? '',
    handle: async (request, model) => {
      const { handleConversation } = await import('./conversation-handler.ts');
      const named = model === undefined ? undefined : { model, stream: index === 1 };
      return handleConversation(request, { format, named }, options);
    },
  }));
}

/** What outlives its reply has routes of its own. */
const operationNames = Object.keys(sandboxPreset.operations ?? {}).filter(
  (name): name is OperationName => name !== 'make-video' && name !== 'converse-live',
);

function operationRoute<Name extends OperationName>(name: Name, options: SandboxOptions): Route {
  return {
    method: 'POST',
    path: declaredRows(sandboxPreset.operations?.[name])[0]?.path ?? '',
    handle: async (request) => {
      const [{ handleOperation }, { engines }] = await Promise.all([
        import('./operations-handler.ts'),
        import('./engines.ts'),
      ]);
      return handleOperation(request, name, await engines[name](), options);
    },
  };
}

/** A task's content is asked for below the task, so the longer path comes first. */
function videoRoutes({ nowMs, newId }: SandboxOptions): Route[] {
  let opened: Promise<VideoDesk> | undefined;
  const desk = (): Promise<VideoDesk> => {
    opened ??= import('./video-engine.ts').then(({ openVideoDesk }) =>
      openVideoDesk({ nowMs, newId, address: `${baseUrl}${videoPath}` }),
    );
    return opened;
  };
  const task = `${videoPath}/${hole}`;
  return [
    { method: 'POST', path: videoPath, handle: async (request) => (await desk()).create(request) },
    {
      method: 'GET',
      path: `${task}/content`,
      handle: async ({ signal }, id = '') => (await desk()).content(id, signal),
    },
    { method: 'GET', path: task, handle: async (_request, id = '') => (await desk()).look(id) },
    { method: 'DELETE', path: task, handle: async (_request, id = '') => (await desk()).cancel(id) },
  ];
}

const hole = '{+model}';

/** Undefined where the path is another one. */
function matchPath(pattern: string, path: string): { readonly name: string | undefined } | undefined {
  const [before = '', after] = pattern.split(hole);
  if (after === undefined) return path === pattern ? { name: undefined } : undefined;
  const length = path.length - before.length - after.length;
  if (length < 1 || !path.startsWith(before) || !path.endsWith(after)) return undefined;
  return { name: decoded(path.slice(before.length, before.length + length)) };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
