/** Every wire on which callers ask for a ranking. */

import type { RerankReply, RerankRequest } from '../rerank.ts';
import type { ClientWire } from '../wire.ts';
import { rerankClient } from './rerank-client.ts';

export const rerankClientWires: readonly ClientWire<RerankRequest, RerankReply>[] = [rerankClient];
