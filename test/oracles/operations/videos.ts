/** OpenAI videos API, and Weir's own video tasks (docs/video-tasks.md). https://platform.openai.com/docs/api-reference/videos (read 2026-11-16) */

import { z } from 'zod';

const count = z.int().nonnegative();
const text = z.string();
const state = z.enum(['queued', 'in_progress', 'completed', 'failed']);

const videoFields = z.strictObject({
  id: text.min(1),
  object: z.literal('video'),
  model: text.min(1),
  status: state,
  progress: z.int().min(0).max(100),
  created_at: count,
  completed_at: count.nullable(),
  expires_at: count.nullable(),
  size: text.regex(/^\d+x\d+$/),
  seconds: text.regex(/^\d+(\.\d+)?$/),
  error: z.strictObject({ code: text, message: text.min(1) }).nullable(),
  prompt: text.nullable(),
  remixed_from_video_id: text.nullable(),
});

export const video = videoFields
  .refine(({ status, error }) => (status === 'failed') === (error !== null), 'a failed video alone has an error')
  .refine(({ status, completed_at: at }) => status === 'completed' || at === null, 'completed_at of an open video')
  .refine(({ status, progress }) => status !== 'completed' || progress === 100, 'completed below 100 percent');

const page = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    object: z.literal('list'),
    data: z.array(item),
    first_id: text.nullable(),
    last_id: text.nullable(),
    has_more: z.boolean(),
  });

export const videoPage = page(video);
export const deletedVideo = z.strictObject({
  id: text.min(1),
  object: z.literal('video.deleted'),
  deleted: z.literal(true),
});

/** Weir's task: what does not apply yet is absent. */
const taskFields = {
  task_id: text.min(1),
  status: state,
  url: text.optional(),
  urls: z.array(text).min(2).optional(),
  format: z.enum(['mp4', 'webm', 'mov']).optional(),
  metadata: z
    .strictObject({
      duration: z.number().nonnegative().optional(),
      fps: count.optional(),
      width: count.optional(),
      height: count.optional(),
      seed: z.int().optional(),
    })
    .optional(),
  error: z.strictObject({ code: z.int(), message: text.min(1) }).optional(),
};

export const videoTask = z
  .strictObject(taskFields)
  .refine(({ status, error }) => (status === 'failed') === (error !== undefined), 'a failed task alone has an error')
  .refine(({ status, url }) => status === 'completed' || url === undefined, 'a URL of a task that is not completed')
  .refine(({ url, format }) => (url === undefined) === (format === undefined), 'a URL comes with its format')
  .refine(({ url, urls }) => urls === undefined || urls[0] === url, 'the first of several URLs is `url`');

export const videoTaskPage = page(videoTask);
export const deletedTask = z.strictObject({ task_id: text.min(1), deleted: z.literal(true) });

/** The secret of the open webhook standard: `whsec_` and base64. */
export const callbackSecret = z.strictObject({ secret: text.regex(/^whsec_[A-Za-z0-9+/]+=*$/) });

/** What a `callback_url` is sent. */
export const callbackEvent = z.strictObject({
  id: text.min(1),
  object: z.literal('event'),
  type: z.enum(['video.completed', 'video.failed']),
  created_at: count,
  data: z.strictObject({ ...taskFields, id: text.min(1) }),
  metadata: z.record(text, text).optional(),
});
