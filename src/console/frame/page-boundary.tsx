/** Keeps the frame alive when a page fails, which after an update of Weir is mostly code that is no longer there. */

import { Component, type ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
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
