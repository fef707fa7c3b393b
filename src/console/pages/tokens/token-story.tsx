/** What is known of one token: its state, its budget, what it used lately, and the terms under which it works. */

import type { OwnedTokenView } from '../../../admin/contracts/account-contract.ts';
import { endpointNames } from '../../../snippets/endpoints.ts';
import { Count, Money, Time } from '../../components/amounts.tsx';
import { Id } from '../../components/code-block.tsx';
import { type FactRow, FactRows } from '../../components/fact-rows.tsx';
import { Part } from '../../components/part.tsx';
import { Link } from '../../router/router.tsx';
import { EndUserFacts } from '../../terms/end-user-facts.tsx';
import { useWords } from '../../words/use-words.tsx';
import { BudgetRows } from '../teams/budget-rows.tsx';
import { BudgetFigures } from './budget-bar.tsx';
import { Expiry, Owner, StateBadge } from './token-columns.tsx';
import { UsagePart } from './token-usage.tsx';

export function TokenStory({ token }: { readonly token: OwnedTokenView }) {
  const words = useWords().tokens;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <Identity token={token} />
      {token.budget !== undefined && <BudgetFigures budget={token.budget} />}
      {token.budgets !== undefined && (
        <Part title={words.fields.budgets}>
          <BudgetRows budgets={token.budgets} />
        </Part>
      )}
      {token.endUsers !== undefined && <EndUserFacts terms={token.endUsers} filter={{ token: token.id }} />}
      <UsagePart filter={{ token: token.id }} />
      <Part title={words.parts.limits}>
        <Limits token={token} />
      </Part>
      <Part title={words.parts.scope}>
        <Scope token={token} />
      </Part>
      <Part title={words.parts.rights}>
        <Rights token={token} />
      </Part>
    </div>
  );
}

function Identity({ token }: { readonly token: OwnedTokenView }) {
  const { tokens: words, tokenList, teams } = useWords();
  const list = tokenList.columns;
  const facts: FactRow[] = [
    {
      name: words.columns.state,
      value: <StateBadge state={token.state} />,
    },
    { name: words.columns.hint, value: <code>{token.hint}</code> },
    { name: words.id, value: <Id value={token.id} what={words.id} /> },
    { name: words.columns.owner, value: <Owner token={token} /> },
    ...(token.teamName === undefined ? [] : [{ name: teams.place.label, value: <PlaceLink token={token} /> }]),
    { name: words.createdAt, value: <Time at={token.createdAt} /> },
    {
      name: words.columns.lastUse,
      value: token.lastUsedAt === undefined ? words.never : <Time at={token.lastUsedAt} />,
    },
  ];
  if (token.revokedAt !== undefined) facts.push({ name: words.revokedAt, value: <Time at={token.revokedAt} /> });
  else facts.push({ name: words.columns.expires, value: <Expiry at={token.expiresAt} /> });
  const { monthNano, totalNano } = token.spend;
  facts.push(
    { name: list.month, value: <Money nano={monthNano} /> },
    { name: list.total, value: <Money nano={totalNano} /> },
  );
  return <FactRows facts={facts} />;
}

function PlaceLink({ token: { unitId = '', teamName = '', projectName } }: { readonly token: OwnedTokenView }) {
  const words = useWords().teams.place;
  return (
    <Link
      to={`/console/teams?${new URLSearchParams({ unit: unitId })}`}
      className="rounded-sm text-accent hover:underline"
    >
      {projectName === undefined ? teamName : words.project(teamName, projectName)}
    </Link>
  );
}

function Limits({ token }: { readonly token: OwnedTokenView }) {
  const words = useWords().tokens;
  const limit = (name: string, value: number | undefined): FactRow => ({
    name,
    value: value === undefined ? <Quiet text={words.noLimit} /> : <Count value={value} />,
  });
  return (
    <FactRows
      facts={[
        limit(words.fields.rpm, token.rpm),
        limit(words.fields.tpm, token.tpm),
        limit(words.fields.concurrency, token.concurrency),
        ...(token.budget === undefined
          ? [{ name: words.fields.budget, value: <Quiet text={words.noLimit} /> } satisfies FactRow]
          : []),
      ]}
    />
  );
}

function Scope({ token }: { readonly token: OwnedTokenView }) {
  const words = useWords().tokens;
  const named = token.endpoints?.map((name) => {
    const known = endpointNames.find((endpoint) => endpoint === name);
    return known === undefined ? name : words.endpoints[known];
  });
  return (
    <FactRows
      facts={[
        { name: words.fields.models, value: <Entries list={token.models} all={words.allModels} mono /> },
        { name: words.fields.endpoints, value: <Entries list={named} all={words.allEndpoints} /> },
        {
          name: words.fields.tools,
          value: (
            <Entries list={token.tools} all={words.toolChoices[token.tools === undefined ? 'default' : 'none']} mono />
          ),
        },
        { name: words.fields.addresses, value: <Entries list={token.addresses} all={words.allAddresses} mono /> },
      ]}
    />
  );
}

function Rights({ token }: { readonly token: OwnedTokenView }) {
  const words = useWords().tokens;
  const yesNo = (value: boolean) => (value ? words.yes : <Quiet text={words.no} />);
  const moderation =
    token.moderate === undefined ? (
      <Quiet text={words.moments.none} />
    ) : (
      [words.moments[token.moderate], token.moderationModel].filter(Boolean).join(', ')
    );
  return (
    <FactRows
      facts={[
        { name: words.fields.moderate, value: moderation },
        { name: words.fields.strict, value: yesNo(token.strict) },
        { name: words.fields.maySteer, value: yesNo(token.maySteer) },
        { name: words.fields.mayExplain, value: yesNo(token.mayExplain) },
        {
          name: words.fields.subTokensMax,
          value: token.subTokensMax === undefined ? <Quiet text={words.no} /> : <Count value={token.subTokensMax} />,
        },
        { name: words.fields.labels, value: <Entries list={token.labels} all={words.noLabels} mono /> },
      ]}
    />
  );
}

const Quiet = ({ text }: { readonly text: string }) => <span className="text-quiet">{text}</span>;

function Entries({
  list,
  all,
  mono = false,
}: {
  readonly list: readonly string[] | undefined;
  readonly all: string;
  readonly mono?: boolean;
}) {
  if (list === undefined || list.length === 0) return <Quiet text={all} />;
  return (
    <ul className="flex flex-wrap gap-1 py-0.5">
      {list.map((entry) => (
        <li
          key={entry}
          className={`rounded-sm border border-line bg-sunken px-1.5 text-xs leading-5 ${mono ? 'font-mono' : ''}`}
        >
          {entry}
        </li>
      ))}
    </ul>
  );
}
