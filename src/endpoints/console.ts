/** `/console` and everything below it: one page for all URLs, and the files that it loads. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { openaiChat } from '../formats/openai-chat/format.ts';
import type { Exchange } from '../http/exchange.ts';
import type { KnowsHost } from '../http/host-names.ts';
import { assetReply } from '../http/pages/asset-reply.ts';
import type { ConsoleFiles } from '../http/pages/console-files.ts';
import { consoleMissing, consoleShell } from '../http/pages/console-shell.ts';
import { apiAddress } from '../http/pages/home.ts';
import type { Route } from '../http/route-table.ts';
import { errorReply, type Report } from './error-reply.ts';
import { requireKnownHost } from './require-host.ts';

export interface ConsoleParts {
  readonly publicUrl: string | undefined;
  readonly knowsHost: KnowsHost;
  readonly version: string;
  readonly report: Report;
  readonly consoleFiles: ConsoleFiles;
}

const nonceBytes = 18;

export function consoleRoutes(parts: ConsoleParts): readonly Route[] {
  const writeError: Route['writeError'] = (error, exchange) => errorReply(error, openaiChat, exchange, parts.report);
  const shell = async (exchange: Exchange): Promise<Response> => {
    requireKnownHost(exchange, parts.knowsHost);
    const pack = await parts.consoleFiles.pack().catch(() => undefined);
    if (pack === undefined) return consoleMissing();
    return consoleShell({
      entries: pack.entries,
      apiAddress: apiAddress(parts.publicUrl ?? exchange.origin()),
      version: parts.version,
      path: exchange.path,
      styleNonce: crypto.getRandomValues(new Uint8Array(nonceBytes)).toBase64(),
    });
  };
  const asset = async ({ path, request }: Exchange): Promise<Response> => {
    const file = await parts.consoleFiles.file(path);
    if (file === undefined) throw new GatewayError('path_not_found', `File ${path.slice(0, 200)} not found.`);
    return assetReply(file, request.headers);
  };
  const page = { method: 'GET', ownPagesOnly: true, writeError } as const;
  return [
    { ...page, path: '/console/assets/{file}', handle: asset },
    { ...page, path: '/console', handle: shell },
    { ...page, path: '/console/{page...}', handle: shell },
  ];
}
