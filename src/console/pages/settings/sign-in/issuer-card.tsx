/** One issuer: its state, the URIs that are registered there, its rules, and a test that says what is wrong. */

import type { IssuerRuleView, IssuerTestView, IssuerView } from '../../../../admin/contracts/sign-in-contract.ts';
import { ask } from '../../../api/ask.ts';
import { useChange } from '../../../api/use-change.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { FactRows } from '../../../components/fact-rows.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';

const testRoute = 'POST /console/api/sign-in/issuers/{name}/test';

export function IssuerCard({ issuer }: { readonly issuer: IssuerView }) {
  const words = useWords().signIn;
  const { may } = useSession();
  const test = useChange(
    () => ask<IssuerTestView>(`/console/api/sign-in/issuers/${issuer.name}/test`, { body: {} }),
    ['/console/api/sign-in/settings', '/console/api/audit'],
  );
  return (
    <article aria-label={issuer.label} className="grid gap-4 rounded-md border border-line bg-raised p-4">
      <header className="flex flex-wrap items-center gap-3">
        <h3 className="min-w-0 truncate font-medium">{issuer.label}</h3>
        <ContactBadge issuer={issuer} />
        <span className="grow" />
        {may(testRoute) && (
          <Button
            size="small"
            busy={test.isPending}
            onClick={() => test.mutate(undefined)}
            aria-label={words.testing(issuer.label)}
          >
            {words.test}
          </Button>
        )}
      </header>
      {test.error !== null && <ErrorNotice error={test.error} />}
      {test.data !== undefined && <Checks test={test.data} />}
      <IssuerFacts issuer={issuer} />
      <Rules issuer={issuer} />
    </article>
  );
}

function ContactBadge({ issuer: { lastContact } }: { readonly issuer: IssuerView }) {
  const words = useWords().signIn.contacts;
  if (lastContact === undefined) return <Badge>{words.none}</Badge>;
  return lastContact.ok ? (
    <Badge tone="ok" dot>
      {words.ok}
    </Badge>
  ) : (
    <Badge tone="bad" dot>
      {words.failed}
    </Badge>
  );
}

const tones = { ok: 'ok', warn: 'warn', failed: 'bad' } as const;

function Checks({ test }: { readonly test: IssuerTestView }) {
  const words = useWords().signIn;
  return (
    <div role="status">
      <ul className="grid gap-2 rounded-md border border-line bg-surface p-3 text-sm">
        {test.checks.map(({ name, state, finding, value, refusal }) => {
          const said = words.findings[finding];
          const detail = typeof said === 'string' ? said : said(value);
          return (
            <li
              key={name}
              className="grid grid-cols-[5rem_minmax(0,1fr)] items-start gap-x-3 sm:grid-cols-[5rem_11rem_minmax(0,1fr)]"
            >
              <span>
                <Badge tone={tones[state]}>{words.states[state]}</Badge>
              </span>
              <span className="font-medium">{words.checks[name]}</span>
              <span className="col-start-2 break-words text-quiet sm:col-start-3">
                {refusal !== undefined && value === '' ? words.refusals[refusal] : detail}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function IssuerFacts({ issuer }: { readonly issuer: IssuerView }) {
  const all = useWords();
  const words = all.signIn;
  const { facts } = words;
  const roleNames: Readonly<Record<string, string>> = all.session.roles;
  const people = [
    issuer.createAccounts ? words.created(roleNames[issuer.defaultRole] ?? issuer.defaultRole) : words.notCreated,
    ...(issuer.linkAccounts ? [words.linked] : []),
  ];
  const access = [
    ...(issuer.allowedDomains === undefined ? [] : [words.domains(issuer.allowedDomains.join(', '))]),
    ...(issuer.trustUnverifiedEmail ? [words.unverified] : []),
    ...(issuer.allowedGroups === undefined ? [] : [words.groupsNeeded(issuer.allowedGroups.join(', '))]),
  ];
  const uris = (['redirectUri', 'postLogoutRedirectUri', 'backChannelLogoutUri'] as const).map((name) => ({
    name: facts[name],
    value: <CopiedUri text={issuer[name]} what={facts[name]} />,
  }));
  return (
    <FactRows
      facts={[
        { name: facts.issuer, value: <code className="font-mono text-sm break-all">{issuer.issuer}</code> },
        ...uris,
        {
          name: facts.client,
          value: (
            <>
              <code className="font-mono text-sm break-all">{issuer.clientId}</code> ({words.clients[issuer.client]})
            </>
          ),
        },
        { name: facts.scopes, value: issuer.scopes.join(' ') },
        { name: facts.claims, value: words.claims(issuer.nameClaims.join(', '), issuer.groupsClaim) },
        { name: facts.accounts, value: people.join('; ') },
        ...(access.length === 0 ? [] : [{ name: facts.access, value: access.join('; ') }]),
      ]}
    />
  );
}

function CopiedUri({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span className="flex items-center gap-2">
      <code className="min-w-0 font-mono text-sm break-all">{text}</code>
      <CopyButton bare text={text} what={what} kind="quiet" />
    </span>
  );
}

function Rules({ issuer }: { readonly issuer: IssuerView }) {
  const words = useWords().signIn;
  if (issuer.rules.length === 0) return <p className="text-sm text-quiet">{words.noRules}</p>;
  return (
    <div className="overflow-x-auto">
      <table aria-label={words.rulesOf(issuer.label)} className="w-full text-left text-sm">
        <thead className="text-quiet">
          <tr className="border-b border-line">
            <th className="py-1.5 pr-4 font-medium">{words.rule.group}</th>
            <th className="py-1.5 pr-4 font-medium">{words.rule.team}</th>
            <th className="py-1.5 font-medium">{words.rule.role}</th>
          </tr>
        </thead>
        <tbody>
          {issuer.rules.map((rule) => (
            <RuleRow key={JSON.stringify(rule)} rule={rule} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RuleRow({ rule: { group, team, teamFound, teamRole = '', role } }: { readonly rule: IssuerRuleView }) {
  const all = useWords();
  const words = all.signIn;
  const teamRoleNames: Readonly<Record<string, string>> = words.teamRoles;
  const roleNames: Readonly<Record<string, string>> = all.session.roles;
  return (
    <tr className="border-b border-line last:border-b-0">
      <td className="py-1.5 pr-4 font-mono break-all">{group}</td>
      <td className="py-1.5 pr-4">
        {team === undefined ? (
          '–'
        ) : (
          <span className="flex flex-wrap items-center gap-2">
            {team} ({teamRoleNames[teamRole] ?? teamRole})
            {teamFound === false && <Badge tone="warn">{words.teamMissing}</Badge>}
          </span>
        )}
      </td>
      <td className="py-1.5">{role === undefined ? '–' : (roleNames[role] ?? role)}</td>
    </tr>
  );
}
