/** The sandbox as a transport: takes a request as it would go over the network and answers it in this process. */

import type { FormatName } from '../../formats/format.ts';
import type { OperationName } from '../../operations/wire.ts';
import { pathsOf } from '../../providers/address.ts';
import { declaredRows } from '../../providers/declared-operations.ts';
import type { FormatPath } from '../../providers/provider.ts';
import type { SocketTransport } from '../../upstream/socket-transport.ts';
import type { UpstreamRequest } from '../../upstream/transport.ts';
import type { SandboxOptions, SandboxRequest } from '../options.ts';
import { baseUrl, sandboxPreset, videoPath } from '../preset.ts';
import type { VideoHandler } from '../video/video-handler.ts';

export interface Sandbox {
  readonly answer: (request: SandboxRequest) => Promise<Response>;
  readonly sockets: SocketTransport;
}

/** `name` is the model's or the task's name in the path. */
type Handler = (request: SandboxRequest, name: string | undefined) => Promise<Response>;

interface Route {
  readonly method: UpstreamRequest['method'];
  /** Below the base URL, with a placeholder where it names a model or a task. */
  readonly path: string;
  readonly handle: Handler;
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const routes = routesFor(options);
  return {
    sockets: async (request, listener) => {
      const { openSession } = await import('../realtime/open-session.ts');
      return openSession(request, listener, options);
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

/** A handler and its formats are loaded with the first request for them. */
function routesFor(options: SandboxOptions): readonly Route[] {
  const list: Handler = async (_request, name) => {
    const { handleModels } = await import('./models-handler.ts');
    return handleModels(name);
  };
  const formats = Object.entries(sandboxPreset.formats) as [FormatName, FormatPath][];
  return [
    ...formats.flatMap(([format, path]) => conversationRoutes(format, path, options)),
    ...operationNames.map((name) => operationRoute(name, options)),
    ...videoRoutes(options),
    { method: 'GET', path: '/models', handle: list },
    { method: 'GET', path: `/models/${placeholder}`, handle: list },
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

/** Operations that end with their reply; the others have routes of their own. */
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

/** The content lies below its task, so the longer path comes first. */
function videoRoutes({ nowMs, newId }: SandboxOptions): Route[] {
  let opened: Promise<VideoHandler> | undefined;
  const handler = (): Promise<VideoHandler> => {
    opened ??= import('../video/video-handler.ts').then(({ createVideoHandler }) =>
      createVideoHandler({ nowMs, newId, url: `${baseUrl}${videoPath}` }),
    );
    return opened;
  };
  const task = `${videoPath}/${placeholder}`;
  return [
    { method: 'POST', path: videoPath, handle: async (request) => (await handler()).create(request) },
    {
      method: 'GET',
      path: `${task}/content`,
      handle: async ({ signal }, id = '') => (await handler()).content(id, signal),
    },
    { method: 'GET', path: task, handle: async (_request, id = '') => (await handler()).retrieve(id) },
    { method: 'DELETE', path: task, handle: async (_request, id = '') => (await handler()).cancel(id) },
  ];
}

const placeholder = '{+model}';

/** Undefined where the path does not match. */
function matchPath(pattern: string, path: string): { readonly name: string | undefined } | undefined {
  const [before = '', after] = pattern.split(placeholder);
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
