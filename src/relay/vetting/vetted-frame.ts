/**
 * A frame of a live conversation: judged as a body is. Nothing of it is left out silently, and what would have to be reserved beside
 * its responses is refused: the frame gets an error that names it, and the conversation continues.
 */

import type { Caller } from '../../access/caller.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { frameFields } from '../../formats/openai-realtime/fields.ts';
import type { Target } from '../../routing/catalogue.ts';
import { type VettingParts, vetBody } from './vet-body.ts';
import { vettingOf } from './vetting-terms.ts';

/** Was anything of it judged? Throws where it may not pass. */
export function vetFrame(parts: VettingParts, caller: Caller, frame: Tree, target: Target): boolean {
  const { any, money } = vettingOf(caller);
  if (!any) return false;
  const vetted = vetBody(parts, caller, frame, frameFields, target);
  if (vetted === undefined) return false;
  const [loss] = vetted.losses;
  if (loss !== undefined) throw unsupported(`${loss.what} ${loss.why}.`, vetted.homes[0]);
  if (!money) return true;
  const [further] = vetted.further;
  if (further !== undefined) {
    const message = `\`${further.param}\` names the model ${further.target.model.slice(0, 200)}, whose cost cannot be reserved in a live conversation.`;
    throw unsupported(message, further.param);
  }
  const [tool] = vetted.tools;
  if (tool !== undefined) {
    throw unsupported(`The tool ${tool.name} is billed by the call, which cannot be reserved in a live conversation.`);
  }
  return true;
}

function unsupported(message: string, param?: string): GatewayError {
  return new GatewayError('operation_unsupported', message, param === undefined ? {} : { param });
}
