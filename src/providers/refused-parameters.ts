/**
 * Which parameters a family of models refuses or has no use for, whoever serves it: makers say so in their documentation, and
 * no list of models does. A model that no row knows is taken to take everything that its format can say.
 */

import type { ParameterName } from '../conversation/parameters.ts';

const sampling = ['temperature', 'topP', 'topK'] as const;
const penalties = ['presencePenalty', 'frequencyPenalty'] as const;
const likelihoods = ['logprobs', 'logitBias'] as const;

interface Family {
  /** Compared with the name behind the last slash or dot that sets a maker's name apart. */
  readonly models: RegExp;
  readonly refuses: readonly ParameterName[];
}

/** Every row that fits counts. */
const families: readonly Family[] = [
  { models: /^o[134](-|$)/, refuses: [...sampling, ...penalties, ...likelihoods, 'verbosity'] },
  { models: /^o(3|4-mini)(-\d|$)/, refuses: ['stop'] },
  // Later ones of the family take sampling while they do not think, which is how they begin.
  { models: /^gpt-5(-(mini|nano|pro|codex|\d)|$)/, refuses: [...sampling, ...penalties, ...likelihoods, 'stop'] },
  { models: /^(gpt-3\.5|gpt-4|chatgpt-4o)/, refuses: ['thinking', 'verbosity'] },
  { models: /^gpt-(3\.5|4(-turbo|-\d|-32k|$))/, refuses: ['schemaOutput'] },
  { models: /^claude-(instant|2|3-(opus|sonnet|haiku|5)|3\.5)/, refuses: ['thinking'] },
  { models: /^claude-(instant|[23]|(opus|sonnet)-4(-0|-2\d{3}|@|$))/, refuses: ['schemaOutput'] },
  { models: /^claude-(opus-(4[-.][78]|5)|4\.[78]-opus|fable)/, refuses: sampling },
  { models: /^gemini-(1|2\.0)/, refuses: ['thinking'] },
  { models: /^deepseek-(reasoner|r1)/, refuses: [...sampling, ...penalties, ...likelihoods] },
  { models: /^grok-(3-mini|4)(?!.*non-reasoning)/, refuses: [...penalties, 'stop'] },
  { models: /^grok-(2|3(?!-mini)|4(-|$))/, refuses: ['thinking'] },
];

const none: ReadonlySet<ParameterName> = new Set();

export function refusedParameters(model: string): ReadonlySet<ParameterName> {
  const name = bareName(model);
  const rows = families.filter(({ models }) => models.test(name));
  return rows.length === 0 ? none : new Set(rows.flatMap(({ refuses }) => refuses));
}

/** Hosts of several makers put the maker's name before a slash or a dot; a fine-tune of a model is called by its base. */
function bareName(model: string): string {
  const last = model.toLowerCase().split('/').at(-1) ?? '';
  return last.replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|openai|deepseek)\./, '').replace(/^ft:/, '');
}
