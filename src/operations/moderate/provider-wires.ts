/** Every wire on which providers moderate. */

import type { ModerateReply, ModerateRequest } from '../moderate.ts';
import type { ProviderWire } from '../wire.ts';
import { mistralModerations } from './mistral-moderations.ts';
import { openaiModerations } from './openai-moderations.ts';

export const moderateProviderWires: readonly ProviderWire<ModerateRequest, ModerateReply>[] = [
  openaiModerations,
  mistralModerations,
];
