/** A new secret, the one time it can be seen: large, with its copy button, and with the settings that it goes into. */

import { useEffect, useRef, useState } from 'react';
import type { IssuedTokenView, ModelView } from '../../../admin/contracts/account-contract.ts';
import { useAsk } from '../../api/use-ask.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useFacts } from '../../frame/facts.tsx';
import { useWords } from '../../words/use-words.tsx';
import { modelFor } from './sample-model.ts';
import { type TokenSnippet, tokenSnippets } from './token-snippets.ts';

export function IssuedSecret({ issued, note }: { readonly issued: IssuedTokenView; readonly note?: string }) {
  const words = useWords().tokens;
  const shown = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector('button')?.focus(), []);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <p className="flex items-start gap-2 text-sm">
          <Icon name="warn" className="mt-0.5 text-warn" />
          <span>{words.shownOnce}</span>
        </p>
        <div ref={box} className="grid gap-3 rounded-md border border-line-strong bg-sunken p-4">
          <code ref={shown} data-secret className="text-lg leading-7 break-all">
            {issued.token}
          </code>
          <div>
            <CopyButton text={issued.token} what={words.theToken} shown={shown} kind="primary" size="large" />
          </div>
        </div>
        {note !== undefined && <p className="text-sm text-quiet">{note}</p>}
      </div>
      <Snippets issued={issued} />
    </div>
  );
}

function Snippets({ issued }: { readonly issued: IssuedTokenView }) {
  const words = useWords().tokens;
  const { apiAddress } = useFacts();
  const { data } = useAsk<{ readonly items: readonly ModelView[] }>('/console/api/models');
  const facts = { origin: apiAddress.replace(/\/v1$/, ''), model: modelFor(issued, data?.items ?? []) };
  const all = tokenSnippets(issued.token, facts);
  const [chosen, choose] = useState(all[0]?.id ?? '');
  // The common clients always have a tab; another one has it while it is chosen.
  const tabs = all
    .filter(({ id, common }) => common || id === chosen)
    .map(({ id, name, blocks }) => ({
      id,
      label: name,
      content: (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {blocks.map(({ file, code }) => (
            <CodeBlock key={code} title={file ?? words.terminal} code={code} />
          ))}
        </div>
      ),
    }));
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h3 className="font-semibold">{words.useIt}</h3>
      <Tabs
        label={words.useIt}
        tabs={tabs}
        value={chosen}
        onChange={choose}
        tools={<MoreClients clients={all.filter(({ common }) => !common)} chosen={chosen} choose={choose} />}
      />
    </section>
  );
}

interface MoreClientsProps {
  readonly clients: readonly TokenSnippet[];
  readonly chosen: string;
  choose(id: string): void;
}

function MoreClients({ clients, chosen, choose }: MoreClientsProps) {
  const words = useWords().tokens;
  return (
    <select
      aria-label={words.moreClients}
      value={clients.some(({ id }) => id === chosen) ? chosen : ''}
      onChange={(event) => event.target.value !== '' && choose(event.target.value)}
      className="h-8 max-w-40 shrink-0 cursor-pointer rounded-md bg-raised px-2 text-sm font-medium text-quiet hover:text-text"
    >
      <option value="">{words.moreClients}</option>
      {(['agents', 'code'] as const).map((group) => (
        <optgroup key={group} label={words.clientGroups[group]}>
          {clients
            .filter((client) => client.group === group)
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </optgroup>
      ))}
    </select>
  );
}
