/** Where a person enters the code that a program shows, sees which program asks from where, and approves or denies it. */

import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import type { DeviceRequestView } from '../../../admin/contracts/device-contract.ts';
import { ask } from '../../api/ask.ts';
import { errorAtField, useChange } from '../../api/use-change.ts';
import { Time } from '../../components/amounts.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FactRows } from '../../components/fact-rows.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Link, useQueryWord } from '../../router/router.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';

const path = '/console/api/device';

type Outcome = { readonly approved: boolean; readonly client: string };

export function Page() {
  const words = useWords().device;
  const { may } = useSession();
  const [given] = useQueryWord('user_code');
  const [request, setRequest] = useState<DeviceRequestView>();
  const [outcome, setOutcome] = useState<Outcome>();
  if (!may('POST /console/api/device')) return <p className="text-sm text-quiet">{words.viewer}</p>;
  if (outcome !== undefined) {
    const again = () => {
      setOutcome(undefined);
      setRequest(undefined);
    };
    return <Done outcome={outcome} onAgain={again} />;
  }
  if (request !== undefined) return <Confirm request={request} onAnswer={setOutcome} />;
  return <Enter given={given ?? ''} onFound={setRequest} />;
}

/** A code from the URL is looked up at once, but never answered: the person has to compare and press a button. */
function Enter({ given, onFound }: { readonly given: string; readonly onFound: (view: DeviceRequestView) => void }) {
  const words = useWords().device;
  const [code, setCode] = useState(given);
  const look = useChange((typed: string) => ask<DeviceRequestView>(path, { body: { code: typed } }), []);
  const lookUp = useEffectEvent((typed: string) => look.mutate(typed, { onSuccess: onFound }));
  useEffect(() => {
    if (given !== '') lookUp(given);
  }, [given]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    look.mutate(code, { onSuccess: onFound });
  };
  const atField = errorAtField(look.error, 'code');
  return (
    <form onSubmit={send} className="grid gap-4">
      <p className="text-sm text-quiet">{words.enter}</p>
      <Field
        label={words.code}
        name="code"
        value={code}
        hint={words.codeHint}
        maxLength={20}
        autoComplete="one-time-code"
        autoCapitalize="characters"
        spellCheck={false}
        autoFocus
        error={atField}
        onChange={(event) => setCode(event.target.value)}
      />
      {look.error !== null && atField === undefined && <ErrorNotice error={look.error} />}
      <Button type="submit" kind="primary" size="large" busy={look.isPending} disabled={code.trim() === ''}>
        {words.next}
      </Button>
    </form>
  );
}

function Confirm({
  request,
  onAnswer,
}: {
  readonly request: DeviceRequestView;
  readonly onAnswer: (outcome: Outcome) => void;
}) {
  const words = useWords().device;
  const answer = useChange(
    (approve: boolean) => ask(`${path}/answer`, { body: { code: request.code, approve } }),
    ['/console/api/programs', '/console/api/tokens', '/console/api/audit'],
  );
  const send = (approve: boolean) => {
    answer.mutate(approve, { onSuccess: () => onAnswer({ approved: approve, client: request.clientName }) });
  };
  const facts = [
    { name: words.program, value: `${request.clientName} (${request.clientId})` },
    { name: words.from, value: <span className="font-mono">{request.address}</span> },
    { name: words.agent, value: <span className="break-all">{request.agent}</span> },
    { name: words.requested, value: <Time at={request.requestedAt} /> },
  ];
  return (
    <div className="grid gap-4">
      <h2 className="text-lg font-semibold">{words.question(request.clientName)}</h2>
      <p className="rounded-md border border-line bg-raised py-3 text-center font-mono text-2xl tracking-widest">
        {request.code}
      </p>
      <FactRows facts={facts.filter(({ name }) => name !== words.agent || request.agent !== '')} />
      <p className="text-sm">{words.compare}</p>
      <p className="text-sm text-quiet">{words.means}</p>
      {answer.error !== null && <ErrorNotice error={answer.error} />}
      <div className="grid grid-cols-2 gap-3">
        <Button size="large" busy={answer.isPending && answer.variables === false} onClick={() => send(false)}>
          {words.deny}
        </Button>
        <Button
          kind="primary"
          size="large"
          busy={answer.isPending && answer.variables === true}
          onClick={() => send(true)}
        >
          {words.approve}
        </Button>
      </div>
    </div>
  );
}

function Done({ outcome, onAgain }: { readonly outcome: Outcome; readonly onAgain: () => void }) {
  const words = useWords().device;
  return (
    <div role="status" className="grid gap-3">
      <h2 className="text-lg font-semibold">{outcome.approved ? words.approved(outcome.client) : words.denied}</h2>
      <p className="text-sm text-quiet">{outcome.approved ? words.approvedHint : words.deniedHint}</p>
      <p className="flex flex-wrap items-center gap-4 border-t border-line pt-4 text-sm">
        <Link to="/console/settings#account" className="text-accent underline underline-offset-2">
          {words.toPrograms}
        </Link>
        <Button size="small" onClick={onAgain}>
          {words.another}
        </Button>
      </p>
    </div>
  );
}
