/** The console's pictograms: one stroke, 16 by 16, drawn for it; they decorate words and never stand for them alone. */

const drawings = {
  overview: 'M2.5 13.5h11M4.5 11V8M8 11V3.5M11.5 11V6',
  playground:
    'M13.5 8c0 2.8-2.5 5-5.5 5-.8 0-1.6-.1-2.3-.4L2.5 13.5l.8-2.6C2.8 10 2.5 9 2.5 8c0-2.8 2.5-5 5.5-5s5.5 2.2 5.5 5Z',
  requests: 'M2.5 4h11M2.5 8h7M2.5 12h9',
  tokens: 'M9.2 6.8a3 3 0 1 1 2.1 2.1L10 10.2H8.4v1.6H6.8v1.7H2.5v-2.6l4.9-4.9M11.3 4.8v.01',
  teams: 'M8 2.5h.01M6 2.5h4v3H6zM8 5.5V8M3.8 10.5V8h8.4v2.5M2 10.5h3.6v3H2zM10.4 10.5H14v3h-3.6z',
  endUsers:
    'M6 7.4a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM1.9 13c.3-2.1 2-3.2 4.1-3.2s3.8 1.1 4.1 3.2M10.4 3.3a2 2 0 0 1 .2 3.9M11.8 9.8c1.3.4 2.1 1.5 2.3 3.2',
  providers: 'M3 3.5h10v3.4H3zM3 9.1h10v3.4H3zM5.3 5.2v.01M5.3 10.8v.01',
  models: 'M8 2.2 13.2 5v6L8 13.8 2.8 11V5L8 2.2ZM2.9 5.1 8 8l5.1-2.9M8 8v5.6',
  tasks: 'M3 3.5h10v9H3zM7 6.2v3.6L9.8 8 7 6.2Z',
  alerts:
    'M8 2.3a3.7 3.7 0 0 0-3.7 3.7c0 3.4-1.6 4.7-1.6 4.7h10.6s-1.6-1.3-1.6-4.7A3.7 3.7 0 0 0 8 2.3ZM6.8 12.9a1.3 1.3 0 0 0 2.4 0',
  settings:
    'M2.5 4.5h5M11.5 4.5h2M2.5 11.5h2M8.5 11.5h5M9.5 6.3a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM6.5 13.3a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6Z',
  gallery: 'M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM11 9v4M9 11h4',
  search: 'M7.2 11.6a4.4 4.4 0 1 0 0-8.8 4.4 4.4 0 0 0 0 8.8ZM10.4 10.4l3.1 3.1',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13.2 9.4A5.5 5.5 0 0 1 6.6 2.8a5.5 5.5 0 1 0 6.6 6.6Z',
  screen: 'M2.5 3.5h11v7.5h-11zM6 13.5h4M8 11v2.5',
  account: 'M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8ZM3 13.5c.4-2.3 2.4-3.5 5-3.5s4.6 1.2 5 3.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'm3 8.5 3.3 3.3L13 4.8',
  close: 'm4 4 8 8M12 4l-8 8',
  chevron: 'm4.5 6.3 3.5 3.5 3.5-3.5',
  collapse: 'M3 3h10v10H3zM6.5 3v10M10.5 6.3 8.8 8l1.7 1.7',
  expand: 'M3 3h10v10H3zM6.5 3v10M9 6.3 10.7 8 9 9.7',
  more: 'M3.5 8v.01M8 8v.01M12.5 8v.01',
  plus: 'M8 3v10M3 8h10',
  warn: 'M8 2.5 14 13H2L8 2.5ZM8 6.5v3M8 11.3v.01',
  bad: 'M8 13.7A5.7 5.7 0 1 0 8 2.3a5.7 5.7 0 0 0 0 11.4ZM8 5v3.5M8 10.8v.01',
  info: 'M8 13.7A5.7 5.7 0 1 0 8 2.3a5.7 5.7 0 0 0 0 11.4ZM8 7.5V11M8 5.2v.01',
  external: 'M6.5 3.5h-3v9h9v-3M9 3.5h3.5V7M12.5 3.5 7.5 8.5',
  home: 'M2.5 7.5 8 2.8l5.5 4.7M4 6.5v6.7h8V6.5',
  language:
    'M8 13.7A5.7 5.7 0 1 0 8 2.3a5.7 5.7 0 0 0 0 11.4ZM2.3 8h11.4M8 2.3c1.8 1.6 2.5 3.5 2.5 5.7S9.8 12.1 8 13.7C6.2 12.1 5.5 10.2 5.5 8S6.2 3.9 8 2.3Z',
  keyboard: 'M2 4.5h12v7H2zM4.5 7v.01M7 7v.01M9.5 7v.01M11.8 7v.01M5.5 9.3h5',
  leave: 'M6.5 3H3v10h3.5M7 8h6.5M10.8 5.3 13.5 8l-2.7 2.7',
  lock: 'M4 7.2h8v6H4zM5.6 7.2V5.4a2.4 2.4 0 0 1 4.8 0v1.8',
  send: 'M8 13V3M4 7l4-4 4 4',
  stop: 'M4.2 4.2h7.6v7.6H4.2z',
  play: 'M5 3.5v9l7.5-4.5L5 3.5Z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  again: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  edit: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3 3 13Z',
  remove: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  attach: 'M12.8 7.6 8 12.4a3 3 0 0 1-4.3-4.3l5-5a2 2 0 0 1 2.9 2.9l-5 5a1 1 0 0 1-1.5-1.4l4.5-4.6',
  microphone: 'M8 9.8a2 2 0 0 0 2-2V4.5a2 2 0 0 0-4 0v3.3a2 2 0 0 0 2 2ZM4 7.8a4 4 0 0 0 8 0M8 11.8v1.9',
  picture: 'M2.5 3.5h11v9h-11zM2.5 10.5l3-3 2.6 2.6L10 8.2l3.5 3.3M10.6 6v.01',
  speaker: 'M3 6.3h2.2L8 3.8v8.4L5.2 9.7H3V6.3ZM10.3 6a2.8 2.8 0 0 1 0 4M12 4.4a5.1 5.1 0 0 1 0 7.2',
  fallback: 'M3 3v4.5a3 3 0 0 0 3 3h7M10 7.5l3 3-3 3',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  download: 'M8 2.8v7M5 7l3 3 3-3M3 13.2h10',
  columns: 'M2.5 3.5h11v9h-11zM6.2 3.5v9M9.8 3.5v9',
  wire: 'M5.5 5 2.5 8l3 3M10.5 5l3 3-3 3',
  tool: 'M9.5 3.2a3.2 3.2 0 0 0-2.3 4.4L3 11.8 4.2 13l4.2-4.2a3.2 3.2 0 0 0 4.4-4L10.9 6.7 9.3 5.1l1.9-1.9a3.2 3.2 0 0 0-1.7 0Z',
  clock: 'M8 13.7A5.7 5.7 0 1 0 8 2.3a5.7 5.7 0 0 0 0 11.4ZM8 4.8V8l2.2 1.5',
  left: 'M9.8 4.5 6.3 8l3.5 3.5',
  right: 'M6.3 4.5 9.8 8l-3.5 3.5',
  empty: 'M2.5 9.5 4.3 3.5h7.4l1.8 6v3.5h-11V9.5ZM2.5 9.5h3.3c0 1.2.9 2 2.2 2s2.2-.8 2.2-2h3.3',
} as const;

export type IconName = keyof typeof drawings;

export function Icon({ name, className = '' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      className={`size-4 shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={drawings[name]} />
    </svg>
  );
}

/** The mark of the house: water that falls one step. */
export function Mark({ className = '' }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={`shrink-0 ${className}`} aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#0e5a84" />
      <path
        d="M5 11h10c4 0 3 10 7 10h5M5 16h6c4 0 3 8 7 8h9"
        fill="none"
        stroke="#ffffff"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
    </svg>
  );
}
