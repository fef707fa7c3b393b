/** Keeps the frame alive when a page fails, which after an update of Weir is mostly code that is no longer there. */

import { Component, type ReactNode, useEffect, useState } from 'react';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { useConnection, useIsLost } from '../connection/use-connection.tsx';
import { useWords } from '../words/use-words.tsx';

interface BoundaryState {
  readonly failed: boolean;
}

/** Only a class can catch what its children throw. */
export class PageBoundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { failed: false };

  static getDerivedStateFromError(): BoundaryState {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? <BrokenPage /> : this.props.children;
  }
}

function BrokenPage() {
  const words = useWords().frame;
  useReloadOnceBack();
  return (
    <EmptyState
      icon="warn"
      title={words.pageBroke}
      action={
        <Button kind="primary" onClick={() => location.reload()}>
          {words.reload}
        </Button>
      }
    >
      {words.pageBrokeHint}
    </EmptyState>
  );
}

/** Code that did not arrive because Weir was away is fetched as soon as it is back. */
function useReloadOnceBack(): void {
  const connection = useConnection();
  const isLost = useIsLost();
  const [wasLost, setWasLost] = useState(isLost);
  useEffect(() => void connection.check(), [connection]);
  useEffect(() => {
    if (isLost) setWasLost(true);
    else if (wasLost) location.reload();
  }, [isLost, wasLost]);
}
