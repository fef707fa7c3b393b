/** What is done with an input, stage by stage, and how many steps each takes: readers, fits, repairs and writers of all formats. */

import { DerivedTexts } from '../../src/conversation/derived-texts.ts';
import { rulesFor } from '../../src/conversation/fit/rules-for.ts';
import { fitToModel } from '../../src/conversation/fit-model.ts';
import type { ModelProfile } from '../../src/conversation/model-profile.ts';
import type { Origin } from '../../src/conversation/parts.ts';
import { repair } from '../../src/conversation/repair/repair.ts';
import type { TextRequest } from '../../src/conversation/text-request.ts';
import { specialTools, withKnownTools } from '../../src/conversation/tools/special-tools.ts';
import { withFittingNames } from '../../src/conversation/tools/tool-names.ts';
import { formats } from '../../src/formats/all.ts';
import type { Format, FormatName, Tree } from '../../src/formats/format.ts';
import { contentOfTree } from '../../src/relay/moderation-gate/tree-content.ts';
import { stepsOf, watch } from './count-steps.ts';

export type Stages = Record<string, number>;

export const formatNames: readonly FormatName[] = Object.keys(formats) as FormatName[];

/** A model that takes little, so that every fit has something to do. */
const narrow: ModelProfile = {
  thinking: { kind: 'never' },
  input: ['text'],
  stopsMax: 1,
  laterInstructions: 'refused',
  developerRole: 'refused',
  forcedTools: 'refused',
  textLists: 'refused',
  allowedTools: 'refused',
  freeformTools: 'refused',
  resultMedia: 'refused',
};
export const originOf = (format: FormatName): Origin => ({ format, provider: 'a-provider', model: 'a-model' });

/** Undefined where the stage threw: a refused input is not read further, and its steps count all the same. */
function counted<Result>(stages: Stages, name: string, work: () => Result): Result | undefined {
  let made: Result | undefined;
  stages[name] = stepsOf(() => {
    try {
      made = work();
    } catch {
      // An error of the input.
    }
  });
  return made;
}

export function stagesOfBody(name: FormatName, body: Tree, targets: readonly FormatName[], stages: Stages): void {
  const format = formats[name] as Format;
  const tree = watch(body);
  const named = { model: 'a-model', stream: false };
  const whole = 10_000_000;
  counted(stages, 'check', () => format.check(tree, whole, named));
  counted(stages, 'check whole', () => format.checkWhole?.(tree));
  counted(stages, 'needs', () => format.needs?.(tree));
  counted(stages, 'affinity', () => format.affinityOf?.(tree));
  counted(stages, 'references', () => format.references?.(tree));
  counted(stages, 'end user', () => [format.endUserOf?.(tree), format.metadataOf?.(tree)]);
  const exact = { exactly: (field: string) => tree[field] };
  counted(stages, 'fit', () => format.fit?.(tree, narrow, exact, { looksUpIds: true }));
  counted(stages, 'named items', () => {
    const { memory } = format;
    const ids = memory?.namedItems(tree) ?? [];
    return memory?.withItems(tree[memory.turnsField], new Map(ids.map((id) => [id, {}])));
  });
  counted(stages, 'thoughts', () => {
    const field = 'reasoning_content';
    return (
      format.turnThoughts?.restored(tree['messages'], field, () => 'x') ?? format.turnThoughts?.missing(tree, field)
    );
  });
  counted(stages, 'moderation', () => contentOfTree(tree));
  counted(stages, 'memory', () => {
    format.memory?.continued(tree, [tree['input']].flat(), false);
    format.memory?.asked(tree, []);
  });
  const read = counted(stages, 'read', () => format.codec.readRequest(tree, named));
  if (read !== undefined) stagesOfRequest(read.value, stages, targets);
}

export function stagesOfRequest(request: TextRequest, stages: Stages, targets = formatNames): void {
  const derived = new DerivedTexts();
  for (const name of targets) {
    const format = formats[name] as Format;
    const { rules } = format.codec;
    const origin = originOf(name);
    const tools = counted(stages, `${name}: tools`, () => {
      specialTools(request.tools);
      const known = withKnownTools(request, { freeform: false, namespaces: false });
      return withFittingNames(known, rules.toolName).value;
    });
    if (tools === undefined) continue;
    const fitted = counted(stages, `${name}: fit`, () => fitToModel(tools, narrow, rules).value);
    if (fitted === undefined) continue;
    const repaired = counted(stages, `${name}: repair`, () => repair(fitted, rulesFor(rules, narrow), origin).value);
    if (repaired === undefined) continue;
    const target = { origin, profile: narrow, quirks: {}, outputTokensMax: 1_000, derived };
    // Printed too: what is written once may be printed at many places.
    counted(stages, `${name}: write`, () =>
      JSON.stringify(format.codec.writeRequest({ ...repaired, model: 'a-model' }, target).value),
    );
  }
}
