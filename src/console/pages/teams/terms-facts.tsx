/** The limits of a level beside its budgets, name beside value. */

import type { ReactNode } from 'react';
import type { LevelTermsView } from '../../../admin/contracts/organization-contract.ts';
import { endpointNames } from '../../../snippets/endpoints.ts';
import { Count } from '../../components/amounts.tsx';
import { FactRows } from '../../components/fact-rows.tsx';
import { useWords } from '../../words/use-words.tsx';
import type { TermsOf } from './terms-fields.tsx';

interface TermsFactsProps {
  /** Whose; all facts where absent. */
  readonly of?: TermsOf;
  readonly terms: LevelTermsView;
}

export function TermsFacts({ of = 'unit', terms }: TermsFactsProps) {
  const { tokens: words, teams } = useWords();
  const quiet = (text: string): ReactNode => <span className="text-quiet">{text}</span>;
  const count = (value: number | undefined) => (value === undefined ? quiet(words.noLimit) : <Count value={value} />);
  const list = (entries: readonly string[] | undefined, all: string) =>
    entries === undefined || entries.length === 0 ? quiet(all) : entries.join(', ');
  const endpoints = terms.endpoints?.map((name) => {
    const known = endpointNames.find((endpoint) => endpoint === name);
    return known === undefined ? name : words.endpoints[known];
  });
  return (
    <FactRows
      facts={[
        { name: words.fields.rpm, value: count(terms.rpm) },
        ...(of === 'endUser' ? [] : [{ name: words.fields.tpm, value: count(terms.tpm) }]),
        { name: words.fields.concurrency, value: count(terms.concurrency) },
        { name: words.fields.models, value: list(terms.models, words.allModels) },
        ...(of === 'endUser'
          ? []
          : [
              { name: words.fields.endpoints, value: list(endpoints, words.allEndpoints) },
              {
                name: words.fields.tools,
                value: list(terms.tools, words.toolChoices[terms.tools === undefined ? 'default' : 'none']),
              },
              { name: teams.labels, value: list(terms.labels, words.noLabels) },
            ]),
      ]}
    />
  );
}
