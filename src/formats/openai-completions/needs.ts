/**
 * What a legacy completion asks of a model: a prompt is text alone, and only compatible services support JSON output.
 */

import type { Tree } from '../../conversation/json-tree.ts';
import { MediaNeeds, type Needs, noNeeds } from '../../conversation/needs.ts';
import { asksForJson } from '../openai-chat/needs.ts';

export function needsOf(tree: Tree): Needs {
  return asksForJson(tree.response_format) ? new MediaNeeds().with(false, true) : noNeeds;
}
