/** How a task can fail: a closed table of numbers, each with its meaning and with what it costs. docs/video-tasks.md shows it. */

type TaskCharge =
  /** What the provider says it used; nothing where it says nothing. */
  | 'reported'
  /** What was made is paid for, though it could not be fetched. */
  | 'made'
  /** The usage is unknown: the estimate, until the provider reports it, or nothing where the operator set that. */
  | 'estimate';

interface Row {
  readonly code: number;
  readonly charge: TaskCharge;
  readonly meaning: string;
}

export const taskErrors = {
  failed: { code: 1001, charge: 'reported', meaning: 'The provider failed to generate the video.' },
  refused: { code: 1002, charge: 'reported', meaning: 'The provider refused to generate this video.' },
  cancelled: { code: 1003, charge: 'reported', meaning: 'The task was canceled.' },
  'no-video': { code: 1101, charge: 'made', meaning: 'The provider reports success and returned no video.' },
  unfetchable: { code: 1102, charge: 'made', meaning: 'The video was generated, but could not be downloaded.' },
  'timed-out': { code: 1201, charge: 'estimate', meaning: 'The deadline passed before the provider finished.' },
  lost: { code: 1202, charge: 'estimate', meaning: 'The provider no longer knows the task.' },
  unreadable: { code: 1203, charge: 'estimate', meaning: 'The provider returns a state that Weir cannot interpret.' },
  unreachable: { code: 1204, charge: 'estimate', meaning: 'The provider failed or could not be reached.' },
  'key-refused': { code: 1205, charge: 'estimate', meaning: 'No key of the provider may poll the task.' },
  'provider-removed': { code: 1206, charge: 'estimate', meaning: 'The provider is no longer configured.' },
  unsent: {
    code: 1207,
    charge: 'estimate',
    meaning: 'Weir stopped before it knew whether the provider accepted the task.',
  },
} as const satisfies Readonly<Record<string, Row>>;

export type TaskErrorName = keyof typeof taskErrors;
