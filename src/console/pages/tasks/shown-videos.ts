/** The videos of a task that the page may load: those that lie here, whatever address else is named. */

import type { TaskRowView } from '../../../admin/contracts/settings-contract.ts';

export const shownVideos = ({ videos }: Pick<TaskRowView, 'videos'>): TaskRowView['videos'] =>
  videos.filter(({ path }) => /^\/(?![/\\])/.test(path));
