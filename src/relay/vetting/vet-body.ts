/**
 * What a body may make a provider do beyond the model that it asks for: models that it names elsewhere must be allowed and
 * are counted, routing is for tokens that may steer, and tools that the provider runs must be allowed and priced. At hosts that
 * route elsewhere, fields that are not documented are left out, because any of them may name a model.
 */

import type { Caller } from '../../access/caller.ts';
import { mayUseTool } from '../../access/terms.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Loss } from '../../conversation/parts.ts';
import {
  type FieldTable,
  type FieldVisitor,
  type HostedTool,
  type RequestFields,
  type ToolBounds,
  toolListsIn,
  visitFields,
} from '../../formats/fields/field-table.ts';
import { searchesAssumed } from '../../formats/unbounded-input.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { RelayParts } from '../relay-parts.ts';
import { furtherModel, isModelName } from './further-models.ts';
import { eachName, namePiecesMax } from './name-pieces.ts';
import type { CountedTool, FurtherModel } from './ordered.ts';
import { toolFee } from './tool-fees.ts';
import { type Vetting, vettingOf } from './vetting-terms.ts';

export type VettingParts = Pick<RelayParts, 'catalogue' | 'knowsModel' | 'priceOf'>;

export interface VettedBody {
  /** The same tree where nothing was left out. */
  readonly tree: Tree;
  readonly losses: readonly Loss[];
  readonly further: readonly FurtherModel[];
  readonly tools: readonly CountedTool[];
  /** Top-level fields in which something was found: a provider must read the occurrence that was judged. */
  readonly homes: readonly string[];
}

/** Undefined where the body has nothing to judge, which is usual: no other target has to look either. */
export function vetBody(
  parts: VettingParts,
  caller: Caller,
  tree: Tree,
  fields: RequestFields,
  target: Target,
): VettedBody | undefined {
  const vetting = vettingOf(caller);
  const judge = new Judge(parts, { caller, vetting, target, fields, asked: tree });
  const { routes } = target.provider;
  const kept = visitFields(tree, routes === undefined ? fields : withRouterFields(fields, routes), judge);
  const lists = toolListsIn(tree, fields);
  if (judge.homes.size + lists.length === 0) return undefined;
  const homes = new Set([...judge.homes, ...lists]);
  return { tree: kept, losses: judge.losses.all, further: judge.further, tools: judge.tools, homes: [...homes] };
}

/** A router's own documented fields beside those of the format; made once for each pair. */
const routerFields = new WeakMap<FieldTable, WeakMap<RequestFields, RequestFields>>();

function withRouterFields(fields: RequestFields, routes: FieldTable): RequestFields {
  let known = routerFields.get(routes);
  if (known === undefined) {
    known = new WeakMap();
    routerFields.set(routes, known);
  }
  let both = known.get(fields);
  if (both === undefined) {
    both = { ...fields, table: { ...routes, ...fields.table } };
    known.set(fields, both);
  }
  return both;
}

interface JudgeTerms {
  readonly caller: Caller;
  readonly vetting: Vetting;
  readonly target: Target;
  readonly fields: RequestFields;
  readonly asked: Tree;
}

class Judge implements FieldVisitor {
  readonly #parts: VettingParts;
  readonly #terms: JudgeTerms;
  readonly losses = new LossList();
  readonly further: FurtherModel[] = [];
  readonly tools: CountedTool[] = [];
  readonly homes = new Set<string>();

  constructor(parts: VettingParts, terms: JudgeTerms) {
    this.#parts = parts;
    this.#terms = terms;
  }

  unknown(path: () => string, value: unknown): unknown {
    const { vetting, target } = this.#terms;
    const isRouter = target.provider.routes !== undefined;
    if (!vetting.models || (isBare(value) && !isRouter)) return value;
    this.#note(path);
    if (isRouter) return this.#leaveOut(path, 'is not documented by this router');
    this.#addNamed(path, value);
    return value;
  }

  routing(path: () => string, value: unknown): unknown {
    const { vetting, caller } = this.#terms;
    if (!vetting.models) return value;
    this.#note(path);
    if (caller.terms.maySteer !== true) return this.#leaveOut(path, 'is for tokens that may set routing options');
    this.#addNamed(path, value);
    return value;
  }

  model(path: () => string, value: unknown, within?: ToolBounds): unknown {
    if (!this.#terms.vetting.models) return value;
    this.#note(path);
    if (typeof value === 'string') return this.#isAsked(value) ? value : this.#add(path(), value, within).model;
    this.#addNamed(path, value);
    return value;
  }

  tool(path: () => string, { name }: HostedTool, value: unknown, { usesMax = searchesAssumed }: ToolBounds): unknown {
    const { caller, target, fields } = this.#terms;
    const rule = mayUseTool(caller, name);
    const price = this.#parts.priceOf(target);
    const nano = fields.withoutFee.has(name) ? 0n : toolFee(target, price, name);
    this.#note(path);
    if (rule === 'no') return this.#leaveOutTool(name, 'is not allowed to this token');
    if (rule === 'if-priced' && nano === undefined) {
      return this.#leaveOutTool(name, 'has no known price, and there is a budget');
    }
    // Searches that the model's price covers are bounded with it.
    const isCovered = name === 'web_search' && price?.units?.webSearches !== undefined;
    if (nano !== undefined && nano > 0n && !isCovered) this.tools.push({ name, nano, times: usesMax });
    return value;
  }

  #addNamed(path: () => string, value: unknown): void {
    const seen = new Set<string>();
    const isWhole = eachName(value, (name) => {
      if (seen.has(name) || this.#isAsked(name)) return;
      seen.add(name);
      if (isModelName(this.#parts, name)) this.#add(path(), name);
    });
    if (isWhole) return;
    const param = path();
    const message = `The field \`${param}\` has more than ${namePiecesMax} texts, more than a token with a budget or a list of models may send in a field that the format does not document.`;
    throw new GatewayError('field_invalid', message, { param });
  }

  #isAsked(name: string): boolean {
    const { target, asked } = this.#terms;
    const bare = name.replace(/^models\//, '');
    return bare === target.model || bare === asked['model'];
  }

  #add(param: string, name: string, within?: ToolBounds): Target {
    const { caller, target: asked } = this.#terms;
    const target = furtherModel(this.#parts, caller, asked, name, param);
    const times = within === undefined ? 1 : (within.usesMax ?? searchesAssumed);
    this.further.push({ param, target, times, ...(within && { limit: { outputTokensMax: within.outputTokensMax } }) });
    return target;
  }

  #leaveOutTool(name: string, why: string): undefined {
    this.losses.addOnce(`tool ${name}`, why);
  }

  #leaveOut(path: () => string, why: string): undefined {
    this.losses.add(path(), why);
  }

  #note(path: () => string): void {
    this.homes.add(/^[^.[]*/.exec(path())?.[0] ?? '');
  }
}

/** Numbers and switches name nothing. */
function isBare(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}
