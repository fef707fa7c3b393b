/** Words that hide the field's own term, with that term, for the pages and for the code. */

type Replacement = readonly [pattern: RegExp, instead: string];

export const replacements: readonly Replacement[] = [
  [/\bwish(?:es|ed)?\b/i, 'routing options, request'],
  [/\bway out\b|\bways? of (?:its|their) own\b/i, 'egress, path'],
  [/\bdesks?\b|\bstudios?\b/i, 'handler, generator'],
  [/\bstor(?:y|ies)\b/i, 'detail, output'],
  [/\bbooks\b/i, 'ledger'],
  [/\bdear(?:er|est)?\b/i, 'expensive'],
  [/\b(?:left|leaves?|leaving) (?:\w+ )?alone\b/i, 'cooling down, circuit open, ignored'],
  [/\b(?:go|goes|going|gone|went) on\b/i, 'continue'],
  [/\bunder way\b|\bat work\b/i, 'in flight, running'],
  [/\b(?:no|some|any|every)body\b|\bwhoever\b/i, 'the caller, the client, the provider, no provider'],
  [/\bfor ever\b/i, 'forever'],
  [/\btakings\b|\bnotice board\b/i, 'revenue, log'],
  [/\bpictures?\b/i, 'image'],
  [/\bsounds?\b/i, 'audio'],
  [/\bmakers?\b/i, 'vendor, provider'],
  [/\bsecond tr(?:y|ies)\b|\basked again\b/i, 'retry'],
  [/\bbase address(?:es)?\b/i, 'base URL'],
  [/\bknock(?:s|ed|ing)?\b/i, 'webhook call'],
  [/\bmend(?:s|ed|ing)?\b/i, 'repair, fix'],
  [/\banew\b/i, 'again'],
  [/\b(?:behaviou|colou|honou|favou|neighbou)r|\blicence\b/i, 'American spelling'],
];

/** Further ones in code, where each has a plain term. */
const codeReplacements: readonly Replacement[] = [
  ...replacements,
  [/\b(?:un)?told\b/i, 'reported, sent, given'],
  [/\b(?:un)?heard\b|\bhears\b/i, 'received, read'],
  [/\bunsaid\b/i, 'dropped, unsupported'],
  [/\bstands\b/i, 'is'],
  [/\blately\b/i, 'recently'],
  [/\bbook\b/i, 'table, ledger'],
  [/\bways\b|\b(?:read|write|own|this|the) ?Way\b/, 'path, field'],
];

/** Names that others gave. */
export const properNames = /\bLM Studio\b|\bAI Studio\b|\bModel Studio\b|\blm-studio\b/g;

interface Objection {
  readonly line: number;
  readonly word: string;
  readonly instead: string;
  readonly text: string;
}

/** Every replaced word of a source file: in its name, its identifiers, its comments and its messages. */
export function objectionableWords(path: string, source: string): Objection[] {
  const whole = wordsOf(`${path}\n${source}`);
  // Almost every file has none, and a look at the whole is quicker than one at each line.
  if (!codeReplacements.some(([pattern]) => pattern.test(whole))) return [];
  return [path, ...source.split('\n')].flatMap((text, line) => {
    const plain = wordsOf(text);
    return codeReplacements.flatMap(([pattern, instead]) => {
      const word = pattern.exec(plain)?.[0];
      return word === undefined ? [] : [{ line, word, instead, text }];
    });
  });
}

/** A line with its identifiers split into words, without URLs and the one-word strings of wires; titles are read. */
function wordsOf(text: string): string {
  return text
    .replace(/https?:\/\/\S+/g, '')
    .replace(properNames, '')
    .replace(/(?<!\b(?:describe|test)\()(['"`])[\w./:-]+\1/g, '')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/_/g, ' ');
}
