/**
 * How much a request may make a server write, by any name that some server accepts. A format has one or two names for
 * the limit; compatible servers read others as well, in any case (Go decoders), at the top or in an object of options,
 * and an unforeseen server must not be able to write more than was reserved.
 */

import { GatewayError } from '../conversation/gateway-error.ts';
import { isObject, type Tree } from '../conversation/json-tree.ts';
import { budgetOfEffort } from '../conversation/thinking-effort.ts';

export interface AskedBounds {
  /** The largest limit under any name; 0 where there is none. */
  readonly outputTokens: number;
  /** The largest number of replies under any name. */
  readonly candidates: number;
  /** The largest amount of thinking that is asked for in tokens; 0 where there is none. */
  readonly thinkingTokens: number;
  /** The largest amount of thinking that an effort asks for, in the tokens that it means in other formats. */
  readonly effortTokens: number;
  /** Where the request refers to input outside its body (a conversation, a cache, a search), if it does. */
  readonly reference: string | undefined;
  /** It asks for a faster service, by a name beside that of the tier: what the tier excludes may be billed all the same. */
  readonly speeds: boolean;
  /** Top-level fields that hold such names inside; undefined where there are none. */
  readonly homes: readonly string[] | undefined;
}

const outputTokensCeiling = 100_000_000;
const candidatesCeiling = 128;
/** No server is known to look deeper: `extra_body.google.thinking_config.thinking_budget`. */
const homeDepthMax = 4;
/** Longer names are none of these. */
const nameCharactersMax = 40;

/** `thinking-home`: a limit inside is one of thinking. */
type Kind = 'limit' | 'count' | 'thinking' | 'effort' | 'speed' | 'reference' | 'home' | 'thinking-home' | 'other';

/** Names without underscores and in lower case. */
const kinds: ReadonlyMap<string, Kind> = new Map([
  ...named(
    'limit',
    'maxtokens maxcompletiontokens maxoutputtokens maxnewtokens maxgeneratedtokens maxresponsetokens maxtokenstosample',
    'maxtokencount maxgenlen maxgentoks maxlength maxdecodelength npredict numpredict mintokens minnewtokens minlength',
    'minoutputtokens mincompletiontokens maxanswertokens maxdecodetokens',
  ),
  ...named(
    'count',
    'n bestof candidatecount numreturnsequences numgenerations numcompletions numcandidates numresults numoutputs',
    'numbeams ncmpl samplecount',
  ),
  ...named(
    'thinking',
    'thinkingbudget thinkingtokens maxthinkingtokens thinkingtokenbudget budgettokens maxreasoningtokens tokenbudget',
  ),
  ...named(
    'home',
    'options parameters params extrabody generationconfig generateconfig generatecfg samplingparams samplingparameters',
    'inferenceconfig additionalmodelrequestfields modelkwargs additionalkwargs textgenerationconfig chattemplatekwargs',
    'google vertex extra config nvext vllmxargs',
  ),
  ...named('effort', 'reasoningeffort effort thinkinglevel'),
  ...named('speed', 'speed fastmode fast priorityprocessing latencymode'),
  ...named('thinking-home', 'thinking thinkingconfig reasoning'),
  ...named(
    'reference',
    'conversation conversationid prompt cachedcontent contextid thread threadid container containerid files fileids',
    'attachments vectorstoreids datasources knowledgebaseids mcpservers plugins searchparameters websearchoptions',
    'websearch enablesearch enablewebsearch searchoptions',
  ),
]);

function named(kind: Kind, ...lists: readonly string[]): [string, Kind][] {
  return lists.flatMap((list) => list.split(' ')).map((name) => [name, kind]);
}

/** Spellings that were seen: clients repeat a few, and folding one costs more than looking it up. */
const seen = new Map<string, Kind>();
const seenMax = 500;

function kindOf(name: string): Kind {
  const known = seen.get(name);
  if (known !== undefined) return known;
  if (name.length > nameCharactersMax) return 'other';
  // Upper case first: some decoders take `ſ` for `s` and the Kelvin sign for `k`.
  const kind = kinds.get(name.toUpperCase().toLowerCase().replaceAll(/[_-]/g, '')) ?? 'other';
  if (seen.size < seenMax) seen.set(name, kind);
  return kind;
}

const nothingAsked: AskedBounds = {
  outputTokens: 0,
  candidates: 0,
  thinkingTokens: 0,
  effortTokens: 0,
  reference: undefined,
  speeds: false,
  homes: undefined,
};

/** Throws a GatewayError that names the field where one of the names has a value that is no count. */
export function askedBounds(tree: Tree): AskedBounds {
  let found: Finding | undefined;
  for (const name in tree) {
    const kind = kindOf(name);
    if (kind === 'other') continue;
    found ??= new Finding();
    found.see(kind, name, tree[name], name);
  }
  return found ?? nothingAsked;
}

class Finding implements AskedBounds {
  outputTokens = 0;
  candidates = 0;
  thinkingTokens = 0;
  effortTokens = 0;
  reference: string | undefined;
  speeds = false;
  homes: string[] | undefined;

  see(kind: Kind, name: string, value: unknown, path: string): void {
    if (value === undefined || value === null) return;
    switch (kind) {
      case 'limit':
        this.outputTokens = Math.max(this.outputTokens, count(value, path, 0, outputTokensCeiling));
        break;
      case 'count':
        this.candidates = Math.max(this.candidates, count(value, path, 0, candidatesCeiling));
        break;
      case 'thinking':
        // -1 leaves the amount to the model.
        this.thinkingTokens = Math.max(this.thinkingTokens, count(value, path, -1, outputTokensCeiling));
        break;
      case 'effort':
        if (typeof value !== 'string') return;
        this.effortTokens = Math.max(this.effortTokens, budgetOfEffort(value.toLowerCase()) ?? 0);
        break;
      case 'speed':
        this.speeds ||= value !== false && value !== 'standard';
        break;
      case 'reference':
        if (refersTo(name, value)) this.reference ??= path;
        break;
      default:
        if (!isObject(value)) return;
        this.homes ??= [];
        this.homes.push(name);
        this.#seeInside(value, path, kind === 'thinking-home', 1);
    }
  }

  #seeInside(home: Tree, path: string, thinks: boolean, depth: number): void {
    for (const name in home) {
      const kind = kindOf(name);
      const value = home[name];
      if (kind === 'other' || value === undefined || value === null) continue;
      const inner = `${path}.${name}`;
      if (kind === 'home' || kind === 'thinking-home') {
        if (isObject(value) && depth < homeDepthMax) {
          this.#seeInside(value, inner, thinks || kind === 'thinking-home', depth + 1);
        }
      } else this.see(thinks && kind === 'limit' ? 'thinking' : kind, name, value, inner);
    }
  }
}

/** A prompt is a reference only where it is an object: a text is the input itself. */
function refersTo(name: string, value: unknown): boolean {
  if (name.toLowerCase() === 'prompt') return isObject(value);
  if (Array.isArray(value)) return value.length > 0;
  return value !== false && value !== '';
}

function count(value: unknown, path: string, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  const message = `The field \`${path}\` must be a whole number from ${least} to ${most}.`;
  throw new GatewayError('field_invalid', message, { param: path });
}

/** What the format with thinking inside the limit leaves for the answer. */
const answerTokens = 8_192;

/** The facts about a reply's size, given what the format's own names say. */
export function outputFacts(
  asked: AskedBounds,
  own: { readonly outputTokens: number | undefined; readonly candidates: number },
) {
  const { outputTokens, thinkingTokens, effortTokens, homes } = asked;
  // A format that counts thinking in tokens is sent this many, and room for the answer.
  const other = Math.max(outputTokens, effortTokens === 0 ? 0 : effortTokens + answerTokens);
  return {
    candidates: Math.max(own.candidates, asked.candidates),
    outputTokensMax: own.outputTokens === undefined ? undefined : Math.max(own.outputTokens, outputTokens),
    outputTokensOther: own.outputTokens === undefined && other > 0 ? other : undefined,
    thinkingTokensMax: thinkingTokens > 0 ? thinkingTokens : undefined,
    limitHomes: homes,
  };
}
