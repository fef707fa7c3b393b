/** How requests for a name find their way: to be edited where the console keeps it, to be seen where it is set elsewhere. */

import { useState } from 'react';
import type { ModelDetailView, RouteView } from '../../../../admin/contracts/configuration-contract.ts';
import { Button } from '../../../components/button.tsx';
import { Deletion } from '../../../components/overlays/deletion.tsx';
import { useTell } from '../../../components/overlays/toast.tsx';
import { withQuery } from '../../../router/navigation.ts';
import { useNavigation } from '../../../router/router.tsx';
import { useSession } from '../../../session/session.tsx';
import { useWords } from '../../../words/use-words.tsx';
import { LockedNote, ProblemNote, useOriginText } from '../../providers/origin-badge.tsx';
import { useRouteDelete, useRouteSave } from '../route-changes.ts';
import { draftOf } from './route-draft.ts';
import { RouteEditor, stateIn } from './route-editor.tsx';
import { RoutePicture } from './route-picture.tsx';

interface ModelRouteProps {
  readonly id: string;
  /** Absent where the name is simply a provider's. */
  readonly route: RouteView | undefined;
  readonly targets: ModelDetailView['targets'];
  onGone(): void;
}

export function ModelRoute({ id, route, targets, onGone }: ModelRouteProps) {
  const words = useWords().models;
  const session = useSession();
  const originText = useOriginText();
  if (route === undefined) return <OwnName id={id} targets={targets} />;
  if (route.alias !== id) return <ByPattern pattern={route.alias} targets={targets} />;
  const editable = !route.locked && session.may('POST /console/api/routes');
  return (
    <div className="grid gap-5">
      {route.locked && <LockedNote text={words.panel.locked(originText(route))} />}
      {route.problem !== undefined && <ProblemNote title={words.panel.problem} text={route.problem} />}
      {editable ? (
        <Editable route={route} targets={targets} onGone={onGone} />
      ) : (
        <RoutePicture draft={draftOf(route.entry)} stateOf={(target) => stateIn(targets, target)} />
      )}
    </div>
  );
}

function OwnName({ id, targets }: Pick<ModelRouteProps, 'id' | 'targets'>) {
  const words = useWords().models.panel;
  const session = useSession();
  const navigation = useNavigation();
  const copy = () => navigation.go(withQuery(navigation.address(), { alias: id, model: undefined, view: undefined }));
  return (
    <div className="grid gap-5">
      <RoutePicture draft={draftOf({ targets })} stateOf={(target) => stateIn(targets, target)} />
      <p className="text-sm text-quiet">{words.ownName}</p>
      {session.may('POST /console/api/routes') && (
        <div>
          <Button icon="plus" onClick={copy}>
            {words.aliasFrom}
          </Button>
        </div>
      )}
    </div>
  );
}

function ByPattern({ pattern, targets }: { readonly pattern: string; readonly targets: ModelDetailView['targets'] }) {
  const words = useWords().models.panel;
  const navigation = useNavigation();
  const open = () => navigation.go(withQuery(navigation.address(), { model: pattern, view: undefined }));
  return (
    <div className="grid gap-5">
      <RoutePicture draft={draftOf({ targets })} stateOf={(target) => stateIn(targets, target)} />
      <p className="text-sm text-quiet">{words.byPattern(pattern)}</p>
      <div>
        <Button onClick={open}>{words.openPattern}</Button>
      </div>
    </div>
  );
}

interface EditableProps {
  readonly route: RouteView;
  readonly targets: ModelDetailView['targets'];
  onGone(): void;
}

function Editable({ route, targets, onGone }: EditableProps) {
  const words = useWords().models.route;
  const tell = useTell();
  const save = useRouteSave();
  const deletion = useRouteDelete(route.alias);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <RouteEditor
        // What was saved is what the next changes start from.
        key={JSON.stringify(route.entry)}
        entry={route.entry}
        targets={targets}
        busy={save.isPending}
        error={save.error}
        saveText={words.save}
        onSave={(entry) =>
          save.mutate(
            { alias: route.alias, entry },
            { onSuccess: () => tell({ text: words.saved(route.alias), tone: 'ok' }) },
          )
        }
      />
      <div className="border-t border-line pt-5">
        <Button kind="danger" icon="remove" onClick={() => setAsking(true)}>
          {words.delete}
        </Button>
      </div>
      <Deletion
        name={route.alias}
        open={asking}
        words={words}
        deletion={deletion}
        onClose={() => setAsking(false)}
        onGone={onGone}
      >
        <p>{words.deleteHint(route.alias)}</p>
      </Deletion>
    </>
  );
}
