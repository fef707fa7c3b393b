/** Hosts of many vendors' models leave the names of images to each model: which field is meant, and what has none. */

import { defined, type Tree } from '../../conversation/json-tree.ts';
import type { LossList } from '../../conversation/loss-list.ts';
import { addressOf } from '../images/inline-images.ts';
import type { GivenMedium, MakeVideoRequest } from '../video.ts';

export interface MediaFields {
  readonly models: RegExp;
  /** The image that begins the video. */
  readonly first?: string;
  readonly last?: string;
  /** A list of images that guide it; no model takes it beside the others. */
  readonly references?: string;
  readonly video?: string;
}

const noPlace = 'the model has no place for it';

type Asked = Pick<MakeVideoRequest, 'images' | 'lastFrame' | 'video'>;

export function writeMedia(asked: Asked, model: string, table: readonly MediaFields[], losses: LossList): Tree {
  const fields: MediaFields = table.find(({ models }) => models.test(model)) ?? { models: /./ };
  const { images, lastFrame, video } = asked;
  if (fields.references !== undefined && refers(asked, fields)) {
    if (fields.first !== undefined) losses.add('images[0]', 'guides the video and does not begin it');
    const list = images.flatMap((image, index) => address(`images[${index}]`, image, fields.references, losses) ?? []);
    return {
      ...(list.length > 0 && { [fields.references]: list }),
      ...one('last_frame', lastFrame, undefined, losses),
      ...one('video', video, fields.video, losses),
    };
  }
  images.slice(1).forEach((_, index) => {
    losses.add(`images[${index + 1}]`, noPlace);
  });
  return {
    ...one('images[0]', images[0], fields.first, losses),
    ...one('last_frame', lastFrame, fields.last, losses),
    ...one('video', video, fields.video, losses),
  };
}

function refers({ images, lastFrame }: Asked, { first }: MediaFields): boolean {
  if (first === undefined) return images.length > 0;
  return images.length > 1 && lastFrame === undefined;
}

/** `named` is the caller's name, `field` the model's. */
function one(named: string, medium: GivenMedium | undefined, field: string | undefined, losses: LossList): Tree {
  return medium === undefined ? {} : defined(field ?? named, address(named, medium, field, losses));
}

function address(named: string, medium: GivenMedium, field: string | undefined, losses: LossList): string | undefined {
  const found = field === undefined ? undefined : addressOf(medium);
  if (found === undefined) losses.add(named, field === undefined ? noPlace : 'cannot be taken as it came');
  return found;
}
