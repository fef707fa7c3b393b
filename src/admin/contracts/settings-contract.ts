/** Settings as the console shows and changes them, what it keeps of requests' content, and video tasks in its list. */

/** What kind of control a setting needs. */
export type SettingControl =
  | { readonly kind: 'switch' }
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'text' }
  | { readonly kind: 'list' };

/** One row of the settings table with its value and its origin. */
export interface SettingDetailView {
  readonly key: string;
  readonly variable?: string;
  readonly origin: 'default' | 'file' | 'environment' | 'console';
  /** Printable; a secret shows as `set` or `not set`. */
  readonly shown: string;
  readonly value?: unknown;
  readonly defaultShown: string;
  readonly unit: string;
  readonly meaning: string;
  readonly allowed: string;
  readonly control: SettingControl;
  /**
   * `live`: changed here, in effect at once. `start`: changed in file or environment, in effect at the next start.
   * `locked`: set by file or environment.
   */
  readonly change: 'live' | 'start' | 'locked';
}

/** `PATCH /console/api/settings`: null removes the console's value. */
export interface SettingChanges {
  readonly values: Readonly<Record<string, unknown>>;
}

/** The content of one request, if it was stored: `GET /console/api/usage/requests/{id}/content`. */
export interface RequestContentView {
  readonly requestId: string;
  readonly at: string;
  readonly expiresAt: string;
  /** As the caller sent it, cut to the stored bound. */
  readonly request: string;
  readonly requestIsCut: boolean;
  /** As the caller received it; the events of a stream one after the other. */
  readonly reply: string;
  readonly replyIsCut: boolean;
}

export interface TaskRowView {
  readonly id: string;
  readonly requestId: string;
  readonly tokenId: string;
  readonly tokenName?: string;
  readonly model: string;
  readonly provider: string;
  readonly state: 'queued' | 'in_progress' | 'completed' | 'failed';
  readonly percent: number;
  readonly seconds?: number;
  readonly size?: string;
  readonly createdAt: string;
  readonly endedAt?: string;
  readonly expiresAt?: string;
  /** Null where no price is known for it. */
  readonly costUsd?: string | null;
  readonly error?: { readonly code: number; readonly message: string };
  readonly isDeleted: boolean;
  /** Paths of the console's interface that give out the videos while they last. */
  readonly videos: readonly { readonly path: string; readonly mediaType: string }[];
}

/** `GET /console/api/tasks?state=&model=&after=`, newest first. */
export interface TasksView {
  readonly items: readonly TaskRowView[];
  readonly next?: string;
}

/** `GET /console/api/home`, and `PATCH` with the same fields: the text of the page at `/`. */
export interface HomeTextView {
  readonly shown: boolean;
  /** Plain text, one paragraph a line; absent means Weir's own. */
  readonly title?: string;
  readonly text?: string;
  readonly locked: boolean;
}
