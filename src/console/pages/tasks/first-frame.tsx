/** A video's first frame in a row of the list: the browser reads no more of the file than it needs for that. */

import { useState } from 'react';
import type { TaskRowView } from '../../../admin/contracts/settings-contract.ts';
import { Icon } from '../../components/icon.tsx';
import { useWords } from '../../words/use-words.tsx';
import { shownVideos } from './shown-videos.ts';

export function FirstFrame({ task }: { readonly task: TaskRowView }) {
  const words = useWords().tasks;
  const [isBroken, setBroken] = useState(false);
  const [video] = shownVideos(task);
  const shape = 'my-1 block h-9 w-16 rounded-sm';
  if (video === undefined || isBroken) {
    return (
      <span className={`${shape} grid place-items-center bg-sunken text-quiet`} title={words.noPreview}>
        <Icon name="tasks" />
      </span>
    );
  }
  return (
    <video
      // The moment after the beginning: some videos begin with an empty frame that browsers do not paint.
      src={`${video.path}#t=0.01`}
      muted
      playsInline
      preload="metadata"
      tabIndex={-1}
      aria-label={words.preview(task.model)}
      onError={() => setBroken(true)}
      className={`${shape} bg-sunken object-cover`}
    />
  );
}
