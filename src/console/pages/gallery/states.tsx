/** What stands where something is missing, on its way or wrong, and what is said in passing. */

import { useState } from 'react';
import { AskError } from '../../api/ask.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { useTell } from '../../components/overlays/toast.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { Specimens } from './specimens.tsx';

const refused = new AskError('This token expired on 12 Nov. Create a new one or extend it.', {
  status: 401,
  code: 'token_expired',
  requestId: 'req_AZqH5u0GcAC0m2i8cVbqgQ',
});
const unreachable = new AskError('', { status: 0, code: 'unreachable' });

export function States() {
  const tell = useTell();
  const [asking, setAsking] = useState(false);
  return (
    <div className="grid gap-x-10 gap-y-8 lg:grid-cols-2">
      <Specimens title="Failures">
        <ErrorNotice error={refused} />
        <ErrorNotice error={unreachable} onAgain={() => undefined} />
      </Specimens>
      <Specimens title="Nothing yet">
        <div className="rounded-md border border-line bg-raised">
          <EmptyState icon="tokens" title="No tokens yet" action={<Button kind="primary">Create token</Button>}>
            A token lets a person or a program call models through Weir.
          </EmptyState>
        </div>
      </Specimens>
      <Specimens title="On its way">
        <SkeletonText lines={4} />
      </Specimens>
      <Specimens title="Said in passing, and asked">
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => tell({ text: 'Token “laptop” was created.', tone: 'ok' })}>Good news</Button>
          <Button onClick={() => tell({ text: 'The provider refused the key.', tone: 'bad' })}>Bad news</Button>
          <Button onClick={() => setAsking(true)}>Ask</Button>
        </div>
        <Dialog open={asking} title="Revoke “laptop”?" onClose={() => setAsking(false)}>
          <div className="grid gap-5 p-5">
            <p>Requests with this token are refused from now on. This cannot be undone.</p>
            <div className="flex justify-end gap-2">
              <Button onClick={() => setAsking(false)}>Keep it</Button>
              <Button kind="danger" onClick={() => setAsking(false)}>
                Revoke
              </Button>
            </div>
          </div>
        </Dialog>
      </Specimens>
    </div>
  );
}
