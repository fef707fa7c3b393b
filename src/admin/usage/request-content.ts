/** The stored content of a request, for accounts that may see the request. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Actor } from '../accounts/sessions.ts';
import type { RequestContentView } from '../contracts/settings-contract.ts';

interface Said {
  readonly text: string;
  readonly isCut: boolean;
}

/** Where contents are kept, opened. */
export interface ContentSource {
  find(requestId: string): Promise<
    | {
        readonly requestId: string;
        readonly tokenId: string;
        readonly atMs: number;
        readonly expiresAtMs: number;
        readonly request: Said;
        readonly reply: Said;
      }
    | undefined
  >;
}

export interface ContentAdmin {
  show(actor: Actor, requestId: string): Promise<RequestContentView>;
}

interface ContentOptions {
  readonly contents: ContentSource;
  readonly maySee: (actor: Actor, tokenId: string) => Promise<boolean>;
}

export function createContentAdmin({ contents, maySee }: ContentOptions): ContentAdmin {
  return {
    async show(actor, requestId) {
      const found = await contents.find(requestId);
      if (found === undefined || !(await maySee(actor, found.tokenId))) {
        throw new GatewayError('not_found', 'The content of this request is not stored, or has expired.');
      }
      const { request, reply } = found;
      return {
        requestId: found.requestId,
        at: new Date(found.atMs).toISOString(),
        expiresAt: new Date(found.expiresAtMs).toISOString(),
        request: request.text,
        requestIsCut: request.isCut,
        reply: reply.text,
        replyIsCut: reply.isCut,
      };
    },
  };
}
