/** Every wire on which callers ask for a moderation. */

import type { ModerateReply, ModerateRequest } from '../moderate.ts';
import type { ClientWire } from '../wire.ts';
import { openaiModerationsClient } from './openai-moderations-client.ts';

export const moderateClientWires: readonly ClientWire<ModerateRequest, ModerateReply>[] = [openaiModerationsClient];
