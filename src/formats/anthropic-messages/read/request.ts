/** Reads a messages request into the neutral one; what has no neutral name stays with it as the format's own. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import { readSeal } from '../../../conversation/seals/seal.ts';
import type { OutputShape, TextRequest, Thinking } from '../../../conversation/text-request.ts';
import { readFields } from '../../fields/carried-fields.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import { fields as formatFields } from '../fields.ts';
import { formatName, unknownFields } from '../wire.ts';
import type { BlockReading } from './blocks.ts';
import { readMessages } from './messages.ts';
import { isSchema, readToolChoice, readTools } from './tools.ts';

const carriedFields = readFields(formatFields.table);

export function readRequest(tree: Tree): Converted<TextRequest> {
  const losses = new LossList();
  reportUnread(tree, formatFields.table, losses);
  const reading: BlockReading = { losses, sealOf: (value) => readSeal(value, formatName) };
  const config = isObject(tree.output_config) ? tree.output_config : {};
  const metadata = isObject(tree.metadata) ? tree.metadata : {};
  const thinking = readThinking(tree.thinking, config.effort, losses);
  const user = metadata.user_id;
  const fields = readExtras(tree, config, metadata);
  const value: TextRequest = {
    model: typeof tree.model === 'string' ? tree.model : '',
    messages: readMessages(tree.system, tree.messages, reading),
    stream: tree.stream === true,
    ...readTools(tree.tools, losses),
    ...readToolChoice(tree.tool_choice, losses),
    output: readOutput(config.format ?? tree.output_format, losses),
    candidates: 1,
    stop: readStops(tree.stop_sequences, losses),
    ...readNumbers(tree, losses),
    ...(thinking !== undefined && { thinking }),
    ...readTier(tree.service_tier, losses),
    ...(typeof user === 'string' && { user }),
    // The provider holds the conversation's beginning: another one would answer the last turn alone.
    ...(isObject(tree.thread) && { unsupported: 'thread' }),
    ...(fields !== undefined && { extras: { format: formatName, fields, partly } }),
  };
  return { value, losses: losses.all };
}

const partly: ReadonlySet<string> = new Set(['output_config', 'metadata']);
const configFields: ReadonlySet<string> = new Set(['effort', 'format']);
const metadataFields: ReadonlySet<string> = new Set(['user_id']);

function readExtras(tree: Tree, config: Tree, metadata: Tree): Record<string, unknown> | undefined {
  const fields = unknownFields(tree, carriedFields);
  const configBeside = unknownFields(config, configFields);
  const metadataBeside = unknownFields(metadata, metadataFields);
  if (configBeside === undefined && metadataBeside === undefined) return fields;
  return {
    ...fields,
    ...(configBeside !== undefined && { output_config: configBeside }),
    ...(metadataBeside !== undefined && { metadata: metadataBeside }),
  };
}

const numberNames = [
  ['max_tokens', 'maxOutputTokens'],
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
] as const;

function readNumbers(tree: Tree, losses: LossList): Partial<TextRequest> {
  const numbers: { [Name in (typeof numberNames)[number][1]]?: number } = {};
  for (const [wire, name] of numberNames) {
    const value = tree[wire];
    if (value === undefined || value === null) continue;
    if (typeof value === 'number' && Number.isFinite(value)) numbers[name] = value;
    else losses.add(wire, 'is not a number');
  }
  return numbers;
}

function readStops(value: unknown, losses: LossList): readonly string[] {
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const stops = list.filter((entry): entry is string => typeof entry === 'string');
  if (stops.length !== list.length) losses.add('stop_sequences', 'holds something that is not a text');
  return stops;
}

function readOutput(format: unknown, losses: LossList): OutputShape {
  if (format === undefined || format === null) return { kind: 'text' };
  if (isObject(format) && format.type === 'json_schema' && isSchema(format.schema)) {
    return { kind: 'json-schema', schema: format.schema };
  }
  losses.add('output_config.format', 'is an unknown shape');
  return { kind: 'text' };
}

export function readThinking(value: unknown, effort: unknown, losses: LossList): Thinking | undefined {
  const asked = typeof effort === 'string' ? { effort } : {};
  if (!isObject(value)) return 'effort' in asked ? asked : undefined;
  const { type, budget_tokens: budget, display } = value;
  const shown = readDisplay(display, losses);
  switch (type) {
    case 'enabled':
      return { mode: 'on', ...asked, ...(typeof budget === 'number' && { budgetTokens: budget }), ...shown };
    case 'adaptive':
      return { mode: 'adaptive', ...asked, ...shown };
    case 'disabled':
      return { mode: 'off', ...asked };
    default:
      losses.add('thinking', 'is of an unknown type');
      return 'effort' in asked ? asked : undefined;
  }
}

function readDisplay(display: unknown, losses: LossList): { readonly visible?: boolean } {
  if (display === undefined || display === null) return {};
  if (display === 'summarized') return { visible: true };
  if (display === 'omitted') return { visible: false };
  losses.add('thinking.display', 'is an unknown display');
  return { visible: true };
}

function readTier(tier: unknown, losses: LossList): { readonly serviceTier?: string } {
  if (tier === undefined || tier === null) return {};
  if (tier === 'auto') return { serviceTier: 'auto' };
  if (tier === 'standard_only') return { serviceTier: 'default' };
  losses.add('service_tier', 'is an unknown tier');
  return {};
}
