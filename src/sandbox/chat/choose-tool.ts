/** Picks the tools whose words fit a text best and fills in their arguments from it. */

import type { JsonSchema, TextRequest, ToolDeclaration } from '../../conversation/text-request.ts';
import { Budget } from '../schema/budget.ts';
import { fillSchema } from '../schema/fill.ts';
import { type Hints, readHints, splitWords, startsName } from '../schema/hints.ts';
import { asList, isSchemaObject, type SchemaObject, shapeOf, textList } from '../schema/shape.ts';
import { endsRun, fansOut } from './agent-wrappers.ts';

export interface PlannedCall {
  readonly name: string;
  readonly arguments: string;
  /** Why this tool, as the end of a sentence. */
  readonly reason: string;
}

const callsMax = 8;
const describedLengthMax = 600;
const propertiesMax = 40;
/** Of more tools than these none is chosen by the words of a message. */
const toolsMax = 500;
/** A tool's name in the text outweighs all other words. */
const namedScore = 100;
const nameWordScore = 4;
const scoreMin = 3;
const namedWordsMax = 5;

const idle: ReadonlySet<string> = new Set(
  'a an the and or of in on at to for from by with is are was be do does get set make run use call it its this that what which who how when where me my you your i we can could please tell show give current given some any all if as about return returns tool function value values name'.split(
    ' ',
  ),
);

interface Profile {
  readonly tool: ToolDeclaration;
  readonly nameWords: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
}

interface Fit {
  readonly profile: Profile;
  readonly reason: string;
}

/** Every call that the text asks for, in order. Empty where tools are optional and none fits. */
export function planCalls(request: TextRequest, question: string): PlannedCall[] {
  const { tools, toolChoice } = request;
  if (toolChoice.kind === 'none') return [];
  if (toolChoice.kind === 'tool') {
    const tool = tools.find((one) => one.name === toolChoice.name) ?? { name: toolChoice.name };
    return [fillCall(tool, readHints(question), 'the caller demands it')];
  }
  const [first] = tools;
  if (first === undefined) return [];
  const budget = new Budget();
  const profiles = tools
    .slice(0, toolsMax)
    .map((tool) => profileOf(tool, budget))
    .filter(({ tool, nameWords }) => !fansOut(tool.name, nameWords));
  const whole = readHints(question);
  const clauses = splitClauses(whole.text);
  const planned = clauses.length > 1 ? planClauses(profiles, clauses) : [];
  if (planned.length > 1)
    return planned.map(({ tool, text, reason }) =>
      fillCall(tool, readHints(withMentions(tool, text, whole.text)), reason),
    );
  const best = bestFit(profiles, whole);
  if (best !== undefined) return [fillCall(best.profile.tool, whole, best.reason)];
  const harmless = profiles[0]?.tool ?? first;
  return toolChoice.kind === 'required'
    ? [fillCall(harmless, whole, 'a call is required and no tool fits better')]
    : [];
}

/** The call that ends an agent's run, where the message names the tool. No other tool is safe to call there. */
export function planEnding({ tools }: TextRequest, question: string): PlannedCall[] {
  const ending = tools.filter(({ name }) => endsRun(new Set(contentWords(name))));
  if (ending.length === 0) return [];
  const hints = readHints(question);
  const named = ending.find(({ name }) => hints.positions.has(name.toLowerCase()));
  return named === undefined ? [] : [fillCall(named, hints, 'the message names it')];
}

function fillCall(tool: ToolDeclaration, hints: Hints, reason: string): PlannedCall {
  const value = tool.parameters === undefined ? {} : fillSchema(tool.parameters, { hints, generous: false });
  return { name: tool.name, arguments: JSON.stringify(value), reason };
}

/** Plural and past endings are dropped, so that "emails" finds "email". */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, '') : word;
}

function contentWords(text: string): string[] {
  return splitWords(text.slice(0, describedLengthMax))
    .filter((word) => word.length > 1 && !idle.has(word))
    .map(stem);
}

function profileOf(tool: ToolDeclaration, budget: Budget): Profile {
  const words = new Set(describedWords(tool.description));
  const members = new Set<string>();
  const schema = tool.parameters ?? {};
  const { properties } = baseOf(schema, budget);
  for (const [name, property] of Object.entries(isSchemaObject(properties) ? properties : {}).slice(0, propertiesMax)) {
    for (const word of contentWords(name)) words.add(word);
    if (!isSchemaObject(property)) continue;
    for (const word of describedWords(property.description)) words.add(word);
    for (const member of textList(property.enum).slice(0, propertiesMax)) members.add(stem(member.toLowerCase()));
  }
  return { tool, nameWords: new Set(contentWords(tool.name)), words, members };
}

function describedWords(description: unknown): string[] {
  return typeof description === 'string' ? contentWords(description) : [];
}

/** The words of the text by their stems. */
type TextWords = ReadonlyMap<string, string>;

function bestFit(profiles: readonly Profile[], hints: Hints): Fit | undefined {
  const textWords: TextWords = new Map(
    hints.words
      .flatMap((word) => splitWords(word.text))
      .filter((word) => !idle.has(word))
      .map((word) => [stem(word), word]),
  );
  let best: Profile | undefined;
  let bestScore = scoreMin - 1;
  for (const profile of profiles) {
    const score = scoreOf(profile, textWords, hints);
    if (score > bestScore) {
      best = profile;
      bestScore = score;
    }
  }
  return best === undefined ? undefined : { profile: best, reason: reasonFor(best, textWords, hints) };
}

function isNamed(profile: Profile, hints: Hints): boolean {
  return hints.positions.has(profile.tool.name.toLowerCase());
}

function reasonFor(profile: Profile, textWords: TextWords, hints: Hints): string {
  if (isNamed(profile, hints)) return 'the message names it';
  const words: string[] = [];
  for (const [known, word] of textWords) {
    if (words.length === namedWordsMax) break;
    if (profile.nameWords.has(known) || profile.members.has(known) || profile.words.has(known)) words.push(`"${word}"`);
  }
  return words.length === 0 ? 'the message holds a sum' : `the message says ${words.join(', ')}`;
}

function scoreOf(profile: Profile, textWords: TextWords, hints: Hints): number {
  let score = isNamed(profile, hints) ? namedScore : 0;
  for (const word of textWords.keys()) {
    if (profile.nameWords.has(word)) score += nameWordScore;
    else if (profile.members.has(word)) score += 2;
    else if (profile.words.has(word)) score += 2;
  }
  // A sum fits a tool that takes an expression, also without a common word.
  if (
    hints.sums.length > 0 &&
    ['expression', 'calculat', 'math', 'arithmetic'].some(
      (word) => profile.words.has(word) || profile.nameWords.has(word),
    )
  ) {
    score += nameWordScore;
  }
  return score;
}

/** "Weather in Paris and in Rome" is two requests; "between Paris and Rome" is one. */
function splitClauses(text: string): string[] {
  if (/\bbetween\b/i.test(text)) return [text];
  return text
    .split(/\s*(?:[,;?!\n]|\.(?=\s)|\band\b|\bthen\b|\balso\b|\bplus\b)\s*/i)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
    .slice(0, callsMax * 2);
}

interface PlannedClause {
  readonly tool: ToolDeclaration;
  readonly text: string;
  readonly reason: string;
}

/** A clause without a tool that only names another object ("in Rome", "Rome") repeats the previous tool. */
function planClauses(profiles: readonly Profile[], clauses: readonly string[]): PlannedClause[] {
  const planned: PlannedClause[] = [];
  let previous: Profile | undefined;
  for (const clause of clauses) {
    if (planned.length === callsMax) break;
    const fit = bestFit(profiles, readHints(clause));
    if (fit !== undefined) {
      planned.push({ tool: fit.profile.tool, text: clause, reason: fit.reason });
      previous = fit.profile;
    } else if (previous !== undefined && takesOneObject(previous.tool) && namesAnObject(clause)) {
      planned.push({ tool: previous.tool, text: clause, reason: 'the message continues with another object for it' });
    }
  }
  return planned;
}

function namesAnObject(clause: string): boolean {
  const words = clause.split(/\s+/);
  if (words.length > 5) return false;
  return /^(?:in|for|at|of|to|near|about) (?:the )?\S/.test(clause) || startsName(words[0] ?? '');
}

/** Nothing where that takes too long. */
function baseOf(schema: JsonSchema, budget = new Budget()): SchemaObject {
  return budget.within(() => shapeOf(schema, schema, budget).base, {});
}

/** Exactly one free text, and no list for several objects. */
function takesOneObject(tool: ToolDeclaration): boolean {
  const schema = tool.parameters ?? {};
  const base = baseOf(schema);
  const properties = Object.entries(isSchemaObject(base.properties) ? base.properties : {});
  const ofType = (type: string) =>
    properties.filter(
      ([, property]) => isSchemaObject(property) && property.enum === undefined && asList(property.type).includes(type),
    );
  const required = new Set(textList(base.required));
  const texts = ofType('string');
  const needed = texts.filter(([name]) => required.has(name));
  return ofType('array').length === 0 && (needed.length === 1 || (needed.length === 0 && texts.length === 1));
}

/** A member of an enum that the sentence names once ("in celsius") applies to every clause that names no other. */
function withMentions(tool: ToolDeclaration, clause: string, whole: string): string {
  const schema = tool.parameters ?? {};
  const { properties } = baseOf(schema);
  const lower = { clause: clause.toLowerCase(), whole: whole.toLowerCase() };
  const added: string[] = [];
  for (const property of Object.values(isSchemaObject(properties) ? properties : {})) {
    const members = isSchemaObject(property) ? textList(property.enum).filter((member) => member !== '') : [];
    if (members.some((member) => lower.clause.includes(member.toLowerCase()))) continue;
    added.push(...members.filter((member) => lower.whole.includes(member.toLowerCase())).slice(0, 1));
  }
  return `${clause}. ${added.join(' ')}`;
}
